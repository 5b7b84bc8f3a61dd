// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in geometries for measurements, closed on all sides and generated in parallel, named
// KIND:SIZE:
//   dense:256           box of 256^3 nodes
//   channel:4x4x62500   box of any sides
//   porous:352          overlapping spheres, porosity 0.63, in 352^3 nodes
//   spheres:352         overlapping spheres, porosity 0.30, tile utilisation 0.72 at 352^3 nodes
//   pack:256x40         overlapping spheres that leave a porosity of 40 % of 256^3 nodes
//   vessel:730          bent tube that fills a fifth of its box, 730 nodes long
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::bench {

struct BuiltIn {
  std::string kind;
  // Kinds with one number: that number three times; pack: nodes on a side, porosity in percent, 0.
  Int3 size{};
};

// Parses KIND:SIZE; nullopt for other words such as paths. Throws StageError(Usage) with the known
// kinds for an unknown kind or size.
std::optional<BuiltIn> builtInNamed(const std::string& word);

preprocess::geometry::LatticeGeometry builtInLattice(const BuiltIn& what);
// Tiles by the aligned tiling at offset 0.
tiler::file::TilesFile builtInTiles(const BuiltIn& what);

// Fluid nodes and their links, all ending halfway on one wall; spacing 0.1 mm.
preprocess::geometry::LatticeGeometry closedLattice(preprocess::geometry::BitLattice fluid);
tiler::file::TilesFile alignedTiles(preprocess::geometry::LatticeGeometry lattice);

struct Ball {
  Double3 centre{};  // in nodes
  double radius = 0.0;
};
// All nodes outside the balls.
preprocess::geometry::BitLattice outsideBalls(const Int3& nodes, const std::vector<Ball>& balls);

}  // namespace tessera::solver::bench
