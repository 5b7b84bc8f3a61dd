// SPDX-License-Identifier: GPL-3.0-or-later
// Between states of populations and of moments, for what starts, reads or tests runs: 64 nodes of
// q = 19 populations a tile, or of moment::count values.
#pragma once

#include <span>
#include <vector>

namespace tessera {

// What moments keep of populations; the rest is lost.
std::vector<double> momentsFromPopulations(std::span<const double> populations);
std::vector<double> populationsFromMoments(std::span<const double> moments);

}  // namespace tessera
