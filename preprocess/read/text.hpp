// SPDX-License-Identifier: GPL-3.0-or-later
// Locale-independent tokeniser for text files, single pass.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

constexpr bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
// Case-insensitive comparison (a to z).
bool sameWord(std::string_view word, std::string_view lowerCase);

// The whole word as a number with a decimal point, optionally with a leading plus. Underflow gives
// 0, overflow infinity. False if it is not a number.
bool parseNumber(std::string_view word, double& value);
// The whole word as an integer; false if it is not one or does not fit.
bool parseInteger(std::string_view word, std::int64_t& value);

// For messages on files of another kind: ", but with \"<!DOCTYPE html>\"" if the first line is
// printable text (at most 40 characters of it); else empty.
std::string butWithStart(std::string_view bytes);

class TextWords {
 public:
  // comment: starts a comment up to the end of the line; '\0': none. start: byte at which reading
  // begins; lines are counted from the beginning of the text. A UTF-8 byte order mark at the start
  // is skipped.
  TextWords(std::string_view text, std::string name, char comment = '\0', std::size_t start = 0)
      : text_(text),
        name_(std::move(name)),
        comment_(comment),
        at_(start == 0 && text.starts_with("\xef\xbb\xbf") ? 3 : start) {}

  // Next word, on any line; empty at the end of the text.
  std::string_view take();
  // Next word on this line; empty at its end.
  std::string_view takeInLine();
  // Rest of this line, trimmed; moves to the next line.
  std::string_view takeLine();
  // Throw StageError(BadInput) naming the line and the expected value.
  double number(const std::string& title);
  std::int64_t integer(const std::string& title);
  // Also throws if the rest of the text cannot hold that many records of bytesEach.
  std::size_t count(const std::string& title, std::size_t bytesEach);
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

// Parsing of the text headers of NRRD and MetaImage: lines, words, numbers, units, and paths of
// separate voxel files.

// Iterates over lines that end with \n or \r\n.
class HeaderLines {
 public:
  explicit HeaderLines(std::string_view text) : text_(text) {}
  // The line without its end; absent after the last one.
  std::optional<std::string_view> next();
  // Offset of the first byte after the line returned last.
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view withoutBlanks(std::string_view text);
std::string inLowerCase(std::string_view text);
std::vector<std::string_view> wordsOf(std::string_view text, std::string_view separators = " \t");

// Absent unless the whole word is such a number.
std::optional<double> numberOf(std::string_view word);
std::optional<std::int64_t> wholeNumberOf(std::string_view word);

// Metres per unit of length ("mm", "micron", "millimeters"); absent for unknown units.
std::optional<double> metresOf(std::string_view unit);

// Path of a file named in a header, restricted to the header's folder. Throws StageError(BadInput)
// otherwise, and for an empty folder (header in memory).
std::filesystem::path dataPath(const std::filesystem::path& folder, std::string_view file,
                               const std::string& name);

}  // namespace tessera::preprocess::read
