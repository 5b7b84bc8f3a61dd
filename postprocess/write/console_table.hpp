// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the console, as wide as its contents, within the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::postprocess::write {

struct ConsoleColumn {
  std::string title, unit;
  bool isText = false;  // from the left, and broken into lines where the table is too wide
  std::vector<std::string> cells;
};

// Titles, units if any column has one, and a line for each record, or several where a text is
// broken. All columns have equally many cells.
std::string consoleTable(const std::vector<ConsoleColumn>& columns, std::size_t mostColumns);

}  // namespace tessera::postprocess::write
