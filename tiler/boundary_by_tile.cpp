// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary nodes to tile order without a sort: each is marked in its tile's 64-bit word; its index
// is the tile's start plus the number of marks below it.
#include "tiler/boundary_by_tile.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::tiler {

using preprocess::geometry::BoundaryNodes;
using stage::parallelFor;

namespace {

struct Location {
  std::int32_t tile;
  std::uint8_t local;
};

[[noreturn]] void failNode(std::uint64_t node, const char* defect) {
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("boundary node {} {}; regenerate the geometry with tessera-preprocess.",
                          node, defect));
}

std::uint64_t localBit(std::uint8_t local) {
  return std::uint64_t{1} << local;
}

Location locate(const TiledGeometry& tiled, std::uint64_t node) {
  const auto nx = static_cast<std::uint64_t>(tiled.nodes[0]);
  const auto ny = static_cast<std::uint64_t>(tiled.nodes[1]);
  if (node / nx / ny >= static_cast<std::uint64_t>(tiled.nodes[2]))
    failNode(node, "lies outside the lattice");
  const TilePlace at = tiled.placeOf({static_cast<int>(node % nx), static_cast<int>(node / nx % ny),
                                      static_cast<int>(node / nx / ny)});
  return {tiled.tileAt(at.tile[0], at.tile[1], at.tile[2]), static_cast<std::uint8_t>(at.local)};
}

// Tile and local node of every boundary node, checked against the fluid.
std::vector<Location> locateAll(const TiledGeometry& tiled, const BoundaryNodes& boundary,
                                const std::vector<std::uint64_t>& maskOfTile) {
  std::vector<Location> locations(boundary.node.size());
  parallelFor(locations.size(), [&](std::size_t k) {
    const Location at = locate(tiled, boundary.node[k]);
    if (at.tile < 0 || (maskOfTile[static_cast<std::size_t>(at.tile)] & localBit(at.local)) == 0)
      failNode(boundary.node[k], "is solid");
    locations[k] = at;
  });
  return locations;
}

// Boundary nodes of each tile as a bit mask.
std::vector<std::uint64_t> markNodes(const std::vector<Location>& locations, std::size_t tiles,
                                     const BoundaryNodes& boundary) {
  std::vector<std::uint64_t> marks(tiles);
  parallelFor(locations.size(), [&](std::size_t k) {
    std::atomic_ref<std::uint64_t> word(marks[static_cast<std::size_t>(locations[k].tile)]);
    if (word.fetch_or(localBit(locations[k].local), std::memory_order_relaxed) &
        localBit(locations[k].local))
      failNode(boundary.node[k], "is listed twice");
  });
  return marks;
}

// First link of each boundary node in the lattice's order, and the total at the end.
std::vector<std::uint64_t> linkStarts(const std::vector<std::uint32_t>& masks) {
  std::vector<std::uint64_t> start(masks.size() + 1);
  for (std::size_t k = 0; k < masks.size(); ++k)
    start[k + 1] = start[k] + static_cast<std::uint64_t>(std::popcount(masks[k]));
  return start;
}

void requireSameLengths(const BoundaryNodes& boundary, std::uint64_t links) {
  const std::size_t nodes = boundary.node.size();
  if (boundary.mask.size() != nodes || boundary.normal.size() != nodes ||
      boundary.distance.size() != links || boundary.patch.size() != links)
    stage::fail(stage::ExitCode::BadInput,
                "the geometry's links do not match its boundary nodes; regenerate it with "
                "tessera-preprocess.");
}

void copyLinks(TiledGeometry& tiled, const BoundaryNodes& boundary,
               const std::vector<std::uint64_t>& from, const std::vector<std::size_t>& source) {
  tiled.linkDistance.resize(boundary.distance.size());
  tiled.linkPatch.resize(boundary.patch.size());
  parallelFor(tiled.tiles(), [&](std::size_t tile) {
    std::uint64_t to = tiled.linkStart[tile];
    for (std::uint64_t b = tiled.boundaryStart[tile]; b < tiled.boundaryStart[tile + 1]; ++b) {
      for (std::uint64_t link = from[source[b]]; link < from[source[b] + 1]; ++link, ++to) {
        tiled.linkDistance[to] = boundary.distance[link];
        tiled.linkPatch[to] = boundary.patch[link];
      }
    }
  });
}

}  // namespace

void carryBoundary(TiledGeometry& tiled, const BoundaryNodes& boundary,
                   const std::vector<std::uint64_t>& maskOfTile) {
  const std::vector<std::uint64_t> from = linkStarts(boundary.mask);
  requireSameLengths(boundary, from.back());
  const std::vector<Location> locations = locateAll(tiled, boundary, maskOfTile);
  const std::vector<std::uint64_t> marks = markNodes(locations, tiled.tiles(), boundary);

  tiled.boundaryStart.assign(tiled.tiles() + 1, 0);
  for (std::size_t tile = 0; tile < marks.size(); ++tile)
    tiled.boundaryStart[tile + 1] =
        tiled.boundaryStart[tile] + static_cast<std::uint64_t>(std::popcount(marks[tile]));

  const std::size_t nodes = locations.size();
  tiled.boundaryLocal.resize(nodes);
  tiled.boundaryMask.resize(nodes);
  tiled.boundaryNormal.resize(nodes);
  std::vector<std::size_t> source(nodes);  // boundary node of the lattice
  parallelFor(nodes, [&](std::size_t k) {
    const auto tile = static_cast<std::size_t>(locations[k].tile);
    const std::uint64_t below = marks[tile] & (localBit(locations[k].local) - 1);
    const std::size_t to =
        tiled.boundaryStart[tile] + static_cast<std::size_t>(std::popcount(below));
    source[to] = k;
    tiled.boundaryLocal[to] = locations[k].local;
    tiled.boundaryMask[to] = boundary.mask[k];
    tiled.boundaryNormal[to] = boundary.normal[k];
  });

  tiled.linkStart.assign(tiled.tiles() + 1, 0);
  for (std::size_t tile = 0; tile < tiled.tiles(); ++tile) {
    tiled.linkStart[tile + 1] = tiled.linkStart[tile];
    for (std::uint64_t b = tiled.boundaryStart[tile]; b < tiled.boundaryStart[tile + 1]; ++b)
      tiled.linkStart[tile + 1] += static_cast<std::uint64_t>(std::popcount(tiled.boundaryMask[b]));
  }
  copyLinks(tiled, boundary, from, source);
}

}  // namespace tessera::tiler
