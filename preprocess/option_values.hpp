// SPDX-License-Identifier: GPL-3.0-or-later
// Parsers of option values. All throw StageError(Usage) with the found and the expected value;
// name: of the option.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

// Shortest text that is read back as this number.
std::string exactText(double value);
// Digits only, as the ids of openings.
bool isWholeNumber(const std::string& text);
// "A,B,C" to integers from lowest to highest.
std::vector<int> parseWholeNumbers(const std::string& name, const std::string& text,
                                   std::size_t count, int lowest, int highest);
// "A,B,C" to finite numbers.
std::vector<double> parseNumbers(const std::string& name, const std::string& text,
                                 std::size_t count);
// --crop: "x0,y0,z0,x1,y1,z1", voxels from the first three numbers to before the last three.
image::VoxelBox parseCrop(const std::string& text);
// --pore: "A", "A-B", names of segments, or several of them, separated by commas.
image::LabelSet parseFluidLabels(const std::string& text);
// --wall-label, --branch: labels as in --pore, and a name behind "=".
LabelName parseLabelName(const std::string& name, const std::string& text);
// Letters of axes, "" to "xyz".
std::array<bool, 3> parseAxes(const std::string& name, const std::string& text);
// "x-,x+".
std::vector<surface::Side> parseFaces(const std::string& text);
// "X,Y,Z;NX,NY,NZ", the point in units of metresPerUnit.
surface::CutPlane parseCut(const std::string& text, double metresPerUnit);
// --open: "3", a candidate's number, or "X,Y,Z" in units of metresPerUnit.
OpenRequest parseOpen(const std::string& text, double metresPerUnit);
// "20" across the smallest opening, or "OPENING=20".
lattice::SpacingRequest parseAcross(const std::string& text);
// A number of nodes such as 2e8, 200M or 0.2G.
double parseNodeCount(const std::string& name, const std::string& text);
// "5" for all openings, or "OPENING=5".
OpeningExtension parseExtension(const std::string& text);
// "OPENING=NAME".
OpeningName parseName(const std::string& text);
// "y+=NAME".
SideWall parseWall(const std::string& text);

}  // namespace tessera::preprocess
