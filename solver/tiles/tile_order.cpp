// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/tile_order.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "preprocess/file/node_types.hpp"
#include "solver/model/populations.hpp"
#include "solver/tiles/neighbour_table.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::tiles {

using model::neighbourStride;
using tiler::forBoundaryNodes;
using tiler::TiledGeometry;
using tiler::tileNodes;

namespace {

// Spreads 21 bits of x to every third bit.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

std::uint64_t mortonKey(const std::array<std::int32_t, 3>& tile) {
  const auto part = [&](std::size_t a) { return spread(static_cast<std::uint64_t>(tile[a])); };
  return part(0) | part(1) << 1 | part(2) << 2;
}

// Key of a tile: its cube of 2^log tiles along each axis, slowest axis first, then Morton order
// inside.
std::uint64_t layerKey(const std::array<std::int32_t, 3>& tile, std::size_t slowest, unsigned log) {
  const std::size_t fastest = slowest == 0 ? 1 : 0;
  const std::size_t middle = 3 - slowest - fastest;
  std::uint64_t key = 0;
  for (const std::size_t axis : {slowest, middle, fastest})
    key = key << (20U - log) | static_cast<std::uint64_t>(tile[axis] >> log);
  const std::int32_t inside = (1 << log) - 1;
  return key << (3 * log) | mortonKey({tile[0] & inside, tile[1] & inside, tile[2] & inside});
}

// Key of a tile: its layer on z, then columns of 4x4 tiles in Morton order, row by row inside.
std::uint64_t columnKey(const std::array<std::int32_t, 3>& tile) {
  return static_cast<std::uint64_t>(tile[2]) << 42U |
         mortonKey({tile[0] >> 2, tile[1] >> 2, 0}) << 4U |
         static_cast<std::uint64_t>(4 * (tile[1] & 3) + (tile[0] & 3));
}

// log2 of the tiles of a cube along an axis.
unsigned cubeLog(TileSequence sequence) {
  return sequence == TileSequence::InCubes ? 2 : 0;
}

bool nearOpening(const TiledGeometry& g, std::size_t t) {
  const auto& tile = g.nonEmptyTiles[t];
  for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
    const std::int32_t near = g.tileAt(tile[0] + step[0], tile[1] + step[1], tile[2] + step[2]);
    if (near >= 0 && (g.tileFlags[static_cast<std::size_t>(near)] & tiler::tileHasOpening) != 0)
      return true;
  }
  return false;
}

bool needsMasks(const TiledGeometry& g, std::size_t t, std::uint32_t known);

// Whether the sequence puts a tile behind the others.
bool isLast(const TiledGeometry& g, std::size_t t, TileSequence sequence) {
  if (sequence == TileSequence::OpeningsLast) return nearOpening(g, t);
  if (sequence != TileSequence::BoundariesLast) return false;
  return (g.tileFlags[t] & tiler::tileHasOpening) != 0 || needsMasks(g, t, ~std::uint32_t{0});
}

struct SlotKey {
  TileRole role = TileRole::Border;
  std::uint32_t layer = 0;  // distance from the border
  std::uint64_t key = 0;
  std::uint32_t tile = 0;
  auto operator<=>(const SlotKey&) const = default;
};

// Roles of the tiles of a part. In cells: whole ones that hold border tiles are the border, since
// pieces of columns with a tile in four take four times as long for each.
std::vector<TileRole> rolesOf(const TiledGeometry& g, const RankPart& part, BorderTiles border) {
  if (part.isWhole()) return std::vector<TileRole>(g.tiles(), TileRole::Interior);
  std::vector<TileRole> roles = part.role;
  if (border != BorderTiles::FirstInCells) return roles;
  const auto cellOf = [&](std::size_t t) {
    Int3 cell = g.nonEmptyTiles[t];
    for (std::size_t a = 0; a < 3; ++a) cell[a] /= columnCell[a];
    return mortonKey(cell);
  };
  std::unordered_set<std::uint64_t> cells;
  for (std::size_t t = 0; t < roles.size(); ++t)
    if (roles[t] == TileRole::Border) cells.insert(cellOf(t));
  for (std::size_t t = 0; t < roles.size(); ++t)
    if (roles[t] == TileRole::Interior && cells.contains(cellOf(t))) roles[t] = TileRole::Border;
  return roles;
}

// Slots in the order border, interior, near, each by the sequence; or own tiles by layers from the
// border. Far tiles get none.
void giveSlots(const TiledGeometry& geometry, TileSequence sequence, const RankPart& part,
               BorderTiles border, TileOrder& order) {
  const std::size_t tiles = geometry.tiles();
  const std::size_t slowest = layerAxis(geometry.grid, sequence);
  const unsigned log = cubeLog(sequence);
  const bool inLayers = border == BorderTiles::FirstOfLayers && !part.isWhole();
  std::vector<std::uint32_t> layers;
  if (inLayers) layers = layersFromBorder(geometry, part, log);
  const std::vector<TileRole> roles = rolesOf(geometry, part, border);
  std::vector<SlotKey> keys(tiles);
  tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t t) {
    const auto& tile = geometry.nonEmptyTiles[t];
    TileRole role = roles[t];
    if (inLayers) role = std::max(role, TileRole::Interior);
    keys[t] = {role, inLayers ? layers[t] : 0,
               sequence == TileSequence::Morton      ? mortonKey(tile)
               : sequence == TileSequence::InColumns ? columnKey(tile)
                                                     : layerKey(tile, slowest, log),
               static_cast<std::uint32_t>(t)};
    if (isLast(geometry, t, sequence)) keys[t].key |= std::uint64_t{1} << 63U;
  });
  tbb::parallel_sort(keys.begin(), keys.end());
  order.slotOfTile.resize(tiles);
  std::array<std::uint32_t, 4> count{};
  for (std::size_t s = 0; s < tiles; ++s) {
    const auto role = static_cast<std::size_t>(keys[s].role);
    const bool far = keys[s].role == TileRole::Far;
    order.slotOfTile[keys[s].tile] =
        far ? firstFarSlot + count[role] : static_cast<std::uint32_t>(s);
    ++count[role];
  }
  order.tiles = count[0] + count[1];
  order.border = count[0];
  if (inLayers)
    while (order.border < order.tiles && keys[order.border].layer == 0) ++order.border;
  order.remote = count[2];
}

struct Location {
  std::uint32_t slot;
  std::uint8_t local;
};

// Slots by position; creates ghost tiles. A periodic axis is aligned when whole tiles fill it, so
// that the tiling closes; on other periodic axes a node beyond the end has a location of its own,
// filled by a copy.
class SlotMap {
 public:
  SlotMap(const TiledGeometry& geometry, TileOrder& order) : geometry_(geometry), order_(order) {
    for (std::size_t a = 0; a < 3; ++a)
      aligned_[a] = geometry.periodic[a] && !geometry.isShifted() && geometry.offset[a] == 0 &&
                    geometry.nodes[a] % geometry.tileSize[a] == 0;
  }

  [[nodiscard]] bool needsCopy(const Int3& node) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (geometry_.periodic[a] && !aligned_[a] && (node[a] < 0 || node[a] >= geometry_.nodes[a]))
        return true;
    return false;
  }
  [[nodiscard]] Int3 wrapped(Int3 node) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (geometry_.periodic[a])
        node[a] = (node[a] % geometry_.nodes[a] + geometry_.nodes[a]) % geometry_.nodes[a];
    return node;
  }
  // Slot of the tile at a position in the grid, ghosts included, aligned axes closed; -1 for none.
  [[nodiscard]] std::int64_t slotAt(Int3 tile) const {
    close(tile);
    const std::int32_t index = geometry_.tileAt(tile[0], tile[1], tile[2]);
    const std::uint32_t slot =
        index < 0 ? firstFarSlot : order_.slotOfTile[static_cast<std::size_t>(index)];
    if (slot < firstFarSlot) return slot;
    if (ghosts_.empty()) return -1;
    const auto ghost = ghosts_.find(key(tile));
    return ghost == ghosts_.end() ? -1 : static_cast<std::int64_t>(ghost->second);
  }
  // Whether the node's tile has a slot.
  [[nodiscard]] bool holds(const Int3& node) const {
    const std::int64_t slot = slotAt(geometry_.placeOf(node).tile);
    return slot >= 0 && slot < order_.slotsOfTiles();
  }
  // Location of a node; creates a ghost tile if there is none.
  Location placeOf(const Int3& node) {
    const tiler::TilePlace place = geometry_.placeOf(node);
    Int3 tile = place.tile;
    std::int64_t slot = slotAt(tile);
    if (slot < 0) {
      close(tile);
      slot = order_.slotsOfTiles() + order_.ghosts++;
      ghosts_.emplace(key(tile), static_cast<std::uint32_t>(slot));
    }
    return {static_cast<std::uint32_t>(slot), static_cast<std::uint8_t>(place.local)};
  }

 private:
  void close(Int3& tile) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (aligned_[a]) tile[a] = (tile[a] + geometry_.grid[a]) % geometry_.grid[a];
  }
  static std::uint64_t key(const Int3& tile) {
    std::uint64_t code = 0;
    for (int component : tile) code = code << 21 | (static_cast<std::uint64_t>(component + 8));
    return code;
  }
  const TiledGeometry& geometry_;
  TileOrder& order_;
  std::array<bool, 3> aligned_{};
  std::unordered_map<std::uint64_t, std::uint32_t> ghosts_;
};

using Velocities = std::span<const std::array<int, 3>>;

int linkDirection(const std::array<int, 3>& c) {
  return preprocess::geometry::directionOf(c[0], c[1], c[2]);
}

void addOpeningLinks(const TiledGeometry& g, std::size_t t, Velocities velocities, SlotMap& slots,
                     TileOrder& order) {
  forBoundaryNodes(g, t, [&](std::uint8_t local, std::uint32_t mask, std::uint64_t first) {
    const auto start = static_cast<std::ptrdiff_t>(order.openingLinks.size());
    for (std::size_t i = 1; i < velocities.size(); ++i) {
      const int direction = linkDirection(velocities[i]);
      if ((mask >> direction & 1U) == 0) continue;
      const std::uint64_t link = tiler::linkIndex(first, mask, direction);
      if (!preprocess::geometry::isOpening(g.linkPatch[link])) continue;
      const Int3 node = g.nodeOf(t, local);
      OpeningLink out;
      out.slot = order.slotOfTile[t];
      out.tile = static_cast<std::uint32_t>(t);
      out.local = local;
      out.direction = static_cast<std::uint8_t>(i);
      out.opening =
          static_cast<std::uint16_t>(preprocess::geometry::openingId(g.linkPatch[link]) - 1);
      const double q = preprocess::geometry::distanceFromCode(g.linkDistance[link]);
      Int3 beyond{};
      for (std::size_t a = 0; a < 3; ++a) {
        out.position[a] = node[a] + q * velocities[i][a];
        beyond[a] = node[a] + velocities[i][a];
      }
      if (out.slot < firstFarSlot) {
        const Location target = slots.placeOf(beyond);
        out.targetSlot = target.slot;
        out.targetLocal = target.local;
      }
      order.openingLinks.push_back(out);
    }
    std::stable_sort(
        order.openingLinks.begin() + start, order.openingLinks.end(),
        [](const OpeningLink& a, const OpeningLink& b) { return a.opening < b.opening; });
  });
}

// Populations that reach a node across a periodic face that tiles do not meet. For a node of
// another rank only those with a slot here.
void addCopies(const Int3& node, std::uint32_t leaving, bool own, Velocities velocities,
               SlotMap& slots, TileOrder& order) {
  for (std::size_t i = 1; i < velocities.size(); ++i) {
    Int3 source{};
    for (std::size_t a = 0; a < 3; ++a) source[a] = node[a] - velocities[i][a];
    const int back = preprocess::geometry::oppositeDirection(linkDirection(velocities[i]));
    if ((leaving >> back & 1U) != 0 || !slots.needsCopy(source)) continue;
    if (!own && !slots.holds(slots.wrapped(source))) continue;
    const Location to = slots.placeOf(source);
    const Location from = slots.placeOf(slots.wrapped(source));
    order.copies.push_back(
        {from.slot, to.slot, from.local, to.local, static_cast<std::uint8_t>(i)});
  }
}

void addPeriodicCopies(const TiledGeometry& g, Velocities velocities, SlotMap& slots,
                       TileOrder& order) {
  for (std::size_t t = 0; t < g.tiles(); ++t) {
    const std::uint32_t slot = order.slotOfTile[t];
    if (slot >= firstFarSlot) continue;
    const Int3 corner = g.nodeOf(t, 0);
    bool atFace = false;
    for (std::size_t a = 0; a < 3; ++a)
      atFace |= g.periodic[a] && (corner[a] <= 0 || corner[a] + g.tileSize[a] >= g.nodes[a]);
    if (!atFace) continue;
    std::array<std::uint32_t, tileNodes> leaving{};
    forBoundaryNodes(g, t, [&](std::uint8_t local, std::uint32_t mask, std::uint64_t) {
      leaving[local] = mask;
    });
    for (int l = 0; l < tileNodes; ++l) {
      const auto index = static_cast<std::size_t>(l);
      if (g.nodeType[t * tileNodes + index] !=
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        addCopies(g.nodeOf(t, l), leaving[index], slot < order.tiles, velocities, slots, order);
    }
  }
}

// Wall links of the lattice's directions; openings and periodic faces are not masked.
std::uint32_t wallMask(const TiledGeometry& g, std::uint32_t mask, std::uint64_t first,
                       std::uint32_t known) {
  std::uint32_t wall = 0;
  std::uint64_t link = first;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link)
    if (!preprocess::geometry::isOpening(g.linkPatch[link])) wall |= rest & (~rest + 1);
  return wall & known;
}

bool hasSolid(const TiledGeometry& g, std::size_t t) {
  const std::uint8_t* type = g.nodeType.data() + t * tileNodes;
  return std::find(type, type + tileNodes,
                   static_cast<std::uint8_t>(preprocess::file::NodeType::Solid)) !=
         type + tileNodes;
}

// Whether any of the 64 masks of tile t is non-zero.
bool needsMasks(const TiledGeometry& g, std::size_t t, std::uint32_t known) {
  if ((g.tileFlags[t] & tiler::tileAllFluid) != 0) return false;
  bool any = hasSolid(g, t);
  if (!any)
    forBoundaryNodes(g, t, [&](std::uint8_t, std::uint32_t mask, std::uint64_t first) {
      any = any || wallMask(g, mask, first, known) != 0;
    });
  return any;
}

void fillTileMasks(const TiledGeometry& g, std::size_t t, std::uint32_t known,
                   std::uint32_t* masks) {
  for (std::size_t l = 0; l < tileNodes; ++l) {
    const auto solid = static_cast<std::uint8_t>(preprocess::file::NodeType::Solid);
    masks[l] = g.nodeType[t * tileNodes + l] == solid ? std::uint32_t{1} << model::solidBit : 0;
  }
  forBoundaryNodes(g, t, [&](std::uint8_t local, std::uint32_t mask, std::uint64_t first) {
    masks[local] |= wallMask(g, mask, first, known);
  });
}

// Finds the tiles that need masks, numbers them by slot, fills the masks.
void fillMasks(const TiledGeometry& g, Velocities velocities, TileOrder& order) {
  std::uint32_t known = 0;
  for (std::size_t i = 1; i < velocities.size(); ++i)
    known |= std::uint32_t{1} << linkDirection(velocities[i]);
  const auto indexOf = [&](std::size_t slot) -> std::int32_t& {
    return order.neighbourTable[slot * neighbourStride + model::maskEntry];
  };
  tbb::parallel_for(std::size_t{0}, g.tiles(), [&](std::size_t t) {
    if (order.slotOfTile[t] < firstFarSlot)
      indexOf(order.slotOfTile[t]) = needsMasks(g, t, known) ? 0 : -1;
  });
  std::int32_t masked = 0;
  for (std::size_t s = 0; s < order.slotsOfTiles(); ++s)
    if (indexOf(s) == 0) indexOf(s) = masked++;
  order.masks.resize(static_cast<std::size_t>(masked) * tileNodes);
  tbb::parallel_for(std::size_t{0}, g.tiles(), [&](std::size_t t) {
    if (order.slotOfTile[t] >= firstFarSlot) return;
    const std::int32_t index = indexOf(order.slotOfTile[t]);
    if (index >= 0)
      fillTileMasks(g, t, known, &order.masks[static_cast<std::size_t>(index) * tileNodes]);
  });
}

void fillRows(const TiledGeometry& g, const SlotMap& slots, TileOrder& order) {
  tbb::parallel_for(std::size_t{0}, g.tiles(), [&](std::size_t t) {
    const std::uint32_t slot = order.slotOfTile[t];
    if (slot >= firstFarSlot) return;
    const auto& tile = g.nonEmptyTiles[t];
    std::int32_t* const row =
        &order.neighbourTable[static_cast<std::size_t>(slot) * neighbourStride];
    std::fill_n(row, neighbourStride, -1);
    if (g.isShifted())
      return fillShiftedNeighbours(
          g, tile, [&](const Int3& at) { return slots.slotAt(at); }, slot, row);
    for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
      const std::int64_t neighbour = slots.slotAt(tile + step);
      row[n] = static_cast<std::int32_t>(neighbour < 0 ? slot : neighbour);
    }
  });
}

}  // namespace

std::size_t layerAxis(const Int3& grid, TileSequence sequence) {
  if (sequence == TileSequence::InColumns) return 2;
  const double times = sequence == TileSequence::InLayers ? 4.0 : 1.5;
  std::size_t axis = 2;
  for (const std::size_t other : {1U, 0U})
    if (grid[other] > times * grid[axis]) axis = other;
  return axis;
}

TileOrder orderTiles(const TiledGeometry& geometry, Velocities velocities, TileSequence sequence,
                     const RankPart& part, BorderTiles border) {
  TileOrder order;
  giveSlots(geometry, sequence, part, border, order);
  order.shiftAxes = geometry.rows.axes;
  order.neighbourTable.resize(static_cast<std::size_t>(order.slotsOfTiles()) * neighbourStride);
  SlotMap slots(geometry, order);
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    if ((geometry.tileFlags[t] & tiler::tileHasOpening) != 0)
      addOpeningLinks(geometry, t, velocities, slots, order);
  addPeriodicCopies(geometry, velocities, slots, order);
  fillRows(geometry, slots, order);
  fillMasks(geometry, velocities, order);
  return order;
}

}  // namespace tessera::solver::tiles
