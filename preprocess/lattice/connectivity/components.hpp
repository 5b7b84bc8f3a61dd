// SPDX-License-Identifier: GPL-3.0-or-later
// Connected components of the fluid: those that flow can reach, and whether there is a way through
// from opening to opening and around the periodic axes (percolation).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::lattice {

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

struct FluidPart {
  std::uint64_t nodes = 0;
  std::vector<std::uint32_t> openings;  // that it touches, counted from 0, ascending
  // By periodic axis: a closed way through the part goes around it.
  std::array<bool, 3> wraps{false, false, false};
};

// The connected components by their first nodes. touching: for each opening the fluid nodes at it,
// x + nx * (y + ny * z). Throws StageError(NoResource) for 2^32 or more runs of fluid nodes along
// x, as the functions below.
std::vector<FluidPart> partsOf(const geometry::BitLattice& fluid,
                               const std::array<bool, 3>& periodic,
                               std::span<const std::vector<std::uint64_t>> touching,
                               geometry::Neighbours neighbours = geometry::Neighbours::TwentySix);
// By axis: some part wraps around it.
std::array<bool, 3> wrapsOf(std::span<const FluidPart> parts);
// Nodes of the parts that touch two openings or more (one where there is but one); without
// openings, of the parts that wrap around a periodic axis.
std::uint64_t effectiveNodes(std::span<const FluidPart> parts, std::size_t openings);
// Nodes of the parts that touch none; without openings, of those that do not wrap.
std::uint64_t deadNodes(std::span<const FluidPart> parts, std::size_t openings);

// Fluid nodes next to the openings of a surface in lattice coordinates: x + nx * (y + ny * z).
std::vector<std::uint64_t> nodesAtOpenings(const geometry::BitLattice& fluid,
                                           const geometry::TriangleMesh& surface);
// Fluid nodes on faces of the box.
std::vector<std::uint64_t> nodesAtFaces(const geometry::BitLattice& fluid,
                                        std::span<const BoxFace> faces);

// Makes nodes solid that are not connected to any seed node (to the largest part where no seed is
// fluid; ties: the part that holds the first node). Connected across faces, edges and corners, on
// periodic axes around the box.
ComponentCount keepConnected(geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                             std::span<const std::uint64_t> seeds);
// Counts of keepConnected(), which changes nothing.
ComponentCount countConnected(const geometry::BitLattice& fluid,
                              const std::array<bool, 3>& periodic,
                              std::span<const std::uint64_t> seeds);

}  // namespace tessera::preprocess::lattice
