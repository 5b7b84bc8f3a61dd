// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/file/check_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/tile.hpp"
#include "tiler/tile_masks.hpp"

namespace tessera::tiler::file {

using preprocess::file::NodeType;

namespace {

constexpr int longestAxis = 1 << 20;  // nodes; keeps every product below 2^63

void require(bool holds, const char* defect) {
  if (!holds) throw DefectiveTiles(defect);
}

void checkFrame(const preprocess::geometry::Frame& frame) {
  require(frame.hasPossibleSpacing(), "section meta has an impossible spacing");
  require(frame.hasResolvedOrigin(), "section meta has an origin too far away for its spacing");
  for (std::size_t a = 0; a < 3; ++a) {
    double square = 0.0;
    for (const double component : frame.axis[a]) square += component * component;
    require(std::abs(square - 1.0) < 1e-6, "section meta has an axis that is not a unit vector");
  }
}

void checkOpenings(const std::vector<preprocess::geometry::Opening>& openings) {
  for (std::size_t i = 0; i < openings.size(); ++i)
    require(openings[i].id == static_cast<int>(i) + 1,
            "section meta has openings not numbered from 1");
}

bool knownPatch(const TiledGeometry& tiled, preprocess::geometry::Patch patch) {
  if (preprocess::geometry::isOpening(patch))
    return preprocess::geometry::openingId(patch) >= 1 &&
           static_cast<std::size_t>(preprocess::geometry::openingId(patch)) <=
               tiled.openings.size();
  return patch < tiled.wallNames.size();
}

void checkStarts(const std::vector<std::uint64_t>& start, std::uint64_t end, const char* defect) {
  require(start.front() == 0 && start.back() == end, defect);
  for (std::size_t t = 1; t < start.size(); ++t) require(start[t - 1] <= start[t], defect);
}

bool insideBox(const TiledGeometry& tiled, const Int3& node) {
  for (std::size_t a = 0; a < 3; ++a)
    if (node[a] < 0 || node[a] >= tiled.nodes[a]) return false;
  return true;
}

// Checks boundary nodes and links of one tile; returns the boundary nodes as bits.
std::uint64_t checkBoundary(const TiledGeometry& tiled, std::size_t tile, bool& anyOpening) {
  std::uint64_t marks = 0;
  std::uint64_t link = tiled.linkStart[tile];
  for (std::uint64_t b = tiled.boundaryStart[tile]; b < tiled.boundaryStart[tile + 1]; ++b) {
    const int local = tiled.boundaryLocal[b];
    require(local < tileNodes && (marks >> local) == 0,
            "section boundaryLocal is not ascending within a tile");
    marks |= std::uint64_t{1} << local;
    const std::uint32_t mask = tiled.boundaryMask[b];
    require(mask != 0 && (mask & ~preprocess::geometry::linkBits) == 0,
            "section boundaryMask has an invalid mask of links");
    const std::uint64_t end = link + static_cast<std::uint64_t>(std::popcount(mask));
    require(end <= tiled.linkStart[tile + 1], "section linkStart does not match the masks");
    bool opening = false;
    for (; link < end; ++link) {
      require(knownPatch(tiled, tiled.linkPatch[link]),
              "section linkPatch names a wall or opening that does not exist");
      opening = opening || preprocess::geometry::isOpening(tiled.linkPatch[link]);
    }
    const NodeType expected = opening ? NodeType::Opening : NodeType::Wall;
    require(tiled.nodeType[tile * tileNodes + static_cast<std::size_t>(local)] ==
                static_cast<std::uint8_t>(expected),
            "section nodeType does not match the links");
    anyOpening = anyOpening || opening;
  }
  require(link == tiled.linkStart[tile + 1], "section linkStart does not match the masks");
  return marks;
}

}  // namespace

std::uint64_t checkTile(const TiledGeometry& tiled, std::size_t tile) {
  bool anyOpening = false;
  const std::uint64_t marks = checkBoundary(tiled, tile, anyOpening);
  const bool whole = insideBox(tiled, tiled.nodeOf(tile, 0)) &&
                     insideBox(tiled, tiled.nodeOf(tile, tileNodes - 1));
  std::uint64_t fluid = 0;
  for (int l = 0; l < tileNodes; ++l) {
    const std::uint8_t type = tiled.nodeType[tile * tileNodes + static_cast<std::size_t>(l)];
    const bool boundary = (marks >> l) & 1U;
    require(boundary || type <= static_cast<std::uint8_t>(NodeType::Fluid),
            "section nodeType has a boundary node without links");
    if (type == static_cast<std::uint8_t>(NodeType::Solid)) continue;
    require(whole || insideBox(tiled, tiled.nodeOf(tile, l)),
            "section nodeType has a fluid node outside the lattice");
    ++fluid;
  }
  require(fluid > 0, "section nodeType has a tile without fluid nodes");
  const std::uint8_t flags = static_cast<std::uint8_t>(
      (fluid == tileNodes && marks == 0 ? tileAllFluid : 0) | (anyOpening ? tileHasOpening : 0));
  require(tiled.tileFlags[tile] == flags, "section tileFlags does not match nodeType");
  return fluid;
}

namespace {

void checkSurface(const TiledGeometry& tiled) {
  const preprocess::geometry::Surface& surface = tiled.surface;
  for (const Float3& vertex : surface.vertex)
    for (const float component : vertex)
      require(std::isfinite(component),
              "section surfaceVertex has a coordinate that is not finite");
  require(surface.sheetTriangles <= surface.triangle.size(),
          "section meta has more triangles of sheets than there are triangles");
  for (const auto& triangle : surface.triangle)
    for (const std::uint32_t corner : triangle)
      require(corner < surface.vertex.size(),
              "section surfaceTriangle names a vertex that does not exist");
  for (const preprocess::geometry::Patch label : surface.label)
    require(knownPatch(tiled, label),
            "section surfaceLabel names a wall or opening that does not exist");
}

void checkRowAxes(const TiledGeometry& tiled) {
  require(tiled.dimensions == 3, "section meta has rows of tiles in two dimensions");
  std::array<int, 3> axes = tiled.rows.axes;
  std::sort(axes.begin(), axes.end());
  require(axes == std::array<int, 3>{0, 1, 2}, "section meta has row_axes that are not x, y, z");
  for (std::size_t k = 0; k < 2; ++k)
    require(tiled.offset[static_cast<std::size_t>(tiled.rows.axes[k])] == 0,
            "section meta has an offset on an axis along which rows are shifted");
}

// Grid that follows from the other numbers of "meta".
Int3 gridOf(const TiledGeometry& tiled, bool inRows) {
  if (!inRows) return tileMesh(tiled.nodes, tiled.tileSize, tiled.offset).grid;
  const std::array<int, 3>& axes = tiled.rows.axes;
  return rowGrid(tiled.nodes, axes, tiled.offset[static_cast<std::size_t>(axes[2])]);
}

void checkRowOffsets(const TiledGeometry& tiled) {
  for (const std::uint8_t offset : tiled.rows.layer)
    require(offset < tiled.tileSize[0], "section layerOffset has an offset outside a tile");
  for (const std::uint8_t offset : tiled.rows.row)
    require(offset < tiled.tileSize[0], "section rowOffset has an offset outside a tile");
}

}  // namespace

std::uint64_t gridPositions(const Int3& grid) {
  return static_cast<std::uint64_t>(grid[0]) * static_cast<std::uint64_t>(grid[1]) *
         static_cast<std::uint64_t>(grid[2]);
}

void checkSizes(const TiledGeometry& tiled, std::uint64_t tiles, bool inRows) {
  require(tiled.dimensions == 2 || tiled.dimensions == 3,
          "section meta has neither 2 nor 3 dimensions");
  require(tiled.tileSize == preprocess::lattice::tileSizeFor(tiled.dimensions),
          "section meta has an unknown tile size");
  for (std::size_t a = 0; a < 3; ++a) {
    require(tiled.nodes[a] >= 1 && tiled.nodes[a] <= longestAxis,
            "section meta has an impossible number of nodes");
    require(tiled.offset[a] >= 0 && tiled.offset[a] < tiled.tileSize[a],
            "section meta has an offset outside a tile");
  }
  require(tiled.dimensions == 3 || tiled.nodes[2] == 1,
          "section meta has more than one layer in two dimensions");
  if (inRows) checkRowAxes(tiled);
  require(tiled.grid == gridOf(tiled, inRows),
          "section meta has a grid that does not fit the nodes");
  require(tiled.slowestAxis == slowestAxisOf(tiled.grid),
          "section meta has a slowest axis that is not the longest");
  require(
      tiles >= 1 && tiles <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()),
      "section meta has an impossible number of tiles");
  checkFrame(tiled.frame);
  checkOpenings(tiled.openings);
}

void checkIndex(const TiledGeometry& tiled, std::uint64_t boundaryNodes, std::uint64_t links) {
  checkRowOffsets(tiled);
  for (const auto& at : tiled.nonEmptyTiles)
    for (std::size_t a = 0; a < 3; ++a)
      require(at[a] >= 0 && at[a] < tiled.grid[a],
              "section nonEmptyTiles has a tile outside the grid");
  checkStarts(tiled.boundaryStart, boundaryNodes,
              "section boundaryStart does not count the boundary nodes");
  checkStarts(tiled.linkStart, links, "section linkStart does not count the links");
}

std::uint64_t namedTiles(const TiledGeometry& tiled, std::span<const std::int32_t> tileMap,
                         std::uint64_t first) {
  std::uint64_t named = 0;
  for (std::size_t k = 0; k < tileMap.size(); ++k) {
    const std::int32_t tile = tileMap[k];
    require(tile >= -1 && tile < static_cast<std::int64_t>(tiled.tiles()),
            "section tileMap names a tile that does not exist");
    if (tile < 0) continue;
    const auto& at = tiled.nonEmptyTiles[static_cast<std::size_t>(tile)];
    require(tiled.position(at[0], at[1], at[2]) == first + k,
            "section nonEmptyTiles does not match tileMap");
    ++named;
  }
  return named;
}

void checkAllNamed(const TiledGeometry& tiled, std::uint64_t named) {
  require(named == tiled.tiles(), "section tileMap does not name every tile once");
}

void checkFluidNodes(const TiledGeometry& tiled, std::span<const std::uint8_t> nodesOfTiles) {
  std::uint64_t sum = 0;
  for (const std::uint8_t nodes : nodesOfTiles) sum += nodes;
  require(sum == tiled.fluidNodes,
          "section meta has a number of fluid nodes that differs from nodeType");
}

void checkIndices(const TiledGeometry& tiled) {
  checkIndex(tiled, tiled.boundaryLocal.size(), tiled.linkPatch.size());
  checkAllNamed(tiled, namedTiles(tiled, tiled.tileMap, 0));
  std::vector<std::uint8_t> fluid(tiled.tiles());
  stage::parallelFor(tiled.tiles(), [&](std::size_t tile) {
    fluid[tile] = static_cast<std::uint8_t>(checkTile(tiled, tile));
  });
  checkFluidNodes(tiled, fluid);
  checkSurface(tiled);
}

using preprocess::geometry::BitLattice;

namespace {

[[noreturn]] void failAt(const char* section, const char* defect, const Int3& node) {
  throw DefectiveTiles(
      fmt::format("section {} {} at node {}, {}, {}", section, defect, node[0], node[1], node[2]));
}

BitLattice fluidOf(const TiledGeometry& tiled) {
  BitLattice fluid(tiled.nodes);
  for (std::size_t t = 0; t < tiled.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      if (tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      const Int3 node = tiled.nodeOf(t, l);
      if (!fluid.inside(node[0], node[1], node[2]))
        failAt("nodeType", "has a fluid node outside the box", node);
      if (fluid.at(node[0], node[1], node[2])) failAt("nodeType", "has two tiles", node);
      fluid.set(node[0], node[1], node[2]);
    }
  return fluid;
}

bool isFluid(const BitLattice& fluid, const std::array<bool, 3>& periodic, Int3 node) {
  return preprocess::geometry::wrapInto(fluid.size, periodic, node) &&
         fluid.at(node[0], node[1], node[2]);
}

// Bit n: the node in direction n is not fluid.
std::uint32_t maskOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                     const Int3& node) {
  std::uint32_t mask = 0;
  for (const auto& [n, step] : preprocess::geometry::neighbourhood)
    if (!isFluid(fluid, periodic, node + step)) mask |= 1U << n;
  return mask;
}

void checkFlags(const TiledGeometry& tiled, std::size_t t, bool noLinks) {
  const Int3 corner = tiled.cornerOf(tiled.nonEmptyTiles[t]);
  bool full = noLinks;
  for (std::size_t l = 0; l < tileNodes; ++l) full &= tiled.nodeType[t * tileNodes + l] != 0;
  if (((tiled.tileFlags[t] & tileAllFluid) != 0) != full)
    failAt("tileFlags", "has a wrong all-fluid flag", corner);
  bool opens = false;
  for (std::uint64_t k = tiled.linkStart[t]; k < tiled.linkStart[t + 1]; ++k)
    opens |= preprocess::geometry::isOpening(tiled.linkPatch[k]);
  if (((tiled.tileFlags[t] & tileHasOpening) != 0) != opens)
    failAt("tileFlags", "has a wrong opening flag", corner);
}

void checkLinks(const TiledGeometry& tiled, const BitLattice& fluid, std::size_t t) {
  std::uint64_t boundary = tiled.boundaryStart[t];
  bool noLinks = true;
  for (int l = 0; l < tileNodes; ++l) {
    const bool listed = boundary < tiled.boundaryStart[t + 1] && tiled.boundaryLocal[boundary] == l;
    const std::uint32_t stored = listed ? tiled.boundaryMask[boundary++] : 0;
    const Int3 node = tiled.nodeOf(t, l);
    const bool here = tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] != 0;
    const std::uint32_t found = here ? maskOf(fluid, tiled.periodic, node) : 0;
    if (stored != found) failAt("boundaryMask", "does not match the fluid nodes around it", node);
    noLinks &= found == 0;
  }
  checkFlags(tiled, t, noLinks);
}

}  // namespace

void checkSymmetry(const TiledGeometry& tiled) {
  const BitLattice fluid = fluidOf(tiled);
  stage::parallelFor(tiled.tiles(), [&](std::size_t t) { checkLinks(tiled, fluid, t); });
}

}  // namespace tessera::tiler::file
