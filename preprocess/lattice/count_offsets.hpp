// SPDX-License-Identifier: GPL-3.0-or-later
// Number of tiles of 64 nodes that cover the fluid, by the offset of the tile mesh. In preprocess,
// since --plan uses it too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::lattice {

constexpr Int3 tileSizeFor(int dimensions) {
  return dimensions == 2 ? Int3{8, 8, 1} : Int3{4, 4, 4};
}

// Tile counts of all offsets, index ox + 4 * (oy + 4 * oz) in 3D (8 * 8 offsets in 2D:
// ox + 8 * oy).
struct OffsetCounts {
  Int3 tileSize{4, 4, 4};
  std::vector<std::uint64_t> tiles;
  [[nodiscard]] Int3 offsetOf(std::size_t index) const {
    const int i = static_cast<int>(index);
    return {i % tileSize[0], i / tileSize[0] % tileSize[1], i / (tileSize[0] * tileSize[1])};
  }
  [[nodiscard]] std::uint64_t at(const Int3& offset) const {
    return tiles[static_cast<std::size_t>(offset[0] +
                                          tileSize[0] * (offset[1] + tileSize[1] * offset[2]))];
  }
  // Offset with the fewest tiles; ties: lowest z, then y, then x.
  [[nodiscard]] Int3 best() const;
};

// Counts of all 64 offsets in one pass over the bits; parallel.
OffsetCounts countTilesAtAllOffsets(const geometry::BitLattice& fluid, int dimensions);

// Offset for --offset auto: the best one; but a periodic axis divisible into whole tiles keeps
// offset 0, so that tiles match across the wrap and the solver needs no copies.
Int3 chooseOffset(const OffsetCounts& counts, const Int3& nodes,
                  const std::array<bool, 3>& periodic);
inline Int3 chooseOffset(const OffsetCounts& counts, const geometry::LatticeGeometry& geometry) {
  return chooseOffset(counts, geometry.fluid.size, geometry.periodic);
}

// Windows of edge x edge x depth nodes that end on the nodes of a block; a tile at any offset is
// such a window. A window is named by its last node: window x of a row covers nodes x - edge + 1 ..
// x.

// Blocks of layer k (including one past the last) on whose nodes a non-empty window may end: those
// with nodes and their successors, as unique pairs (i, j).
std::vector<std::array<int, 2>> blocksWithWindows(const geometry::BitLattice& fluid, int k);

template <int edge, int depth>
class WindowBlock {
  static_assert(edge == 4 || edge == 8);

 public:
  static constexpr int rows = geometry::BitLattice::blockRows;
  static constexpr int planes = geometry::BitLattice::blockPlanes;

  // The block may be one past the last on any axis.
  void load(const geometry::BitLattice& fluid, int i, int j, int k) {
    for (int dk = -1; dk <= 0; ++dk)
      for (int dj = -1; dj <= 0; ++dj) loadFrom(fluid, {i, j + dj, k + dk}, dj, dk);
    joinPlanes();
    joinRows();
  }

  // Bit mask of non-empty windows among the 64 that end on row r and plane p of the block.
  [[nodiscard]] std::uint64_t windows(int r, int p) const { return word_[index(r, p)]; }

 private:
  // Windows begin up to edge - 1 nodes before the block, hence the additional rows and planes.
  static constexpr int moreRows = edge - 1;
  static constexpr int morePlanes = depth - 1;
  static constexpr int stride = rows + moreRows;
  static constexpr std::size_t index(int r, int p) {
    return static_cast<std::size_t>(r + moreRows + stride * (p + morePlanes));
  }

  // Copies rows and planes of the block or one of its predecessors on y and z.
  void loadFrom(const geometry::BitLattice& fluid, const Int3& at, int dj, int dk) {
    static constexpr std::array<std::uint64_t, geometry::BitLattice::blockWords> empty{};
    const std::uint64_t* here = fluid.block(at[0], at[1], at[2]);
    const std::uint64_t* before = fluid.block(at[0] - 1, at[1], at[2]);
    if (here == nullptr) here = empty.data();
    if (before == nullptr) before = empty.data();
    for (int p = dk < 0 ? planes - morePlanes : 0; p < planes; ++p) {
      const int first = dj < 0 ? rows - moreRows : 0;
      const std::size_t from = geometry::BitLattice::wordInBlock(first, p);
      slide(here + from, before + from, rows - first,
            word_.data() + index(first + dj * rows, p + dk * planes));
    }
  }
  // Sliding OR along x by doubling, with the carry from the previous word.
  static void slide(const std::uint64_t* here, const std::uint64_t* before, int count,
                    std::uint64_t* to) {
    std::array<std::uint64_t, rows> window;  // separate, so that rows are vectorised
    for (int r = 0; r < count; ++r) {
      std::uint64_t now = here[r], earlier = before[r];
      now |= now << 1 | earlier >> 63;
      earlier |= earlier << 1;
      now |= now << 2 | earlier >> 62;
      if constexpr (edge == 8) {
        earlier |= earlier << 2;
        now |= now << 4 | earlier >> 60;
      }
      window[static_cast<std::size_t>(r)] = now;
    }
    std::copy_n(window.data(), count, to);
  }
  // Sliding OR along z over depth planes.
  void joinPlanes() {
    for (int p = planes - 1; p >= 0; --p)
      for (int back = 1; back < depth; ++back)
        for (int r = -moreRows; r < rows; ++r) word_[index(r, p)] |= word_[index(r, p - back)];
  }
  // Sliding OR along y over edge rows, by doubling.
  void joinRows() {
    for (int p = 0; p < planes; ++p) {
      std::uint64_t* const row = word_.data() + index(-moreRows, p);
      for (int shift = 1; shift < edge; shift *= 2) {
        std::array<std::uint64_t, stride> joined{};
        for (int r = shift; r < stride; ++r)
          joined[static_cast<std::size_t>(r)] = row[r] | row[r - shift];
        std::copy_n(joined.data(), stride, row);
      }
    }
  }

  std::array<std::uint64_t, static_cast<std::size_t>(stride*(planes + morePlanes))> word_;
};

}  // namespace tessera::preprocess::lattice
