// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "preprocess/lattice/count_offsets.hpp"

namespace tessera::preprocess::plan {
namespace {

// Fitted to the peak memory of runs from 1,500 to 10^6 triangles and 6 * 10^3 to 2 * 10^8 nodes.
constexpr double preprocessBytes = stage::programBytes + 6e6;
// Links by layer, with room to grow, then all as one.
constexpr double copiesOfSurfaceLinks = 2.75, copiesOfImageLinks = 2.25;

template <class... Values>
std::string line(const char* pattern, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, values...);
  return std::string(text) + "\n";
}

// Three digits: "3.21 MB".
std::string sizeText(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  int u = 0;
  for (; bytes >= 999.5 && u < 4; ++u) bytes /= 1000.0;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", bytes, units[u]);
  return text;
}

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
  return state;
}

// The values of a leaf are nearly all equal and take little more than its two masks; measured on
// vessels of 37 to 66,000 leaves.
double latticeFileBytes(const LatticeCounts& n) {
  constexpr double others = 9000.0;
  const double leafBytes = n.dimensions == 2 ? 190.0 : 270.0;
  return others + boundaryBytes(n) + 12.0 * n.vertices + 14.0 * n.triangles + leafBytes * n.leaves;
}

double surfaceMemory(const LatticeCounts& n) {
  const double repairing = 110.0 * n.triangles;
  const double mesh = 26.0 * n.triangles + 24.0 * n.vertices;
  return preprocessBytes +
         std::max(repairing, mesh + bitBytes(n) + copiesOfSurfaceLinks * boundaryBytes(n));
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
  std::string text =
      line("box          %.0f x %.0f x %.0f nodes of %s, %.0f in all", n.nodes[0], n.nodes[1],
           n.nodes[2], stage::formatQuantity(spacing, stage::Dimension::Length).c_str(), n.box());
  text += line("non-solid    %s%.0f nodes, %.1f %% of the box", about, n.fluidNodes,
               100.0 * n.fluidNodes / n.box());
  text += line("boundary     %s%.0f nodes with %.0f links", about, n.boundaryNodes, n.links);
  text += line("tiles        %s%.0f of %dx%dx%d nodes, utilisation %.3f; %.0f ghost tiles", about,
               n.tiles, tile[0], tile[1], tile[2], n.fluidNodes / (64.0 * n.tiles), n.ghostTiles);
  text += line("files        geom.vdb about %s, geom.tiles about %s",
               sizeText(latticeFileBytes(n)).c_str(),
               sizeText(sectionsBytes + stage::tilesFileBytes(chain)).c_str());
  text += line("memory       preprocess about %s, tiler %s; %s are available",
               sizeText(cost.memory).c_str(), sizeText(stage::tilerBytes(chain)).c_str(),
               sizeText(static_cast<double>(stage::availableMemory())).c_str());
  text += line(
      "solver       about %s (f64) or %s (f32); half of that in host memory for checkpoints; "
      "on a CPU %s more",
      sizeText(stage::stateBytes(state, 8.0)).c_str(),
      sizeText(stage::stateBytes(state, 4.0)).c_str(),
      sizeText(stage::solverHostBytes(chain, state)).c_str());
  text += line("time         preprocess about %.2g s, tiler %.2g s on two cores", cost.seconds,
               std::max(0.1, stage::tilerSeconds(chain)));
  return text + "plan         nothing was written\n";
}

}  // namespace tessera::preprocess::plan
