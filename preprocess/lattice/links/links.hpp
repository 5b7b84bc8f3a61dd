// SPDX-License-Identifier: GPL-3.0-or-later
// Links that leave the fluid: patch, distance and wall normal.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

struct FoundLinks {
  geometry::BoundaryNodes boundary;
  std::uint64_t wallLinks = 0;
  std::uint64_t openingLinks = 0;
  // Links without a crossing owing to rounding: they get the patch of the nearest triangle and the
  // distance to its plane.
  std::uint64_t uncrossedLinks = 0;
  // Wall links between two fluid nodes, counted at both ends: a sheet, a solid thinner than the
  // link or two vessels that nearly touch.
  std::uint64_t cutLinks = 0;
};

// surface: the mesh that was voxelised, in lattice coordinates. A link's patch is that of the first
// triangle where it leaves the surface, its distance the exact one along the link. A node's normal
// is that of the nearest triangle, found by descent from the triangles that its links cross. A link
// between two fluid nodes that leaves the surface and enters it again is a wall link at both ends.
// deeper: nodes whose winding number is above 1, 2, ..., where parts overlap. sheets: walls with
// fluid on both sides, in lattice coordinates; a link that crosses one is a wall link at both ends,
// and the node's normal faces the side away from the node. Independent of the number of threads.
FoundLinks findLinks(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                     const geometry::TriangleMesh& surface,
                     std::span<const geometry::BitLattice> deeper = {},
                     const geometry::TriangleMesh& sheets = {});

// Removes the boundary nodes that are no longer fluid, with their links.
void dropSolid(const geometry::BitLattice& fluid, geometry::BoundaryNodes& boundary);

// Side of the box that is a wall with its own label.
struct WallFace {
  int axis = 0;
  bool high = false;
  geometry::Patch label = 0;
};

// Links without a surface (images): distance 0.5, patch wall 0, or the opening or wall where the
// link leaves the box (openings before walls, each in the order listed); normal along the sum of
// the leaving directions. wallAt: label of the wall at a solid node in the box, called in parallel;
// empty: 0.
FoundLinks findImageLinks(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const BoxFace> openings, std::span<const WallFace> walls = {},
                          const std::function<geometry::Patch(const Int3&)>& wallAt = {});

// Common parts of the two link finders (surface_links.cpp, image_links.cpp).

// Sum of the steps of a mask's directions; the first step if the sum is zero (a node between two
// walls).
Double3 sumOfSteps(std::uint32_t mask);

// Concatenates the layers' nodes and links in parallel.
FoundLinks joined(const std::vector<FoundLinks>& parts);

}  // namespace tessera::preprocess::lattice
