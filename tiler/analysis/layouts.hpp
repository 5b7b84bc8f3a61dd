// SPDX-License-Identifier: GPL-3.0-or-later
// Position of a node's value in the block of 64 values of a 4 x 4 x 4 tile, and the layout of each
// population: section 3.2 of Tomczak & Szafran, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445.
// A new layout is one function and one table entry, a new assignment one table entry.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tessera::tiler::analysis {

struct TileLayout {
  int id;  // recorded in files, never reused
  const char* name;
  int (*place)(int x, int y, int z);  // a permutation of 0..63
};

// Index = id.
std::span<const TileLayout> tileLayouts();

// Layout ids by direction of the population (numbered as links, directionStep()).
struct LayoutAssignment {
  int id;  // recorded in files
  const char* name;
  std::array<std::uint8_t, 27> layoutOf;
};

// Index = id. The four of the paper's Table 5: XYZ alone, with one other, and all three.
std::span<const LayoutAssignment> layoutAssignments();

// Directions of a lattice with 9, 19 or 27 populations, at rest included, ascending.
std::span<const int> populationDirections(int populations);

}  // namespace tessera::tiler::analysis
