// SPDX-License-Identifier: GPL-3.0-or-later
// Result of preprocess: fluid nodes, their links to walls and openings, and the surface. Contains
// no boundary conditions; the solver's conditions, forces, flow rates and wall shear derive from
// it.
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
// Unit normal in octahedral encoding (Cigolle et al., "A survey of efficient representations for
// independent unit vectors", JCGT 3(2), 2014), 16 bits per component (error below 1e-4 rad). The
// normal must not be {0, 0, 0}.
std::uint32_t codeFromNormal(const Double3& normal);
Double3 normalFromCode(std::uint32_t code);

// --- links -----------------------------------------------------------------------------------
// Every fluid node with at least one of its 26 links leaving the fluid (to a solid node or out of
// the box on an axis that is not periodic), in row-major order of nodes (x fastest, then y, z).
struct BoundaryNodes {
  std::vector<std::uint64_t> node;  // x + nx * (y + ny * z)
  std::vector<std::uint32_t> mask;  // link mask, bit n: direction n leaves the fluid
  // codeFromNormal: out of the fluid, lattice axes; of the wall triangle nearest to the node (the
  // nearest opening triangle if all links end on openings; for images, along the sum of the links
  // to walls).
  std::vector<std::uint32_t> normal;
  // Links of all nodes consecutively, within a node by ascending direction: those of node k begin
  // at the sum of popcount(mask) of the nodes before it.
  std::vector<std::uint16_t> distance;  // codeFromDistance
  std::vector<Patch> patch;
};

// Links that end on walls, not on openings; one between two fluid nodes counts at both.
std::uint64_t countWallLinks(const BoundaryNodes& boundary);

// --- surface ---------------------------------------------------------------------------------
// The welded, oriented, closed triangles (caps included), in lattice coordinates (nodes). The
// normal of a counter-clockwise triangle points out of the fluid. Empty for images. Sheets, open
// and with fluid on both sides, follow the closed surface.
struct Surface {
  std::vector<Float3> vertex;
  std::vector<std::array<std::uint32_t, 3>> triangle;
  std::vector<Patch> label;          // per triangle
  std::uint64_t sheetTriangles = 0;  // the last ones
};

struct LatticeGeometry {
  int dimensions = 3;  // 2: one node thick on z, periodic there
  Frame frame;
  std::array<bool, 3> periodic{false, false, false};
  BitLattice fluid;
  BoundaryNodes boundary;
  std::uint64_t cutLinks = 0;  // links between two fluid nodes that a wall crosses
  Surface surface;
  std::vector<Opening> openings;
  std::vector<Throat> throats;                 // by ascending area
  std::string throatsNotSearched;              // the reason why some or all are missing, or empty
  std::vector<std::string> wallNames{"wall"};  // by wall label
};

// Consistency checks on a geometry read from geom.vdb.

// First inconsistency, or empty. Checked: boundary nodes are fluid and ascend, arrays have the
// lengths that the masks require, patches, labels and triangle indices exist.
std::string defectOf(const LatticeGeometry& geometry);

}  // namespace tessera::preprocess::geometry
