// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of HTML. Arguments are markup, except those named plain.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::postprocess::report {

// Escaped.
std::string text(std::string_view plain);

using Row = std::vector<std::string>;

// The first cell of a row is its heading; an empty head is omitted.
std::string table(const std::string& caption, const Row& head, const std::vector<Row>& rows);
// Empty if the body is empty.
std::string section(const std::string& title, const std::string& body);
// "<h3>title</h3> table", for adjacent tables; empty without rows.
std::string titledTable(const std::string& title, const Row& head, const std::vector<Row>& rows);

// A picture file embedded into the page; empty if it does not exist. Throws StageError(BadInput) if
// it cannot be read.
std::string picture(const std::filesystem::path& path, const std::string& plainAlternative,
                    const std::string& caption);
// The same, collapsed behind a summary line.
std::string foldedPicture(const std::string& summary, const std::filesystem::path& path,
                          const std::string& plainAlternative, const std::string& caption);

// A value of SI unit "Pa", "m/s", "m3/s", "m" in a convenient unit.
std::string withUnit(double si, const char* unit, int digits = 4);
// Components times the factor, with commas.
std::string vectorIn(const Double3& si, double factor, int digits = 3);
// A plain number.
std::string numberOf(double value, int digits = 3);

}  // namespace tessera::postprocess::report
