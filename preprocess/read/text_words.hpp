// SPDX-License-Identifier: GPL-3.0-or-later
// Words and numbers of a text file, whatever the locale, in one pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::preprocess::read {

constexpr bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
// Without regard to the case of a to z.
bool sameWord(std::string_view word, std::string_view lowerCase);

// The whole word as a number with a decimal point; a leading plus is allowed. Too small to hold: 0;
// too large: infinite. False when it is none.
bool parseNumber(std::string_view word, double& value);
// The whole word as an integer; false when it is none or does not fit.
bool parseInteger(std::string_view word, std::int64_t& value);

// For sentences about files of another kind: ", but with \"<!DOCTYPE html>\"" of what begins with
// printable text, at most 40 characters of its first line; else empty.
std::string butWithStart(std::string_view bytes);

class TextWords {
 public:
  // comment: from there to the end of the line nothing counts; '\0' for none. start: byte at which
  // the first word is looked for; lines are counted from the beginning of the text. A byte order
  // mark of UTF-8 there is passed over.
  TextWords(std::string_view text, std::string name, char comment = '\0', std::size_t start = 0)
      : text_(text),
        name_(std::move(name)),
        comment_(comment),
        at_(start == 0 && text.starts_with("\xef\xbb\xbf") ? 3 : start) {}

  // The next word, on whichever line; empty at the end of the text.
  std::string_view take();
  // The next word on this line; empty at its end.
  std::string_view takeInLine();
  // What is left of this line, without blanks around it; the next word is then of the next line.
  std::string_view takeLine();
  // Throw StageError(BadInput) naming the line and what was expected.
  double number(const std::string& what);
  std::int64_t integer(const std::string& what);
  // Also refuses more than what is left of the text can hold, at so many bytes each.
  std::size_t count(const std::string& what, std::size_t bytesEach);
  [[noreturn]] void refuse(const std::string& expected) const;

  [[nodiscard]] std::size_t left() const { return text_.size() - at_; }
  [[nodiscard]] std::size_t line() const;

 private:
  void skipBlanks(bool overLines);
  std::string_view text_;
  std::string name_;
  char comment_;
  std::size_t at_;
};

}  // namespace tessera::preprocess::read
