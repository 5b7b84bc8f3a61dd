// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/plan.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/count_offsets.hpp"

namespace tessera::preprocess::plan {
namespace {

// Fitted to the peak memory of runs from 1,500 to 10^6 triangles and 6 * 10^3 to 2 * 10^8 nodes.
constexpr double preprocessBytes = stage::programBytes + 6e6;
// Copies of links in memory: by layer, with spare capacity, then joined.
constexpr double copiesOfSurfaceLinks = 2.75, copiesOfImageLinks = 2.25;

// Three significant digits: "3.21 MB".
std::string sizeText(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  int u = 0;
  for (; bytes >= 999.5 && u < 4; ++u) bytes /= 1000.0;
  return stage::number(bytes, 3) + " " + units[u];
}

// Nodes along the wall that one shares its excess of mass with, itself included, on average.
constexpr double nearsIn2D = 3.0, nearsIn3D = 9.0;

constexpr double sectionsBytes = 5000.0;  // of a file with its meta data and provenance

// Bits of the lattice, in blocks of 2 kB, and the directory of all blocks of the box.
double bitBytes(const LatticeCounts& n) {
  constexpr double blockBytes = 8.0 * geometry::BitLattice::blockWords;
  return blockBytes * n.blocks + 4.0 * n.box() / (8.0 * blockBytes);
}

// Links and boundary nodes in memory, and in geom.vdb.
double boundaryBytes(const LatticeCounts& n) {
  return 16.0 * n.boundaryNodes + 4.0 * n.links;
}

}  // namespace

stage::ChainCounts chainCounts(const LatticeCounts& counts) {
  const Int3 tile = lattice::tileSizeFor(counts.dimensions);
  stage::ChainCounts chain;
  chain.dimensions = counts.dimensions;
  chain.fluidNodes = counts.fluidNodes;
  chain.boundaryNodes = counts.boundaryNodes;
  chain.links = counts.links;
  chain.tiles = counts.tiles;
  chain.positions = 1.0;
  for (std::size_t a = 0; a < 3; ++a) chain.positions *= std::ceil(counts.nodes[a] / tile[a]);
  chain.triangles = counts.triangles;
  chain.vertices = counts.vertices;
  return chain;
}

stage::StateCounts stateCounts(const LatticeCounts& counts) {
  const bool flat = counts.dimensions == 2;
  stage::StateCounts state;
  state.velocities = flat ? 9.0 : 19.0;
  state.tiles = counts.tiles;
  state.maskedTiles = counts.tiles - counts.fullTiles;
  state.openingLinks = counts.openingLinks;
  state.copies = counts.copies;
  state.slots = counts.tiles + counts.ghostTiles;
  state.forceNodes = counts.boundaryNodes;
  if (!counts.betweenNodes) return state;
  state.wallLinks = std::max(0.0, counts.leavingLinks - counts.openingLinks);
  state.wallNumbers = 1.0;
  state.wallFars = state.wallLinks;
  state.wallNodes = counts.leavingNodes;
  state.wallNears = (flat ? nearsIn2D : nearsIn3D) * counts.leavingNodes;
  return state;
}

// Node types take two bits a node of a block. A leaf of the grid for other programs is its masks,
// compressed; measured on vessels of 168 to 7,976 leaves.
double latticeFileBytes(const LatticeCounts& n) {
  constexpr double others = 12000.0;
  const double planes = std::min(n.nodes[2], double{geometry::BitLattice::blockPlanes});
  const double blockBytes = 16.0 * geometry::BitLattice::blockRows * planes + 8.0;
  constexpr double leafBytes = 212.0;
  return others + boundaryBytes(n) + 12.0 * n.vertices + 14.0 * n.triangles +
         blockBytes * n.blocks + leafBytes * n.leaves;
}

double surfaceMemory(const LatticeCounts& n) {
  // Welding sorts at most 256 MB of corners at a time.
  const double repairing = std::min(110.0 * n.triangles, 55.0 * n.triangles + 3e8);
  const double mesh = 26.0 * n.triangles + 24.0 * n.vertices;
  return preprocessBytes +
         std::max(repairing, mesh + bitBytes(n) + copiesOfSurfaceLinks * boundaryBytes(n));
}

double mostSurfaceMemory(const Double3& nodes, double area, std::size_t triangles,
                         std::size_t vertices) {
  constexpr double nodesOnArea = 4.0;  // boundary nodes lie within sqrt(3) spacings of the surface
  constexpr double fewNodes = 1000.0, allLinks = 26.0;
  using geometry::BitLattice;
  LatticeCounts n;
  n.nodes = nodes;
  n.triangles = static_cast<double>(triangles);
  n.vertices = static_cast<double>(vertices);
  n.boundaryNodes = std::min(nodesOnArea * area + fewNodes, n.box());
  n.links = allLinks * n.boundaryNodes;
  n.blocks = std::ceil(nodes[0] / BitLattice::blockNodes) *
             std::ceil(nodes[1] / BitLattice::blockRows) *
             std::ceil(nodes[2] / BitLattice::blockPlanes);
  return surfaceMemory(n);
}

double imageMemory(const LatticeCounts& n, double voxels) {
  return preprocessBytes + 2.0 * voxels / 8.0 + bitBytes(n) + copiesOfImageLinks * boundaryBytes(n);
}

double surfaceSeconds(const LatticeCounts& n) {
  return 6e-7 * n.triangles + 6e-9 * n.fluidNodes + 8e-7 * n.boundaryNodes;
}

double imageSeconds(const LatticeCounts& n, double voxels) {
  return 4e-8 * (n.box() + voxels);
}

std::string planText(const LatticeCounts& n, double spacing, const PlanCost& cost) {
  const char* about = n.exact ? "" : "about ";
  const stage::ChainCounts chain = chainCounts(n);
  const stage::StateCounts state = stateCounts(n);
  const Int3 tile = lattice::tileSizeFor(n.dimensions);
  std::string text = fmt::format(
      "box          {:.0f} x {:.0f} x {:.0f} nodes of {}, {:.0f} in all\n", n.nodes[0], n.nodes[1],
      n.nodes[2], stage::formatQuantity(spacing, stage::Dimension::Length), n.box());
  text += fmt::format("non-solid    {}{:.0f} nodes, {:.1f} % of the box\n", about, n.fluidNodes,
                      100.0 * n.fluidNodes / n.box());
  text += fmt::format("boundary     {}{:.0f} nodes with {:.0f} links\n", about, n.boundaryNodes,
                      n.links);
  text += fmt::format(
      "tiles        {}{:.0f} of {}x{}x{} nodes, utilisation {:.3f}; {:.0f} ghost tiles\n", about,
      n.tiles, tile[0], tile[1], tile[2], n.fluidNodes / (64.0 * n.tiles), n.ghostTiles);
  text += fmt::format("files        geom.vdb about {}, geom.tiles about {}\n",
                      sizeText(latticeFileBytes(n)),
                      sizeText(sectionsBytes + stage::tilesFileBytes(chain)));
  text += fmt::format("memory       preprocess about {}, tiler {}; {} are available\n",
                      sizeText(cost.memory), sizeText(stage::tilerBytes(chain)),
                      sizeText(static_cast<double>(stage::availableMemory())));
  text += fmt::format(
      "solver       about {} (f64) or {} (f32); half of that in host memory for checkpoints; on a "
      "CPU "
      "{} more\n",
      sizeText(stage::stateBytes(state, 8.0)), sizeText(stage::stateBytes(state, 4.0)),
      sizeText(stage::solverHostBytes(chain, state)));
  text += fmt::format("time         preprocess about {:.2g} s, tiler {:.2g} s on two cores\n",
                      cost.seconds, std::max(0.1, stage::tilerSeconds(chain)));
  return text + "plan         nothing was written\n";
}

}  // namespace tessera::preprocess::plan
