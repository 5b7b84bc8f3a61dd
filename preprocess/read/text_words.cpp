// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/text_words.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::read {

bool sameWord(std::string_view word, std::string_view lowerCase) {
  return std::equal(word.begin(), word.end(), lowerCase.begin(), lowerCase.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

bool parseNumber(std::string_view word, double& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return false;
  if (result.ec == std::errc::result_out_of_range) {
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return true;
}

bool parseInteger(std::string_view word, std::int64_t& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ptr == end && result.ec == std::errc{};
}

std::string butWithStart(std::string_view bytes) {
  std::string_view line = bytes.substr(0, std::min(bytes.find('\n'), std::size_t{40}));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const bool isText =
      std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return isText && line.size() >= 4 ? ", but with \"" + std::string(line) + "\"," : "";
}

void TextWords::skipBlanks(bool overLines) {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == comment_ && comment_ != '\0')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (!isBlank(c))
      return;
    if (at_ == text_.size() || (text_[at_] == '\n' && !overLines)) return;
  }
}

std::string_view TextWords::take() {
  skipBlanks(true);
  const std::size_t begin = at_;
  while (at_ < text_.size() && !isBlank(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view TextWords::takeInLine() {
  skipBlanks(false);
  return at_ == text_.size() || text_[at_] == '\n' ? std::string_view{} : take();
}

std::string_view TextWords::takeLine() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view rest = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  while (!rest.empty() && isBlank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && isBlank(rest.back())) rest.remove_suffix(1);
  return rest;
}

std::size_t TextWords::line() const {
  const auto begin = text_.begin();
  return 1 + static_cast<std::size_t>(
                 std::count(begin, begin + static_cast<std::ptrdiff_t>(at_), '\n'));
}

void TextWords::refuse(const std::string& expected) const {
  stage::fail(
      stage::ExitCode::BadInput,
      name_ + ":" + std::to_string(line()) + " has no " + expected +
          (at_ == text_.size() ? " because the file ends there; it is truncated: export it again."
                               : " where one is expected; the file is damaged: export it again."));
}

double TextWords::number(const std::string& what) {
  double value = 0.0;
  if (!parseNumber(take(), value)) refuse(what);
  return value;
}

std::int64_t TextWords::integer(const std::string& what) {
  std::int64_t value = 0;
  if (!parseInteger(take(), value)) refuse(what);
  return value;
}

std::size_t TextWords::count(const std::string& what, std::size_t bytesEach) {
  const std::int64_t value = integer(what);
  if (value < 0) refuse(what + " of at least 0");
  if (static_cast<std::uint64_t>(value) > (left() + 1) / bytesEach)
    stage::fail(stage::ExitCode::BadInput,
                name_ + ":" + std::to_string(line()) + " gives " + std::to_string(value) +
                    " as the " + what + ", more than the rest of the file can hold (" +
                    std::to_string(left()) +
                    " bytes); it is truncated or damaged: export it again.");
  return static_cast<std::size_t>(value);
}

}  // namespace tessera::preprocess::read
