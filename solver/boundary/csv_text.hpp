// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of numbers between commas under a header such as "time[s],velocity[m/s]": lines, cells and
// numbers of a text, with the messages that name file and line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::boundary {

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The beginning of a text in quotes, for messages.
inline std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += c >= 32 && c < 127 ? c : '?';
  return "\"" + out + (text.size() > 40 ? "..." : "") + "\"";
}

// Lines one after the other, with their numbers from 1; empty ones and comments are passed over.
class CsvLines {
 public:
  CsvLines(std::string_view text, const std::string& name) : rest_(text), name_(name) {
    if (rest_.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);
  }
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (!line.empty() && line.front() != '#') return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{}:{}: {}; expected {}.", name_, std::max<std::size_t>(1, number_),
                            found, expected));
  }

  [[nodiscard]] double number(std::string_view cell) const {
    if (cell.empty()) refuse("an empty cell", "a number in each row: fill the gap");
    double value = 0.0;
    const char* begin = cell.data() + (cell.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value))
      refuse(shown(cell) + " is not a number",
             "a finite one with a decimal point, commas between columns");
    return value;
  }

  // Factor to SI of a column "velocity[mm/s]"; header: an example of one with units.
  [[nodiscard]] double unitOf(std::string_view cell, stage::Dimension dimension,
                              const std::string& header) const {
    const std::size_t bracket = cell.find('[');
    if (bracket == std::string_view::npos || cell.back() != ']')
      refuse("the column " + shown(cell) + " has no unit", header);
    const std::string unit(cell.substr(bracket + 1, cell.size() - bracket - 2));
    try {
      return stage::parseQuantity("1 " + unit, dimension);
    } catch (const stage::StageError& error) {
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("{}:{}: {}: {}", name_, number_, shown(cell), error.what()));
    }
  }

 private:
  std::string_view rest_;
  const std::string& name_;
  std::size_t number_ = 0;
};

// Calls visit(column, cell) for each cell of a line; returns their number.
template <class Visit>
std::size_t forCells(std::string_view line, Visit&& visit) {
  std::size_t column = 0;
  for (;; ++column) {
    const std::size_t comma = line.find(',');
    visit(column, trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return column + 1;
    line.remove_prefix(comma + 1);
  }
}

// Content of a file of at most `largest` bytes. kind: "waveform". Throws StageError(BadInput).
std::string readCsvFile(const std::string& path, std::string_view kind, std::uintmax_t largest);

}  // namespace tessera::solver::boundary
