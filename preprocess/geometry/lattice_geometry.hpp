// SPDX-License-Identifier: GPL-3.0-or-later
// Result of preprocess: the fluid nodes, their links to walls and openings, and the surface. The
// solver's boundary conditions, forces, flow rates and wall shear all come from here; no condition
// is in it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/frame.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/geometry/patch.hpp"

namespace tessera::preprocess::geometry {

// --- compact numbers -------------------------------------------------------------------------
// Wall distance q in (0, 1] along a link, in parts of the link: stored v means (v + 1) / 65536.
constexpr double distanceFromCode(std::uint16_t code) {
  return (code + 1.0) / 65536.0;
}
inline std::uint16_t codeFromDistance(double q) {
  const double scaled = std::round(q * 65536.0) - 1.0;
  return static_cast<std::uint16_t>(scaled < 0.0 ? 0.0 : (scaled > 65535.0 ? 65535.0 : scaled));
}
// Unit normal by octahedral mapping, 16 bits each for two components (error below 1e-4 rad).
// {0, 0, 0} has no code: callers give a direction.
std::uint32_t codeFromNormal(const Double3& normal);
Double3 normalFromCode(std::uint32_t code);

// --- links -----------------------------------------------------------------------------------
// Every fluid node with at least one of its 26 links leaving the fluid (to a solid node or out of
// the box on an axis that is not periodic), in row-major order of nodes (x fastest, then y, z).
struct BoundaryNodes {
  std::vector<std::uint64_t> node;  // x + nx * (y + ny * z)
  std::vector<std::uint32_t> mask;  // link mask, bit n: direction n leaves the fluid
  // codeFromNormal: out of the fluid, lattice axes. That of the wall triangle nearest to the node
  // (where all links end on openings, of the nearest of those; for images, along the sum of the
  // links to walls).
  std::vector<std::uint32_t> normal;
  // The links of all nodes one after the other, within a node by ascending direction: node k's
  // begin at the sum of popcount(mask) of the nodes before it.
  std::vector<std::uint16_t> distance;  // codeFromDistance
  std::vector<Patch> patch;
};

// --- surface ---------------------------------------------------------------------------------
// The welded, oriented, closed triangles (caps included), in lattice coordinates (nodes). The
// normal of a counter-clockwise triangle points out of the fluid. Empty for images.
struct Surface {
  std::vector<Float3> vertex;
  std::vector<std::array<std::uint32_t, 3>> triangle;
  std::vector<Patch> label;  // one a triangle
};

struct LatticeGeometry {
  int dimensions = 3;  // 2: one node thick on z, periodic there
  Frame frame;
  std::array<bool, 3> periodic{false, false, false};
  BitLattice fluid;
  BoundaryNodes boundary;
  Surface surface;
  std::vector<Opening> openings;
  std::vector<std::string> wallNames{"wall"};  // by wall label
};

}  // namespace tessera::preprocess::geometry
