// SPDX-License-Identifier: GPL-3.0-or-later
// Widest paths between openings, and where they are narrowest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "preprocess/lattice/throats/coarse_fluid.hpp"

namespace tessera::preprocess::lattice {

using OpeningSet = std::vector<int>;  // ids, ascending

// Widest path between two groups of openings at its narrowest.
struct Saddle {
  std::uint32_t cell = 0;
  double width = 0.0;  // nodes, radius of the largest ball there
  OpeningSet one, other;
};

// Fluid cells by falling distance to the wall, in a junction or a bulge first.
std::vector<std::uint32_t> cellsByWidth(const CoarseFluid& coarse);

// One for each two groups that a cell joins, in the order of falling width: Kruskal's algorithm
// over the cells by falling distance to the wall, so the paths are the widest there are.
std::vector<Saddle> saddlesOf(const CoarseFluid& coarse, std::span<const std::uint32_t> byWidth);

// Adds pairs of groups of openings that lie in one part of the fluid and that no saddle joins, with
// a width of 0: the path is narrower than the cells, such as a slit at the rim of a sheet.
void addNarrow(std::span<const geometry::Opening> openings, std::vector<Saddle>& saddles);

// Widest path between the two groups of a saddle that avoids the blocked cells, at its narrowest;
// nullopt: there is none.
std::optional<Saddle> widestDetour(const CoarseFluid& coarse,
                                   std::span<const std::uint32_t> byWidth,
                                   const std::vector<char>& isBlocked, const Saddle& between);

}  // namespace tessera::preprocess::lattice
