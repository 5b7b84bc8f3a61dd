// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/estimate_counts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "preprocess/lattice/bit_lattice.hpp"
#include "preprocess/plan/mesh_integrals.hpp"
#include "preprocess/plan/tile_excess.hpp"
#include "preprocess/surface/parts.hpp"

namespace tessera {
namespace {

using std::size_t;

bool boxesMeet(const Part& a, const Part& b) {
  for (size_t c = 0; c < 3; ++c)
    if (a.low[c] > b.high[c] || b.low[c] > a.high[c]) return false;
  return true;
}

bool boxHolds(const Part& outer, const Part& inner) {
  for (size_t c = 0; c < 3; ++c)
    if (inner.low[c] < outer.low[c] || inner.high[c] > outer.high[c]) return false;
  return true;
}

// For each part itself, for a cavity the smallest part around it.
std::vector<size_t> holders(const std::vector<Part>& parts) {
  std::vector<size_t> holder(parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    holder[p] = p;
    if (parts[p].volume > 0.0) continue;
    for (size_t q = 0; q < parts.size(); ++q)
      if (parts[q].volume > 0.0 && boxHolds(parts[q], parts[p]) &&
          (holder[p] == p || parts[q].volume < parts[holder[p]].volume))
        holder[p] = q;
  }
  return holder;
}

// Which parts hold fluid that an opening leads to; without openings, the one with the most.
std::vector<bool> reachedParts(const MeshToCount& input, const Parts& parts) {
  const std::vector<size_t> holder = holders(parts.part);
  std::vector<bool> kept(parts.part.size(), false);
  for (size_t t = 0; t < input.mesh.label.size(); ++t)
    if (isOpening(input.mesh.label[t])) kept[holder[parts.ofTriangle[t]]] = true;
  if (std::find(kept.begin(), kept.end(), true) == kept.end()) {
    std::vector<double> volume(parts.part.size(), 0.0);
    for (size_t p = 0; p < holder.size(); ++p) volume[holder[p]] += parts.part[p].volume;
    kept[static_cast<size_t>(std::max_element(volume.begin(), volume.end()) - volume.begin())] =
        true;
  }
  const std::vector<bool> direct = kept;
  for (size_t p = 0; p < kept.size(); ++p)
    for (size_t q = 0; q < kept.size() && input.mayOverlap && !kept[p]; ++q)
      kept[p] = direct[q] && parts.part[p].volume > 0.0 && boxesMeet(parts.part[p], parts.part[q]);
  for (size_t p = 0; p < kept.size(); ++p) kept[p] = kept[holder[p]];
  return kept;
}

struct Kept {
  TriangleMesh mesh;
  double volume = 0.0;  // m3
};

// What --keep connected leaves; absent where that is all. On periodic axes the parts are open and
// join across the ends, so all of them stay.
std::optional<Kept> reachedMesh(const MeshToCount& input) {
  const std::array<bool, 3>& periodic = input.periodic;
  if (input.rough || !input.keepConnected || periodic[0] || periodic[1] || periodic[2])
    return std::nullopt;
  const Parts parts = partsOf(input.mesh);
  if (parts.part.size() < 2) return std::nullopt;
  const std::vector<bool> kept = reachedParts(input, parts);
  if (std::find(kept.begin(), kept.end(), false) == kept.end()) return std::nullopt;
  Kept result{input.mesh, 0.0};
  dropTriangles(result.mesh, [&](size_t t) { return !kept[parts.ofTriangle[t]]; });
  for (size_t p = 0; p < kept.size(); ++p)
    if (kept[p]) result.volume += parts.part[p].volume;
  return result;
}

constexpr double nodesOfTile = 64.0;

// What the best offset saves on each axis cannot be had on all of them at once in narrow channels;
// measured on straight and bent tubes and vessels from 10 to 60 nodes wide.
double savedShare(double meanWidth) {
  constexpr double wide = 24.0;
  return std::min(1.0, meanWidth / wide);
}

// excess: at the best offset of each axis. It takes the place of 1.5 nodes on every side, at the
// edges too.
double estimateTiles(const MeshIntegrals& integrals, const Double3& excess, double meanWidth) {
  const Double3& seen = integrals.projected;
  const double area = seen[0] + seen[1] + seen[2];
  if (!(area > 0.0)) return integrals.volume / nodesOfTile;  // periodic, without a wall
  const double mean = 1.5 * area;
  const double sum = mean + savedShare(meanWidth) * (excess[0] + excess[1] + excess[2] - mean);
  const double side = sum / area;
  return (integrals.volume + sum + side * side * integrals.bendOutward +
          8.0 * side * side * side * integrals.parts) /
         nodesOfTile;
}

}  // namespace

LatticeCounts estimateCounts(const MeshToCount& input, const LatticeChoice& lattice) {
  const std::optional<Kept> kept = reachedMesh(input);
  const TriangleMesh& mesh = kept ? kept->mesh : input.mesh;
  const double volume = kept ? kept->volume : input.volume;
  const MeshIntegrals integrals =
      integrate(mesh, volume, lattice.frame, input.rough ? Edges::No : Edges::Yes);
  LatticeCounts counts;
  counts.nodes = lattice.nodes;
  counts.fluidNodes = std::min(integrals.volume, lattice.count());
  counts.boundaryNodes = integrals.volume - integrals.shrunk(2.0);
  counts.links = integrals.links;
  counts.openingLinks = integrals.openingLinks;
  if (integrals.area > 0.0) counts.meanWidth = 4.0 * integrals.volume / integrals.area;
  if (!input.rough)
    counts.tiles = estimateTiles(
        integrals, leastTileExcess(mesh, volume, lattice, input.periodic, counts.meanWidth),
        counts.meanWidth);
  counts.fullTiles = integrals.shrunk(5.0) / nodesOfTile;
  counts.ghostTiles = integrals.openingReach / nodesOfTile;
  counts.blocks = integrals.grownByBlock() / (64.0 * BitLattice::blockWords);
  counts.leaves = (integrals.grown(7.0) - integrals.shrunk(9.0)) / 512.0;
  counts.triangles = static_cast<double>(input.mesh.triangle.size());
  counts.vertices = static_cast<double>(input.mesh.vertex.size());
  return counts;
}

}  // namespace tessera
