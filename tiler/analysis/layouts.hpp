// SPDX-License-Identifier: GPL-3.0-or-later
// Where the nodes of a 4 x 4 x 4 tile lie in a block of 64 values, and which population uses which
// layout: section 3.2 of Tomczak & Szafran, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445. A
// new layout is one function and one row of the table, a new assignment one row.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tessera::tiler::analysis {

struct TileLayout {
  int id;  // what files record; never given to another layout
  const char* name;
  int (*place)(int x, int y, int z);  // 0..63 for a node of the tile, each once
};

// Index = id.
std::span<const TileLayout> tileLayouts();

// Layout ids by the direction a population moves along (numbered as the links, directionStep()).
struct LayoutAssignment {
  int id;  // what files record
  const char* name;
  std::array<std::uint8_t, 27> layoutOf;
};

// Index = id. The four of the paper's Table 5: XYZ alone, with one of the others, and all three.
std::span<const LayoutAssignment> layoutAssignments();

// Directions of a lattice with 9, 19 or 27 populations, at rest included, ascending.
std::span<const int> populationDirections(int populations);

}  // namespace tessera::tiler::analysis
