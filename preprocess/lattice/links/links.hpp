// SPDX-License-Identifier: GPL-3.0-or-later
// Links that leave the fluid: what they end on, how far away it is, and the wall's normal.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

struct FoundLinks {
  geometry::BoundaryNodes boundary;
  std::uint64_t wallLinks = 0;
  std::uint64_t openingLinks = 0;
  // Links that by rounding cross no triangle: given the patch of the nearest one and the distance
  // to its plane.
  std::uint64_t uncrossedLinks = 0;
};

// surface: the mesh that fluid was voxelised from, in lattice coordinates. A link's patch is that
// of the first triangle where it leaves the surface, its distance the exact one along the link. A
// node's normal is that of the triangle nearest to it, found downhill from where its links end.
// Same result for any number of threads.
FoundLinks findLinks(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                     const geometry::TriangleMesh& surface);

// A face of the box that is a wall with a label of its own.
struct WallFace {
  int axis = 0;
  bool high = false;
  geometry::Patch label = 0;
};

// Without a surface (images): distance 0.5, patch wall 0, or the opening or wall where the link
// leaves the box through one of the faces (openings before walls, and of each the first listed,
// where it leaves through several); normal along the sum of the leaving directions.
FoundLinks findImageLinks(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const BoxFace> openings, std::span<const WallFace> walls = {});

}  // namespace tessera::preprocess::lattice
