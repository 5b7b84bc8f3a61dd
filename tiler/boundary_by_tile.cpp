// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary nodes to tile order without a sort: mark each node in its tile's 64-bit word; its place
// is then the tile's start plus the number of marks below it.
#include "tiler/boundary_by_tile.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::tiler {

using preprocess::geometry::BoundaryNodes;
using stage::parallelFor;

namespace {

struct Place {
  std::int32_t tile;
  std::uint8_t local;
};

[[noreturn]] void failNode(std::uint64_t node, const std::string& what) {
  stage::fail(stage::ExitCode::BadInput, "boundary node " + std::to_string(node) + " " + what +
                                             "; make the geometry again with tessera-preprocess.");
}

std::uint64_t localBit(std::uint8_t local) {
  return std::uint64_t{1} << local;
}

Place placeOf(const TiledGeometry& tiled, std::uint64_t node) {
  const auto nx = static_cast<std::uint64_t>(tiled.nodes[0]);
  const auto ny = static_cast<std::uint64_t>(tiled.nodes[1]);
  if (node / nx / ny >= static_cast<std::uint64_t>(tiled.nodes[2]))
    failNode(node, "lies outside the lattice");
  const TilePlace place =
      tiled.placeOf({static_cast<int>(node % nx), static_cast<int>(node / nx % ny),
                     static_cast<int>(node / nx / ny)});
  return {tiled.tileAt(place.tile[0], place.tile[1], place.tile[2]),
          static_cast<std::uint8_t>(place.local)};
}

// The tile and local node of every boundary node, checked against the fluid.
std::vector<Place> findPlaces(const TiledGeometry& tiled, const BoundaryNodes& boundary,
                              const std::vector<std::uint64_t>& maskOfTile) {
  std::vector<Place> places(boundary.node.size());
  parallelFor(places.size(), [&](std::size_t k) {
    const Place place = placeOf(tiled, boundary.node[k]);
    if (place.tile < 0 ||
        (maskOfTile[static_cast<std::size_t>(place.tile)] & localBit(place.local)) == 0)
      failNode(boundary.node[k], "is solid");
    places[k] = place;
  });
  return places;
}

// The boundary nodes of each tile as a word.
std::vector<std::uint64_t> markNodes(const std::vector<Place>& places, std::size_t tiles,
                                     const BoundaryNodes& boundary) {
  std::vector<std::uint64_t> marks(tiles);
  parallelFor(places.size(), [&](std::size_t k) {
    std::atomic_ref<std::uint64_t> word(marks[static_cast<std::size_t>(places[k].tile)]);
    if (word.fetch_or(localBit(places[k].local), std::memory_order_relaxed) &
        localBit(places[k].local))
      failNode(boundary.node[k], "is listed twice");
  });
  return marks;
}

// First link of each boundary node in the lattice's order; one more entry with their number.
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
                "the geometry's links do not match its boundary nodes; make it again with "
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
  const std::vector<Place> places = findPlaces(tiled, boundary, maskOfTile);
  const std::vector<std::uint64_t> marks = markNodes(places, tiled.tiles(), boundary);

  tiled.boundaryStart.assign(tiled.tiles() + 1, 0);
  for (std::size_t tile = 0; tile < marks.size(); ++tile)
    tiled.boundaryStart[tile + 1] =
        tiled.boundaryStart[tile] + static_cast<std::uint64_t>(std::popcount(marks[tile]));

  const std::size_t nodes = places.size();
  tiled.boundaryLocal.resize(nodes);
  tiled.boundaryMask.resize(nodes);
  tiled.boundaryNormal.resize(nodes);
  std::vector<std::size_t> source(nodes);  // which boundary node of the lattice came here
  parallelFor(nodes, [&](std::size_t k) {
    const auto tile = static_cast<std::size_t>(places[k].tile);
    const std::uint64_t below = marks[tile] & (localBit(places[k].local) - 1);
    const std::size_t to =
        tiled.boundaryStart[tile] + static_cast<std::size_t>(std::popcount(below));
    source[to] = k;
    tiled.boundaryLocal[to] = places[k].local;
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
