// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write/console_table.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::write {

using stage::widthOf;

namespace {

constexpr std::size_t narrowestText = 6;

std::size_t contentWidth(const ConsoleColumn& column) {
  std::size_t width = std::max(widthOf(column.title), widthOf(column.unit));
  for (const std::string& cell : column.cells) width = std::max(width, widthOf(cell));
  return width;
}

// Lines of a text, broken behind a space or a sign between words where there is one.
std::vector<std::string> brokenInto(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (widthOf(text) > width) {
    const std::string_view most = stage::beginningOf(text, width);
    const std::size_t sign = most.find_last_of(" -_./");
    const std::size_t end = sign == std::string_view::npos || sign == 0 ? most.size() : sign + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  lines.emplace_back(text);
  return lines;
}

std::string padded(const std::string& text, std::size_t width, bool isText) {
  const std::string blank(width - std::min(width, widthOf(text)), ' ');
  return isText ? text + blank : blank + text;
}

// Widths of the columns, of which the widest texts give way.
std::vector<std::size_t> widthsOf(const std::vector<ConsoleColumn>& columns, std::size_t most) {
  std::vector<std::size_t> widths;
  for (const ConsoleColumn& column : columns) widths.push_back(contentWidth(column));
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), columns.size() - 1);
  };
  while (total() > most) {
    std::size_t widest = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].isText && widths[c] > narrowestText &&
          (widest == columns.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns.size()) break;
    --widths[widest];
  }
  return widths;
}

// One row; cell(c): the text of a column.
template <class Cell>
std::string rowOf(const std::vector<ConsoleColumn>& columns, const std::vector<std::size_t>& widths,
                  const Cell& cell) {
  std::vector<std::vector<std::string>> broken;
  std::size_t lines = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    broken.push_back(brokenInto(cell(columns[c]), widths[c]));
    lines = std::max(lines, broken.back().size());
  }
  std::string text;
  for (std::size_t l = 0; l < lines; ++l) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += (c == 0 ? "" : " ") +
              padded(l < broken[c].size() ? broken[c][l] : "", widths[c], columns[c].isText);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string consoleTable(const std::vector<ConsoleColumn>& columns, std::size_t mostColumns) {
  if (columns.empty()) return "";
  const std::vector<std::size_t> widths = widthsOf(columns, mostColumns);
  std::string text = rowOf(columns, widths, [](const ConsoleColumn& of) { return of.title; });
  if (std::any_of(columns.begin(), columns.end(), [](const auto& of) { return !of.unit.empty(); }))
    text += rowOf(columns, widths, [](const ConsoleColumn& of) { return of.unit; });
  for (std::size_t r = 0; r < columns.front().cells.size(); ++r)
    text += rowOf(columns, widths, [r](const ConsoleColumn& of) { return of.cells[r]; });
  return text;
}

}  // namespace tessera::postprocess::write
