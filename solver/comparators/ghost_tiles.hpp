// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles with ghost buffers (TGB of Tomczak & Szafran 2016): one copy of the populations, stored
// where they arrive. Those that stay in their tile, or bounce back, are scattered inside it once
// all its nodes have been read; those that leave it go to ghost buffers, of 16 values (in 2D 8 or
// 16) for each direction and face that the direction leaves through, of which there are two copies
// in turn. A value that leaves across an edge (in 2D a corner) lies in the buffer of the first of
// its two faces, alone. Tiles of 4x4x4 nodes, in 2D of 8x8 and, as theirs, of 16x16. Traffic: 38
// populations a node in memory sectors of 32 bytes, as counted tile by tile; 72 indices of buffers
// a tile (D2Q9: 18 populations, 28 indices), and 4 bytes of mask a node where it meets a wall.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "solver/backend/cpu/parallel.hpp"
#include "solver/comparators/structure.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::comparators {

// Axis that direction i moves along: the first (order 0) or second (1); 3: none.
template <model::LatticeModel Lattice>
constexpr int movedAxis(int i, int order) {
  for (int a = 0; a < 3; ++a)
    if (Lattice::c[static_cast<std::size_t>(i)][static_cast<std::size_t>(a)] != 0 && order-- == 0)
      return a;
  return 3;
}
// Number of the first buffer that a tile writes for direction i, one for each axis it moves along:
// 30 in all on D3Q19, 12 on D2Q9.
template <model::LatticeModel Lattice>
constexpr int firstWritten(int i) {
  int count = 0;
  for (int k = 1; k < i; ++k) count += movedAxis<Lattice>(k, 1) == 3 ? 1 : 2;
  return count;
}
// Number of the first buffer that a tile reads for direction i, one for each tile that it comes
// from: 42 in all, 16 on D2Q9.
template <model::LatticeModel Lattice>
constexpr int firstRead(int i) {
  int count = 0;
  for (int k = 1; k < i; ++k) count += movedAxis<Lattice>(k, 1) == 3 ? 1 : 3;
  return count;
}

// A tile of the solver, or a group of 2^group of them along each axis.
template <model::LatticeModel Lattice, int group>
struct GhostShape {
  using Tile = model::TileShape<Lattice>;
  static constexpr int log2X = Tile::log2X + group;
  static constexpr int log2Y = Tile::log2Y + group;
  static constexpr int log2Z = Lattice::dimensions == 3 ? Tile::log2Z + group : 0;
  static constexpr int x = 1 << log2X;
  static constexpr int y = 1 << log2Y;
  static constexpr int z = 1 << log2Z;
  static constexpr int nodes = x * y * z;
};

template <model::LatticeModel Lattice, int group = 0>
struct GhostView {
  static constexpr bool inPlace = true;
  static constexpr bool streams = false;
  static constexpr bool storesSolid = false;
  static constexpr bool readsBlockFirst = true;
  static constexpr int q = Lattice::q;
  using Shape = GhostShape<Lattice, group>;
  static constexpr std::uint32_t blockUnits = Shape::nodes;
  static constexpr int ghostValues = Shape::x * Shape::z;  // of a face
  static constexpr int written = firstWritten<Lattice>(q);
  static constexpr int read = firstRead<Lattice>(q);

  // Buffers of the tile.
  struct BlockData {
    std::uint32_t writes[written];
    std::uint32_t reads[read];
  };

  const std::uint32_t* writes;  // buffers, `written` a slot
  const std::uint32_t* reads;   // `read` a slot
  const std::int32_t* maskOf;   // by unit / 64: index of their masks, or -1
  const std::uint32_t* masks;   // 64 each
  std::uint64_t ghosts[2];      // addresses of both copies of the buffers

  TESSERA_HOST_DEVICE static constexpr std::uint64_t addressOf(std::uint32_t slot, int i,
                                                               int local) {
    return (std::uint64_t{slot} * q + static_cast<unsigned>(i)) * Shape::nodes +
           static_cast<unsigned>(local);
  }
  // Coordinate of a local node.
  template <int axis>
  TESSERA_HOST_DEVICE static constexpr int coordinate(int local) {
    if constexpr (axis == 0)
      return local & (Shape::x - 1);
    else if constexpr (axis == 1)
      return local >> Shape::log2X & (Shape::y - 1);
    else
      return local >> (Shape::log2X + Shape::log2Y);
  }
  TESSERA_HOST_DEVICE static constexpr int localNode(int x, int y, int z) {
    return x | y << Shape::log2X | z << (Shape::log2X + Shape::log2Y);
  }
  // Whether a coordinate lies beyond the tile; edges are equal on all axes that links move along.
  TESSERA_HOST_DEVICE static constexpr bool isBeyond(int at) { return (at & ~(Shape::x - 1)) != 0; }
  // Place of a node in the buffer of a face across `axis`: its other coordinates, in the tile.
  template <int axis>
  TESSERA_HOST_DEVICE static unsigned entry(int x, int y, int z) {
    const int u = axis == 0 ? y : x;
    const int v = axis == 2 ? y : z;
    return static_cast<unsigned>((u & (Shape::x - 1)) | (v & (Shape::z - 1)) << Shape::log2X);
  }

  template <int phase>
  struct Node {
    const GhostView& view;
    const BlockData& data;
    std::uint32_t slot;
    int local;
    bool fluid;
    std::uint32_t mask;

    [[nodiscard]] TESSERA_HOST_DEVICE bool isWall(int bit) const { return (mask >> bit & 1U) != 0; }
    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t source() const {
      const std::uint64_t own = addressOf(slot, i, local);
      if constexpr (i == 0) {
        return own;
      } else {
        constexpr auto c = Lattice::c[i];
        constexpr int first = movedAxis<Lattice>(i, 0);
        constexpr int second = movedAxis<Lattice>(i, 1);
        const int at[4] = {coordinate<0>(local) - c[0], coordinate<1>(local) - c[1],
                           coordinate<2>(local) - c[2], 0};
        const bool acrossFirst = isBeyond(at[first]);
        const bool acrossSecond = isBeyond(at[second]);
        if (!(acrossFirst || acrossSecond) || isWall(model::linkBit<Lattice>(model::opposite(i))))
          return own;
        const int number =
            firstRead<Lattice>(i) + (acrossFirst ? 1 : 0) + (acrossSecond ? 2 : 0) - 1;
        const std::uint64_t buffer = data.reads[number];
        unsigned place = entry<first>(at[0], at[1], at[2]);
        if constexpr (second != 3)
          if (!acrossFirst) place = entry<second>(at[0], at[1], at[2]);
        return view.ghosts[phase] + buffer * ghostValues + place;
      }
    }
    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t target() const {
      if constexpr (i == 0) {
        return addressOf(slot, 0, local);
      } else {
        constexpr auto c = Lattice::c[i];
        constexpr int first = movedAxis<Lattice>(i, 0);
        constexpr int second = movedAxis<Lattice>(i, 1);
        if (isWall(model::linkBit<Lattice>(i))) return addressOf(slot, model::opposite(i), local);
        const int x = coordinate<0>(local);
        const int y = coordinate<1>(local);
        const int z = coordinate<2>(local);
        const int to[4] = {x + c[0], y + c[1], z + c[2], 0};
        const bool acrossFirst = isBeyond(to[first]);
        const bool acrossSecond = isBeyond(to[second]);
        if (!(acrossFirst || acrossSecond))
          return addressOf(slot, i, localNode(to[0], to[1], to[2]));
        unsigned number = firstWritten<Lattice>(i);
        unsigned place = entry<first>(x, y, z);
        if constexpr (second != 3)
          if (!acrossFirst) {
            ++number;
            place = entry<second>(x, y, z);
          }
        return view.ghosts[1 - phase] + std::uint64_t{data.writes[number]} * ghostValues + place;
      }
    }
  };

  TESSERA_HOST_DEVICE void loadBlock(std::uint32_t first, unsigned lane, BlockData& data) const {
    const std::uint64_t slot = first / blockUnits;
    if (lane < unsigned{written}) data.writes[lane] = writes[slot * written + lane];
    if (lane < unsigned{read}) data.reads[lane] = reads[slot * read + lane];
  }
  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData& data) const {
    const std::uint32_t slot = unit / blockUnits;
    const std::int32_t entryOfMasks = maskOf[unit / 64];
    const std::uint32_t mask =
        entryOfMasks < 0 ? 0U : masks[static_cast<std::uint64_t>(entryOfMasks) * 64 + unit % 64];
    return {
        *this, data, slot, static_cast<int>(unit % blockUnits), (mask >> model::solidBit & 1U) == 0,
        mask};
  }
};

// Groups of tiles, numbered in the order of their first tiles.
class TileGroups {
 public:
  TileGroups(const FluidNodes& nodes, int group);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(at_.size()); }
  [[nodiscard]] std::uint32_t ofSlot(std::size_t slot) const { return ofSlot_[slot]; }
  // The group a step away; the group itself stands for none, and for a periodic axis of one group,
  // where a buffer is its own.
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t of, const std::array<int, 3>& step,
                                        int sign) const;

 private:
  [[nodiscard]] std::size_t indexOf(const std::array<int, 3>& at) const {
    return (static_cast<std::size_t>(at[2]) * static_cast<std::size_t>(grid_[1]) +
            static_cast<std::size_t>(at[1])) *
               static_cast<std::size_t>(grid_[0]) +
           static_cast<std::size_t>(at[0]);
  }

  std::array<bool, 3> periodic_;
  std::array<int, 3> grid_{};
  std::vector<std::uint32_t> ofSlot_;
  std::vector<std::array<int, 3>> at_;
  std::vector<std::uint32_t> numbers_;  // by place in the grid; noNode: none
};

inline TileGroups::TileGroups(const FluidNodes& nodes, int group)
    : periodic_(nodes.geometry().periodic), ofSlot_(nodes.tileOrder().tiles) {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  std::size_t places = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const int edge = 1 << (static_cast<int>(a) < geometry.dimensions ? group : 0);
    grid_[a] = (geometry.grid[a] + edge - 1) / edge;
    places *= static_cast<std::size_t>(grid_[a]);
    if (periodic_[a] && geometry.grid[a] % edge != 0)
      stage::fail(stage::ExitCode::Usage,
                  "groups of tiles with ghost buffers are measured with periodic axes that whole "
                  "groups fill; use such a geometry");
  }
  numbers_.assign(places, noNode);
  std::vector<std::size_t> tileOfSlot(ofSlot_.size());
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    tileOfSlot[nodes.tileOrder().slotOfTile[t]] = t;
  for (std::size_t slot = 0; slot < ofSlot_.size(); ++slot) {
    std::array<int, 3> at{};
    for (std::size_t a = 0; a < 3; ++a)
      at[a] = geometry.nonEmptyTiles[tileOfSlot[slot]][a] >>
              (static_cast<int>(a) < geometry.dimensions ? group : 0);
    std::uint32_t& number = numbers_[indexOf(at)];
    if (number == noNode) {
      number = count();
      at_.push_back(at);
    }
    ofSlot_[slot] = number;
  }
}

inline std::uint32_t TileGroups::neighbour(std::uint32_t of, const std::array<int, 3>& step,
                                           int sign) const {
  std::array<int, 3> at = at_[of];
  for (std::size_t a = 0; a < 3; ++a) {
    at[a] += sign * step[a];
    if (periodic_[a]) at[a] = (at[a] + grid_[a]) % grid_[a];
    if (at[a] < 0 || at[a] >= grid_[a]) return of;
  }
  const std::uint32_t found = numbers_[indexOf(at)];
  return found == noNode ? of : found;
}

template <model::LatticeModel Lattice, unsigned bytesOfPopulation, int group = 0>
class GhostTiles {
  static constexpr int q = Lattice::q;

 public:
  using View = GhostView<Lattice, group>;
  using Shape = typename View::Shape;

  // Throws StageError(Usage) for the shifted tiling and for periodic axes that whole tiles, or
  // groups of them, do not fill.
  explicit GhostTiles(const FluidNodes& nodes);

  [[nodiscard]] std::uint32_t units() const {
    return static_cast<std::uint32_t>(maskOf_.size() * 64);
  }
  [[nodiscard]] std::uint64_t values() const {
    return q * std::uint64_t{units()} + 2 * ghostRoom();
  }
  [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const { return unitOfNode_[node]; }
  [[nodiscard]] auto arrays() const { return std::tie(writes_, reads_, maskOf_, masks_); }
  [[nodiscard]] View view(const std::uint32_t* writes, const std::uint32_t* reads,
                          const std::int32_t* maskOf, const std::uint32_t* masks) const {
    const std::uint64_t first = q * std::uint64_t{units()};
    return {writes, reads, maskOf, masks, {first, first + ghostRoom()}};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    return 32.0 * static_cast<double>(sectors_) * bytes / bytesOfPopulation +
           static_cast<double>(arrayBytes(*this));
  }
  // Ghost buffers of one copy, and all that tiles could have.
  [[nodiscard]] std::uint32_t buffers() const { return buffers_; }
  [[nodiscard]] std::uint64_t possibleBuffers() const {
    return std::uint64_t{View::written} * (units() / View::blockUnits);
  }

 private:
  // Values of a copy of the buffers.
  [[nodiscard]] std::uint64_t ghostRoom() const {
    return roundUp(std::uint64_t{buffers_} * View::ghostValues, 64);
  }
  void fillMasks(const FluidNodes& nodes, const TileGroups& groups);
  void giveBuffers(const TileGroups& groups);
  void countSectors();

  std::uint32_t buffers_ = 0;
  std::uint64_t sectors_ = 0;  // read and written in a step
  std::vector<std::uint32_t> writes_;
  std::vector<std::uint32_t> reads_;
  std::vector<std::int32_t> maskOf_;
  std::vector<std::uint32_t> masks_;
  std::vector<std::uint32_t> unitOfNode_;
};

template <model::LatticeModel Lattice, unsigned bytesOfPopulation, int group>
GhostTiles<Lattice, bytesOfPopulation, group>::GhostTiles(const FluidNodes& nodes)
    : unitOfNode_(nodes.count()) {
  requireWholeTiles(nodes);
  const TileGroups groups(nodes, group);
  fillMasks(nodes, groups);
  giveBuffers(groups);
  countSectors();
}

template <model::LatticeModel Lattice, unsigned bytesOfPopulation, int group>
void GhostTiles<Lattice, bytesOfPopulation, group>::fillMasks(const FluidNodes& nodes,
                                                              const TileGroups& groups) {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  std::vector<std::uint32_t> all(std::size_t{groups.count()} * View::blockUnits,
                                 std::uint32_t{1} << unsigned{model::solidBit});
  forNodes(nodes, [&](std::uint32_t node) {
    using Tile = typename Shape::Tile;
    const auto& tile = geometry.nonEmptyTiles[nodes.place(node) / 64];
    const int local = static_cast<int>(nodes.place(node) % 64);
    // Low bits of a coordinate in the tile, the next ones in its group.
    const int x = (tile[0] << Tile::log2X & (Shape::x - 1)) | (local & (Tile::x - 1));
    const int y =
        (tile[1] << Tile::log2Y & (Shape::y - 1)) | (local >> Tile::log2X & (Tile::y - 1));
    const int z = (tile[2] << Tile::log2Z & (Shape::z - 1)) | local >> (Tile::log2X + Tile::log2Y);
    unitOfNode_[node] = groups.ofSlot(nodes.slotPlace(node) / 64) * View::blockUnits +
                        static_cast<std::uint32_t>(View::localNode(x, y, z));
    all[unitOfNode_[node]] = nodes.wallLinks(node);
  });
  for (auto begin = all.begin(); begin != all.end(); begin += 64) {
    const bool plain = std::all_of(begin, begin + 64, [](std::uint32_t mask) { return mask == 0; });
    maskOf_.push_back(plain ? -1 : static_cast<std::int32_t>(masks_.size() / 64));
    if (!plain) masks_.insert(masks_.end(), begin, begin + 64);
  }
}

// A buffer for each direction and face with a tile across it, or, for the first of two faces, with
// one across their edge. Entries of other faces are never used: links there end on walls.
template <model::LatticeModel Lattice, unsigned bytesOfPopulation, int group>
void GhostTiles<Lattice, bytesOfPopulation, group>::giveBuffers(const TileGroups& groups) {
  const std::uint32_t tiles = groups.count();
  writes_.assign(std::size_t{tiles} * View::written, 0);
  reads_.assign(std::size_t{tiles} * View::read, 0);
  const auto along = [](int i, int axis) {
    std::array<int, 3> step{};
    if (axis < 3)
      step[static_cast<std::size_t>(axis)] =
          Lattice::c[static_cast<std::size_t>(i)][static_cast<std::size_t>(axis)];
    return step;
  };
  // Whether a population leaves the tile across the face of axis `first`, and, where `second` is an
  // axis, not across that of `second`.
  const auto leaves = [&](std::uint32_t slot, int i, int first, int second) {
    for (int l = 0; l < Shape::nodes; ++l) {
      const auto& c = Lattice::c[static_cast<std::size_t>(i)];
      const std::array<int, 4> to{View::template coordinate<0>(l) + c[0],
                                  View::template coordinate<1>(l) + c[1],
                                  View::template coordinate<2>(l) + c[2], 0};
      const bool here = View::isBeyond(to[static_cast<std::size_t>(first)]) &&
                        (second == 3 || !View::isBeyond(to[static_cast<std::size_t>(second)]));
      const std::uint32_t unit = slot * View::blockUnits + static_cast<std::uint32_t>(l);
      const std::int32_t masks = maskOf_[unit / 64];
      const std::uint32_t mask =
          masks < 0 ? 0U : masks_[static_cast<std::size_t>(masks) * 64 + unit % 64];
      const bool stays = (mask >> unsigned(model::linkBit<Lattice>(i)) & 1U) != 0 ||
                         (mask >> unsigned{model::solidBit} & 1U) != 0;
      if (here && !stays) return true;
    }
    return false;
  };
  // The first face has the values across the edge too.
  std::vector<std::uint32_t> needed(tiles);  // bit: number of a buffer of the tile
  backend::parallelIndices(tiles, 256, [&](std::size_t slot) {
    for (int i = 1; i < q; ++i) {
      const int first = movedAxis<Lattice>(i, 0);
      const int second = movedAxis<Lattice>(i, 1);
      const auto number = static_cast<unsigned>(firstWritten<Lattice>(i));
      const bool atFirst = leaves(static_cast<std::uint32_t>(slot), i, first, 3);
      const bool atSecond =
          second != 3 && leaves(static_cast<std::uint32_t>(slot), i, second, first);
      needed[slot] |= (atFirst ? 1U : 0U) << number | (atSecond ? 2U : 0U) << number;
    }
  });
  static_assert(View::written <= 32);
  for (std::uint32_t slot = 0; slot < tiles; ++slot)
    for (std::size_t number = 0; number < View::written; ++number)
      if ((needed[slot] >> number & 1U) != 0)
        writes_[std::size_t{slot} * View::written + number] = buffers_++;
  for (std::uint32_t slot = 0; slot < tiles; ++slot)
    for (int i = 1; i < q; ++i) {
      const int first = movedAxis<Lattice>(i, 0);
      const int second = movedAxis<Lattice>(i, 1);
      const auto writtenBy = [&](const std::array<int, 3>& step, int face) {
        return writes_[std::size_t{groups.neighbour(slot, step, -1)} * View::written +
                       std::size_t(firstWritten<Lattice>(i) + face)];
      };
      std::uint32_t* own =
          &reads_[std::size_t{slot} * View::read + std::size_t(firstRead<Lattice>(i))];
      own[0] = writtenBy(along(i, first), 0);
      if (second == 3) continue;
      own[1] = writtenBy(along(i, second), 1);
      own[2] = writtenBy(Lattice::c[static_cast<std::size_t>(i)], 0);
    }
}

template <model::LatticeModel Lattice, unsigned bytesOfPopulation, int group>
void GhostTiles<Lattice, bytesOfPopulation, group>::countSectors() {
  std::atomic<std::uint64_t> sum = 0;
  const View onHost = hostView(*this);
  backend::parallelIndices(units() / View::blockUnits, 64, [&](std::size_t slot) {
    const auto first = static_cast<std::uint32_t>(slot) * View::blockUnits;
    typename View::BlockData data;
    for (unsigned lane = 0; lane < 64; ++lane) onHost.loadBlock(first, lane, data);
    std::vector<std::uint64_t> touched[2];
    for (std::uint32_t l = 0; l < View::blockUnits; ++l) {
      const auto node = onHost.template node<0>(first + l, data);
      if (!node.fluid) continue;
      model::forEach<q>([&](auto i) {
        touched[0].push_back(node.template source<i>() * bytesOfPopulation / 32);
        touched[1].push_back(node.template target<i>() * bytesOfPopulation / 32);
      });
    }
    for (auto& sectors : touched) {
      std::sort(sectors.begin(), sectors.end());
      sum +=
          static_cast<std::uint64_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
    }
  });
  sectors_ = sum;
}

}  // namespace tessera::solver::comparators
