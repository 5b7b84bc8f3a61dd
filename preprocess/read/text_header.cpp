// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/text_header.hpp"

#include <algorithm>
#include <charconv>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::read {
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
      {"nm", 1e-9},         {"nanometer", 1e-9},  {"nanometre", 1e-9},  {"inch", 25.4e-3}};
  const std::string lower = inLowerCase(withoutBlanks(unit));
  for (const Unit& known : units)
    if (lower == known.name || lower == std::string(known.name) + "s") return known.metres;
  return std::nullopt;
}

std::filesystem::path pathBeside(const std::filesystem::path& folder, std::string_view file,
                                 const std::string& name) {
  const std::filesystem::path relative(file);
  const bool within =
      relative.is_relative() && !relative.empty() && file.find('\0') == std::string_view::npos &&
      std::none_of(relative.begin(), relative.end(), [](const auto& part) { return part == ".."; });
  if (!within || folder.empty())
    stage::fail(stage::ExitCode::BadInput,
                name + " has its voxels in \"" + std::string(file.substr(0, 200)) +
                    "\", expected a file in the header's own folder; put both "
                    "there and correct the name.");
  return folder / relative;
}

}  // namespace tessera::preprocess::read
