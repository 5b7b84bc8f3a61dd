// SPDX-License-Identifier: GPL-3.0-or-later
// The geometries of Tomczak & Szafran 2017 from our sample generator, made without files and
// without meshes; closed on all sides.
#pragma once

#include "preprocess/sample/vessels.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::paper {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;
using namespace tessera::tiler::file;

struct VesselLattice {
  BitLattice fluid;
  Double3 low{};         // place of node 0, m
  double spacing = 0.0;  // m
};
// Nodes where the vessel's field is negative, between its ends, so many on the longest side of the
// vessel's box.
VesselLattice voxelised(const Vessel& vessel, int longest);
// Where the vessel was cut off.
bool beyondAnEnd(const Vessel& vessel, const Double3& place);

// Overlapping spheres in a cube, periodic as a pack, walls at its sides.
TilesFile spherePack(int side, double diameter, double porosity);
TilesFile aneurysmTiles(int longest);
TilesFile aortaTiles(int longest);

// Common faces and edges per tile of a box of tiles, section 4.4.
struct Neighbourhood {
  double faces, edges;
};
Neighbourhood neighbourhoodOf(const std::array<std::int32_t, 3>& grid);

}  // namespace tessera::paper
