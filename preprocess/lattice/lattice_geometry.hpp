// SPDX-License-Identifier: GPL-3.0-or-later
// What preprocess hands on: which nodes are fluid, and everything the surface said about them. The
// solver's boundary conditions, forces, flow rates and wall shear all come from here; no condition
// is in it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"
#include "preprocess/lattice/frame.hpp"

namespace tessera {

// --- the 26 directions -----------------------------------------------------------------------
// Direction n in 0..26 is the step (n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1); 13 is no step, the
// opposite of n is 26 - n. A link mask has bit n set when link n leaves the fluid (13 never).
constexpr int restDirection = 13;
constexpr Int3 directionStep(int n) {
  return {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
}
constexpr int directionOf(int dx, int dy, int dz) {
  return dx + 1 + 3 * (dy + 1) + 9 * (dz + 1);
}
constexpr int oppositeDirection(int n) {
  return 26 - n;
}

// --- patches ---------------------------------------------------------------------------------
// What a link ends on, and the label of a surface triangle: wall labels count from 0; an opening
// with id k (from 1) is openingBit | k.
using Patch = std::uint16_t;
constexpr Patch openingBit = 0x8000;
constexpr bool isOpening(Patch patch) {
  return (patch & openingBit) != 0;
}
constexpr int openingId(Patch patch) {
  return patch & 0x7fff;
}
constexpr Patch openingPatch(int id) {
  return static_cast<Patch>(openingBit | id);
}

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
  std::vector<std::uint32_t> mask;  // link mask, bit n: direction n leaves
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

// --- openings --------------------------------------------------------------------------------
// Ids count from 1 by descending area; areas within 1 % of each other are ordered by centre z,
// then y, then x (coordinates closer than a thousandth of the radius are alike). In world axes,
// metres.
struct Opening {
  int id = 0;
  std::string name;     // "opening1" unless named
  Double3 centre{};     // m, area centroid of the cap
  Double3 normal{};     // unit, out of the fluid
  double area = 0.0;    // m2; in 2D its width times one spacing
  double radius = 0.0;  // m, of the circle of the same area
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

}  // namespace tessera
