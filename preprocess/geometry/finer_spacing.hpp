// SPDX-License-Identifier: GPL-3.0-or-later
// Node spacings for advice: values that work when they are given to --spacing as printed.
#pragma once

#include <array>
#include <string>

namespace tessera::preprocess::geometry {

// Spacing of three digits in millimetres, the next one at least or at most as large.
double roundedSpacing(double spacing, bool up);

// Spacing of at most `most` for a lattice that has this spacing now: of three digits, or with
// periodic axes a whole fraction of the present one, which divides the periods as well.
double finerSpacing(double spacing, double most, const std::array<bool, 3>& periodic);

// Axes whose periods the spacing must divide: in 2D not z, which is one node whatever the spacing.
std::array<bool, 3> axesToDivide(std::array<bool, 3> periodic, int dimensions);

// "8", or "at least 8" where the spacing is a whole fraction, which may be finer than required.
std::string nodesText(int nodes, const std::array<bool, 3>& periodic);

// As an option of tessera-preprocess: "--spacing 0.0795mm", exactly this value.
std::string spacingOption(double spacing);

}  // namespace tessera::preprocess::geometry
