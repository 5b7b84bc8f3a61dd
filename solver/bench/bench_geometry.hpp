// SPDX-License-Identifier: GPL-3.0-or-later
// Geometries for measurements, for machines where files do not travel: named by a word of a kind
// and a size, made in parallel, closed on all sides.
//   dense:256           a box of 256^3 nodes
//   channel:4x4x62500   a box of any sides
//   porous:352          overlapping spheres, porosity 0.63, in 352^3 nodes
//   spheres:352         overlapping spheres, porosity 0.30, tile utilisation 0.72 at 352^3 nodes
//   vessel:730          a bent tube that fills a fifth of its box, 730 nodes long
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
  Int3 size{};  // of a kind with one number that number three times
};

// What the word says; nothing where it is not "letters:something", such as the path of a file.
// Throws StageError(Usage), which names the known ones, for an unknown kind or a size that is none.
std::optional<BuiltIn> builtInNamed(const std::string& word);

preprocess::geometry::LatticeGeometry builtInLattice(const BuiltIn& what);
// In tiles of one mesh from the first node on.
tiler::file::TilesFile builtInTiles(const BuiltIn& what);

// Fluid nodes and their links, all of which end halfway on one wall; spacing 0.1 mm.
preprocess::geometry::LatticeGeometry closedLattice(preprocess::geometry::BitLattice fluid);
tiler::file::TilesFile inOneMesh(preprocess::geometry::LatticeGeometry lattice);

struct Ball {
  Double3 centre{};  // in nodes
  double radius = 0.0;
};
// All nodes but those within a ball.
preprocess::geometry::BitLattice outsideBalls(const Int3& nodes, const std::vector<Ball>& balls);

}  // namespace tessera::solver::bench
