// SPDX-License-Identifier: GPL-3.0-or-later
// How a bed of spheres and a river bed (Suffa et al. 2024, Figures 12 and 14) divide among ranks:
// by equal blocks of the box, as block-structured codes do, by equal numbers of tiles along the
// curve, and by cost.
#pragma once

#include <string>
#include <vector>

#include "solver/tiles/partition.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::scaling {

using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

struct Bed {
  std::string name;
  TilesFile tiles;
};
// Both in cubes of side^3 nodes with the paper's porosity; its diameter is 0.041 sides.
std::vector<Bed> beds(int side, double diameter);

// Blocks along each axis; a rank without tiles costs nothing.
Partition equalBlocks(const TiledGeometry& geometry, int blocks);

// CSV among blocks^3 ranks: largest over mean of fluid nodes and of cost (D3Q19, f64).
std::string bedTable(const std::vector<Bed>& beds, int blocks);

}  // namespace tessera::scaling
