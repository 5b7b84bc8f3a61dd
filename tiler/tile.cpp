// SPDX-License-Identifier: GPL-3.0-or-later
// Algorithm 1 of Tomczak & Szafran 2017: tileMap and nonEmptyTiles in canonical order, node types,
// flags. Every step is a count, a prefix sum or a fill, so the result does not depend on the number
// of threads.
#include "tiler/tile.hpp"

#include <tbb/parallel_for.h>

#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/boundary_by_tile.hpp"
#include "tiler/tile_masks.hpp"

namespace tessera::tiler {

using preprocess::file::NodeType;

namespace {

// Index of the first tile of each layer across the slowest axis, and the total.
std::vector<std::size_t> layerStarts(const std::vector<MaskedTile>& masked, const TileMesh& mesh,
                                     std::size_t slowest) {
  std::vector<std::size_t> start(static_cast<std::size_t>(mesh.grid[slowest]) + 1);
  for (const MaskedTile& tile : masked) ++start[static_cast<std::size_t>(tile.at[slowest]) + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  return start;
}

// tileMap has an entry for every grid position.
void requireRoomForMap(const TileMesh& mesh, std::size_t tiles) {
  requireIndexable(tiles);
  stage::requireMemory(4.0 * static_cast<double>(mesh.positions()),
                       fmt::format("the map of a box of {} x {} x {} tiles", mesh.grid[0],
                                   mesh.grid[1], mesh.grid[2]),
                       "use a larger spacing");
}

// Fills tileMap and nonEmptyTiles; returns the mask of each tile. Within a layer across the slowest
// axis the canonical order is row-major, so one pass over memory with a counter per layer numbers
// the tiles.
std::vector<std::uint64_t> numberTiles(TiledGeometry& tiled, const std::vector<MaskedTile>& masked,
                                       const TileMesh& mesh) {
  requireRoomForMap(mesh, masked.size());
  tiled.slowestAxis = slowestAxisOf(mesh.grid);
  const auto slowest = static_cast<std::size_t>(tiled.slowestAxis);
  std::vector<std::size_t> next = layerStarts(masked, mesh, slowest);
  tiled.tileMap.assign(mesh.positions(), -1);
  tiled.nonEmptyTiles.resize(masked.size());
  std::vector<std::uint64_t> maskOfTile(masked.size());
  for (const MaskedTile& each : masked) {
    const std::size_t tile = next[static_cast<std::size_t>(each.at[slowest])]++;
    tiled.tileMap[mesh.position(each.at[0], each.at[1], each.at[2])] =
        static_cast<std::int32_t>(tile);
    tiled.nonEmptyTiles[tile] = each.at;
    maskOfTile[tile] = each.mask;
  }
  return maskOfTile;
}

// nodeType of one tile from its mask and its boundary nodes; returns its flags.
std::uint8_t typeNodes(TiledGeometry& tiled, std::size_t tile, std::uint64_t mask) {
  std::uint8_t* type = tiled.nodeType.data() + tile * tileNodes;
  for (int l = 0; l < tileNodes; ++l) type[l] = (mask >> l) & 1U;  // Solid 0, Fluid 1
  const std::size_t first = tiled.boundaryStart[tile];
  const std::size_t last = tiled.boundaryStart[tile + 1];
  std::uint8_t flags = ~mask == 0 && first == last ? tileAllFluid : 0;
  std::size_t link = tiled.linkStart[tile];
  for (std::size_t b = first; b < last; ++b) {
    NodeType found = NodeType::Wall;
    for (int links = std::popcount(tiled.boundaryMask[b]); links > 0; --links)
      if (preprocess::geometry::isOpening(tiled.linkPatch[link++])) found = NodeType::Opening;
    type[tiled.boundaryLocal[b]] = static_cast<std::uint8_t>(found);
    if (found == NodeType::Opening) flags |= tileHasOpening;
  }
  return flags;
}

std::string commas(const Int3& numbers) {
  return fmt::format("{},{},{}", numbers[0], numbers[1], numbers[2]);
}

}  // namespace

void requireTileable(const preprocess::geometry::LatticeGeometry& geometry, const Int3& offset) {
  const Int3 size = preprocess::lattice::tileSizeFor(geometry.dimensions);
  for (std::size_t a = 0; a < 3; ++a)
    if (offset[a] < 0 || offset[a] >= size[a])
      stage::fail(
          stage::ExitCode::Usage,
          fmt::format("the offset {} is outside a tile; give at least 0,0,0 and at most {}, "
                      "or auto.",
                      commas(offset), commas({size[0] - 1, size[1] - 1, size[2] - 1})));
  if (geometry.fluid.count() == 0)
    stage::fail(stage::ExitCode::BadInput,
                "the geometry has no fluid node, so there is nothing to cover with tiles; check "
                "the surface "
                "and the spacing given to tessera-preprocess.");
}

void requireIndexable(std::uint64_t tiles) {
  if (tiles > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("the geometry needs {} tiles, but a .tiles file has at most 2147483647; "
                    "give tessera-preprocess a larger spacing.",
                    tiles));
}

TiledGeometry coverWithTiles(preprocess::geometry::LatticeGeometry geometry, const Int3& offset) {
  const TileMesh mesh =
      tileMesh(geometry.fluid.size, preprocess::lattice::tileSizeFor(geometry.dimensions), offset);
  return coverByMesh(std::move(geometry), mesh);
}

TiledGeometry coverByMesh(preprocess::geometry::LatticeGeometry geometry, const TileMesh& mesh) {
  requireTileable(geometry, mesh.offset);
  TiledGeometry tiled;
  static_cast<TileMesh&>(tiled) = mesh;
  tiled.dimensions = geometry.dimensions;
  tiled.frame = geometry.frame;
  tiled.periodic = geometry.periodic;

  const std::vector<std::uint64_t> maskOfTile =
      numberTiles(tiled, tileMasks(geometry.fluid, mesh), mesh);
  carryBoundary(tiled, geometry.boundary, maskOfTile);

  tiled.nodeType.resize(tiled.tiles() * tileNodes);
  tiled.tileFlags.resize(tiled.tiles());
  tbb::parallel_for(std::size_t{0}, tiled.tiles(), [&](std::size_t tile) {
    tiled.tileFlags[tile] = typeNodes(tiled, tile, maskOfTile[tile]);
  });
  for (const std::uint64_t mask : maskOfTile)
    tiled.fluidNodes += static_cast<std::uint64_t>(std::popcount(mask));

  tiled.surface = std::move(geometry.surface);
  tiled.cutLinks = geometry.cutLinks;
  tiled.openings = std::move(geometry.openings);
  tiled.throats = std::move(geometry.throats);
  tiled.throatsNotSearched = std::move(geometry.throatsNotSearched);
  tiled.wallNames = std::move(geometry.wallNames);
  return tiled;
}

}  // namespace tessera::tiler
