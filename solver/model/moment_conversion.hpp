// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion between states of populations and of moments (start, output, tests): 64 nodes of
// q = 19 populations a tile, or of moment::count values.
#pragma once

#include <span>
#include <vector>

namespace tessera::solver::model {

// The part of populations that moments keep; the rest is lost.
std::vector<double> momentsFromPopulations(std::span<const double> populations);
std::vector<double> populationsFromMoments(std::span<const double> moments);

}  // namespace tessera::solver::model
