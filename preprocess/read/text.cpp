// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

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
      fmt::format("{}:{}{}", name_, line(),
                  at_ == text_.size()
                      ? " ends before the " + expected + "; it is truncated: export it again."
                      : ": expected " + expected + "; the file is damaged: export it again."));
}

double TextWords::number(const std::string& title) {
  double value = 0.0;
  if (!parseNumber(take(), value)) refuse(title);
  return value;
}

std::int64_t TextWords::integer(const std::string& title) {
  std::int64_t value = 0;
  if (!parseInteger(take(), value)) refuse(title);
  return value;
}

std::size_t TextWords::count(const std::string& title, std::size_t bytesEach) {
  const std::int64_t value = integer(title);
  if (value < 0) refuse(title + " of at least 0");
  if (static_cast<std::uint64_t>(value) > (left() + 1) / bytesEach)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{}:{} gives {} as the {}, more than the remaining {} bytes can hold; "
                            "it is truncated or damaged: export it again.",
                            name_, line(), value, title, left()));
  return static_cast<std::size_t>(value);
}

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

template <class Value>
std::optional<Value> parsed(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Value value{};
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ec != std::errc{} || result.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string_view> HeaderLines::next() {
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view withoutBlanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string inLowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return lower;
}

std::vector<std::string_view> wordsOf(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

std::optional<double> numberOf(std::string_view word) {
  return parsed<double>(word);
}

std::optional<std::int64_t> wholeNumberOf(std::string_view word) {
  return parsed<std::int64_t>(word);
}

std::optional<double> metresOf(std::string_view unit) {
  struct Unit {
    const char* name;
    double metres;
  };
  constexpr Unit units[] = {
      {"m", 1.0},           {"meter", 1.0},       {"metre", 1.0},       {"cm", 1e-2},
      {"centimeter", 1e-2}, {"centimetre", 1e-2}, {"mm", 1e-3},         {"millimeter", 1e-3},
      {"millimetre", 1e-3}, {"um", 1e-6},         {"\u00b5m", 1e-6},    {"\u03bcm", 1e-6},
      {"\\u00b5m", 1e-6},   {"micron", 1e-6},     {"micrometer", 1e-6}, {"micrometre", 1e-6},
      {"nm", 1e-9},         {"nanometer", 1e-9},  {"nanometre", 1e-9},  {"pm", 1e-12},
      {"\u00c5", 1e-10},    {"in", 25.4e-3},      {"inch", 25.4e-3}};
  const std::string lower = inLowerCase(withoutBlanks(unit));
  for (const Unit& known : units)
    if (lower == known.name || lower == std::string(known.name) + "s") return known.metres;
  return std::nullopt;
}

std::filesystem::path dataPath(const std::filesystem::path& folder, std::string_view file,
                               const std::string& name) {
  const std::filesystem::path relative(file);
  const bool within =
      relative.is_relative() && !relative.empty() && file.find('\0') == std::string_view::npos &&
      std::none_of(relative.begin(), relative.end(), [](const auto& part) { return part == ".."; });
  if (!within || folder.empty())
    stage::fail(
        stage::ExitCode::BadInput,
        name + " has its voxels in \"" + std::string(file.substr(0, 200)) +
            "\", expected a file in the header's folder; put both there and correct the name.");
  return folder / relative;
}

}  // namespace tessera::preprocess::read
