// SPDX-License-Identifier: GPL-3.0-or-later
// Compact tiles: of each tile only the fluid nodes are stored, direction after direction, in the
// order of their bits in the tile's word of 64; a node's place is the number of fluid nodes before
// it (a population count of the word). The nodes of a direction are padded to whole memory sectors
// of 32 bytes. Two copies, pull.
// Traffic per fluid node of D3Q19: 38 populations and their padding; per tile 27 indices of
// neighbours and 16 bytes that say where it lies, and 4 bytes of mask a node where it meets a wall.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "solver/comparators/structure.hpp"
#include "solver/model/device_arithmetic.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::comparators {

// Place of a tile's fluid nodes.
struct alignas(16) CompactTile {
  std::uint64_t fluid = 0;  // bit: local node
  std::uint32_t first = 0;  // populations of the tile begin at q x sectorNodes x first
  std::uint32_t run = 0;    // nodes of a direction, with padding
};

template <model::LatticeModel Lattice, unsigned sectorNodes>
struct CompactView {
  static constexpr bool inPlace = false;
  static constexpr bool streams = false;
  static constexpr bool storesSolid = false;
  static constexpr bool readsBlockFirst = false;
  static constexpr int q = Lattice::q;
  // The tile (13) and those around it, and the index of the tile's masks, or -1.
  struct BlockData {
    CompactTile around[27];
    std::int32_t masks;
  };

  const CompactTile* tiles;        // by slot
  const std::int32_t* neighbours;  // neighbourStride a slot
  const std::uint32_t* masks;      // 64 a tile that meets a wall

  // Address of population 0 of a node, from which populations are `run` apart.
  TESSERA_HOST_DEVICE static std::uint64_t addressOf(const CompactTile& tile, int local) {
    return tile.first * (std::uint64_t{q} * sectorNodes) +
           model::bitsOf(tile.fluid & ((std::uint64_t{1} << local) - 1));
  }

  template <int>
  struct Node {
    const BlockData& data;
    int local;
    bool fluid;
    std::uint32_t mask;
    std::uint32_t run;
    std::uint64_t own;

    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t source() const {
      if constexpr (i == 0) {
        return own;
      } else {
        constexpr auto c = Lattice::c[i];
        constexpr int out = model::opposite(i);
        if ((mask >> model::linkBit<Lattice>(out) & 1U) != 0) return own + out * std::uint64_t{run};
        const int x = (local & 3) - c[0];
        const int y = (local >> 2 & 3) - c[1];
        const int z = (local >> 4) - c[2];
        const int n = 13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2);
        const CompactTile there = data.around[n];
        return addressOf(there, (x & 3) | (y & 3) << 2 | (z & 3) << 4) +
               i * std::uint64_t{there.run};
      }
    }
    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t target() const {
      return own + i * std::uint64_t{run};
    }
  };

  TESSERA_HOST_DEVICE void loadBlock(std::uint32_t first, unsigned lane, BlockData& data) const {
    if (lane < 27) data.around[lane] = tiles[static_cast<std::uint32_t>(tableOf(first)[lane])];
    if (lane == model::maskEntry) data.masks = tableOf(first)[lane];
  }
  // Whether the tile and those around it lie in memory as tile populations do, without walls.
  [[nodiscard]] bool isWhole(const BlockData& data) const {
    return data.masks < 0 &&
           std::all_of(data.around, data.around + 27,
                       [](const CompactTile& tile) { return tile.fluid == ~std::uint64_t{0}; });
  }

  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData& data) const {
    const int local = static_cast<int>(unit % 64);
    const CompactTile tile = data.around[13];
    const std::uint32_t mask =
        data.masks < 0 ? 0U : masks[static_cast<std::uint64_t>(data.masks) * 64 + unit % 64];
    return {data, local, (tile.fluid >> local & 1U) != 0, mask, tile.run, addressOf(tile, local)};
  }

 private:
  TESSERA_HOST_DEVICE const std::int32_t* tableOf(std::uint32_t unit) const {
    return neighbours + std::uint64_t{unit / 64} * model::neighbourStride;
  }
};

template <model::LatticeModel Lattice, unsigned sectorNodes>
class CompactTiles {
  static constexpr int q = Lattice::q;

 public:
  using View = CompactView<Lattice, sectorNodes>;

  // Throws StageError(Usage) for the shifted tiling and for periodic axes that whole tiles do not
  // fill.
  explicit CompactTiles(const FluidNodes& nodes)
      : tiles_(nodes.tileOrder().tiles),
        neighbours_(nodes.tileOrder().neighbourTable),
        masks_(nodes.tileOrder().masks),
        unitOfNode_(nodes.count()) {
    requireWholeTiles(nodes);
    for (std::uint32_t node = 0; node < nodes.count(); ++node) {
      unitOfNode_[node] = static_cast<std::uint32_t>(nodes.slotPlace(node));
      tiles_[unitOfNode_[node] / 64].fluid |= std::uint64_t{1} << (unitOfNode_[node] % 64);
    }
    for (CompactTile& tile : tiles_) {
      tile.first = sectors_;
      tile.run = static_cast<std::uint32_t>(roundUp(model::bitsOf(tile.fluid), sectorNodes));
      sectors_ += tile.run / sectorNodes;
    }
  }

  [[nodiscard]] std::uint32_t units() const {
    return static_cast<std::uint32_t>(tiles_.size() * 64);
  }
  [[nodiscard]] std::uint64_t values() const { return std::uint64_t{sectors_} * sectorNodes * q; }
  [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const { return unitOfNode_[node]; }
  [[nodiscard]] auto arrays() const { return std::tie(tiles_, neighbours_, masks_); }
  [[nodiscard]] View view(const CompactTile* tiles, const std::int32_t* neighbours,
                          const std::uint32_t* masks) const {
    return {tiles, neighbours, masks};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    return 2.0 * bytes * static_cast<double>(values()) + static_cast<double>(arrayBytes(*this));
  }

 private:
  std::uint32_t sectors_ = 0;  // of one direction
  std::vector<CompactTile> tiles_;
  std::vector<std::int32_t> neighbours_;
  std::vector<std::uint32_t> masks_;
  std::vector<std::uint32_t> unitOfNode_;
};

}  // namespace tessera::solver::comparators
