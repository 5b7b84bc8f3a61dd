// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of HTML. What they are given is markup already, except where a name says plain.
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

// The first cell of a row is its heading; an empty head is left out.
std::string table(const std::string& caption, const Row& head, const std::vector<Row>& rows);
// Nothing when the body is empty.
std::string section(const std::string& title, const std::string& body);
// "<h3>title</h3> table", for tables beside each other; nothing without rows.
std::string titledTable(const std::string& title, const Row& head, const std::vector<Row>& rows);

// A picture file as part of the page; nothing when it was not drawn. Throws StageError(BadInput)
// when it cannot be read.
std::string picture(const std::filesystem::path& path, const std::string& plainAlternative,
                    const std::string& caption);
// The same, behind a line that opens it.
std::string foldedPicture(const std::string& summary, const std::filesystem::path& path,
                          const std::string& plainAlternative, const std::string& caption);

// A value of SI unit "Pa", "m/s", "m3/s", "m" in a unit for people.
std::string withUnit(double si, const char* unit, int digits = 4);
// Components times the factor, with commas.
std::string vectorIn(const Double3& si, double factor, int digits = 3);
// A plain number.
std::string numberOf(double value, int digits = 3);

}  // namespace tessera::postprocess::report
