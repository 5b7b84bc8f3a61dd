// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of the fluid (26 neighbours): keeps those that flow can reach.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

// A face of the box that is an opening: the low or high end of an axis.
struct BoxFace {
  int axis = 0;
  bool high = false;
  int openingId = 1;  // from 1
};

struct ComponentCount {
  std::uint64_t components = 0;    // found
  std::uint64_t kept = 0;          // of them
  std::uint64_t keptNodes = 0;     // non-solid nodes left
  std::uint64_t droppedNodes = 0;  // non-solid nodes made solid
  bool largestKept = false;        // no seed lay in the fluid: the largest was kept
};

// Fluid nodes beside the openings of a surface in lattice coordinates: x + nx * (y + ny * z).
std::vector<std::uint64_t> nodesAtOpenings(const BitLattice& fluid, const TriangleMesh& surface);
// Fluid nodes on faces of the box.
std::vector<std::uint64_t> nodesAtFaces(const BitLattice& fluid, std::span<const BoxFace> faces);

// Makes solid what is not connected to any seed node (to the largest part where no seed is fluid;
// ties: the part that holds the first node). Neighbours wrap around on periodic axes.
ComponentCount keepConnected(BitLattice& fluid, const std::array<bool, 3>& periodic,
                             std::span<const std::uint64_t> seeds);
// What that would keep and drop.
ComponentCount countConnected(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                              std::span<const std::uint64_t> seeds);

}  // namespace tessera
