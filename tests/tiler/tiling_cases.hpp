// SPDX-License-Identifier: GPL-3.0-or-later
// The geometries of Tomczak & Szafran 2017 whose tile utilisation the paper tells: channels along
// an axis (Figures 8 and 10), arrays of random spheres (Table 6, Figure 20).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::tilings {

enum class Section { Square, Circular };

// Tile utilisations of an endless channel so many nodes across, at each of the 16 places of the
// tiles across it. Of a circular one the nodes whose centres lie within the circle are fluid.
std::vector<double> channelUtilisations(Section section, int across);
double meanOf(const std::vector<double>& values);
// The narrowest channel from which on, up to the widest, the quantity stays above the bound.
int alwaysAboveFrom(const std::vector<int>& across, const std::vector<double>& quantity,
                    double bound);

// Table 6: 192^3 nodes, spheres of 40 nodes in diameter.
struct TableSix {
  double porosity, utilisation;
};
constexpr std::array<TableSix, 9> tableSix{{{0.9, 0.970},
                                            {0.8, 0.936},
                                            {0.7, 0.899},
                                            {0.6, 0.857},
                                            {0.5, 0.813},
                                            {0.4, 0.762},
                                            {0.3, 0.699},
                                            {0.2, 0.626},
                                            {0.1, 0.512}}};
constexpr int packSeeds = 5;

// Of one pack of overlapping spheres in a box that tiles fill from its first node on, as the paper
// puts them.
struct PackTiling {
  double porosity, utilisation;
};
PackTiling randomPack(double porosity, std::uint64_t seed);
// Mean of packSeeds packs, seeds from 1.
PackTiling meanPack(double porosity);

}  // namespace tessera::tilings
