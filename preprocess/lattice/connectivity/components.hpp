// SPDX-License-Identifier: GPL-3.0-or-later
// Connected components of the fluid, their openings, and percolation between openings and around
// the periodic axes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::lattice {

// Side of the box that is an opening: the low or high end of an axis.
struct BoxFace {
  int axis = 0;
  bool high = false;
  int openingId = 1;  // from 1
};

struct ComponentCount {
  std::uint64_t components = 0;      // total
  std::uint64_t kept = 0;            // of these
  std::uint64_t keptNodes = 0;       // remaining fluid nodes
  std::uint64_t droppedNodes = 0;    // fluid nodes made solid
  bool largestKept = false;          // no seed was fluid: the largest component was kept
  std::uint64_t largestDropped = 0;  // nodes of the largest dropped component
  Double3 droppedCentre{};           // mean of its nodes, lattice coordinates
};

struct FluidPart {
  std::uint64_t nodes = 0;
  std::vector<std::uint32_t> openings;  // touched, counted from 0, ascending
  // By periodic axis: a closed path within the part winds around it.
  std::array<bool, 3> wraps{false, false, false};
  Double3 centre{};  // mean of its nodes, lattice coordinates
};

// A fluid node with links to other fluid nodes that are walls (FoundLinks::cutLinks).
struct CutNode {
  std::uint64_t node = 0;   // x + nx * (y + ny * z)
  std::uint32_t links = 0;  // the cut ones, by direction
};
// The cut nodes among a lattice's boundary nodes, in their order.
std::vector<CutNode> cutNodesOf(const geometry::BitLattice& fluid,
                                const std::array<bool, 3>& periodic,
                                const geometry::BoundaryNodes& boundary);

// Connected components ordered by their first nodes (those of cut nodes alone last). cuts: links
// that do not connect. touching: for each opening the adjacent fluid
// nodes, x + nx * (y + ny * z). Throws StageError(NoResource) for 2^32 or more runs of fluid nodes
// along x, as the functions below.
std::vector<FluidPart> partsOf(const geometry::BitLattice& fluid,
                               const std::array<bool, 3>& periodic,
                               std::span<const std::vector<std::uint64_t>> touching,
                               geometry::Neighbours neighbours = geometry::Neighbours::TwentySix,
                               std::span<const CutNode> cuts = {});
// By axis: whether some part wraps around it.
std::array<bool, 3> wrapsOf(std::span<const FluidPart> parts);
// Nodes of the parts that touch two openings or more (one if there is only one); without openings,
// of the parts that wrap around a periodic axis.
std::uint64_t effectiveNodes(std::span<const FluidPart> parts, std::size_t openings);
// Nodes of the parts that touch no opening; without openings, of those that do not wrap.
std::uint64_t deadNodes(std::span<const FluidPart> parts, std::size_t openings);

// Fluid nodes next to the openings of a surface in lattice coordinates: x + nx * (y + ny * z).
std::vector<std::uint64_t> nodesAtOpenings(const geometry::BitLattice& fluid,
                                           const geometry::TriangleMesh& surface);
// Fluid nodes at each of the geometry's openings, by the links that end on it.
std::vector<std::vector<std::uint64_t>> nodesByLink(const geometry::LatticeGeometry& geometry);
// Fluid nodes on sides of the box.
std::vector<std::uint64_t> nodesAtFaces(const geometry::BitLattice& fluid,
                                        std::span<const BoxFace> faces);

// Makes all nodes solid that are not connected to a seed node (without fluid seeds: to the largest
// part; ties: the part with the first node). Connectivity 26, periodic. cuts: links that do not
// connect.
ComponentCount keepConnected(geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                             std::span<const std::uint64_t> seeds,
                             std::span<const CutNode> cuts = {});
// Counts of keepConnected() without changing the lattice.
ComponentCount countConnected(const geometry::BitLattice& fluid,
                              const std::array<bool, 3>& periodic,
                              std::span<const std::uint64_t> seeds,
                              std::span<const CutNode> cuts = {});

}  // namespace tessera::preprocess::lattice
