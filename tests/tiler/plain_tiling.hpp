// SPDX-License-Identifier: GPL-3.0-or-later
// Slow, obviously right counterparts of the tiler, and lattices to compare on.
#pragma once

#include <cstdint>
#include <random>
#include <set>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::plain {

using namespace tessera::preprocess::geometry;

// Random bits with a share of `fill`, in blobs of the given edge so that whole tiles occur.
inline BitLattice randomLattice(const Int3& size, double fill, int blob, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution fluid(fill);
  const Int3 blobs{size[0] / blob + 1, size[1] / blob + 1, size[2] / blob + 1};
  BitLattice coarse(blobs);
  for (int z = 0; z < blobs[2]; ++z)
    for (int y = 0; y < blobs[1]; ++y)
      for (int x = 0; x < blobs[0]; ++x)
        if (fluid(random)) coarse.set(x, y, z);
  BitLattice lattice(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (coarse.at(x / blob, y / blob, z / blob)) lattice.set(x, y, z);
  return lattice;
}

// Every node of an all-fluid box.
inline BitLattice fullLattice(const Int3& size) {
  return randomLattice(size, 1.0, 1, 0);
}

// Algorithm 1 at one offset.
inline std::uint64_t countTiles(const BitLattice& fluid, const Int3& tile, const Int3& offset) {
  std::set<Int3> found;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x)
        if (fluid.at(x, y, z))
          found.insert(
              {(x + offset[0]) / tile[0], (y + offset[1]) / tile[1], (z + offset[2]) / tile[2]});
  return found.size();
}

// Whether the node that direction n leads to is fluid.
inline bool neighbourIsFluid(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                             Int3 node, int n) {
  const Int3 step = directionStep(n);
  for (std::size_t a = 0; a < 3; ++a) {
    node[a] += step[a];
    if (periodic[a]) node[a] = (node[a] + fluid.size[a]) % fluid.size[a];
  }
  return fluid.inside(node[0], node[1], node[2]) && fluid.at(node[0], node[1], node[2]);
}

inline std::uint32_t linkMask(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                              const Int3& node) {
  std::uint32_t mask = 0;
  for (int n = 0; n < 27; ++n)
    if (n != restDirection && !neighbourIsFluid(fluid, periodic, node, n)) mask |= 1U << n;
  return mask;
}

// A geometry with recognisable links: distances, normals and patches are drawn at random. Links
// that leave the box at x- end on opening 1.
inline LatticeGeometry geometryOf(BitLattice fluid, const std::array<bool, 3>& periodic,
                                  int dimensions = 3) {
  LatticeGeometry geometry;
  geometry.dimensions = dimensions;
  geometry.periodic = periodic;
  geometry.frame = {2.5e-4, {0.1, -0.2, 0.3}, {{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}}, "RAS"};
  geometry.openings = {{1, "inlet", {0.1, 0.2, 0.3}, {-1, 0, 0}, 3.0e-6, 9.8e-4}};
  geometry.wallNames = {"wall", "stent"};
  std::mt19937 random(7);
  std::uint64_t index = 0;
  BoundaryNodes& boundary = geometry.boundary;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x, ++index) {
        if (!fluid.at(x, y, z)) continue;
        const std::uint32_t mask = linkMask(fluid, periodic, {x, y, z});
        if (mask == 0) continue;
        boundary.node.push_back(index);
        boundary.mask.push_back(mask);
        boundary.normal.push_back(static_cast<std::uint32_t>(random()));
        for (int n = 0; n < 27; ++n) {
          if (((mask >> n) & 1U) == 0) continue;
          boundary.distance.push_back(static_cast<std::uint16_t>(random()));
          const bool opening = x == 0 && directionStep(n)[0] < 0;
          boundary.patch.push_back(opening ? openingPatch(1) : static_cast<Patch>(random() % 2));
        }
      }
  geometry.surface = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5F}},
                      {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
                      {0, 1, 0, openingPatch(1)}};
  geometry.fluid = std::move(fluid);
  return geometry;
}

}  // namespace tessera::plain
