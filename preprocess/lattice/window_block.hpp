// SPDX-License-Identifier: GPL-3.0-or-later
// The windows of edge x edge x depth nodes that end on the nodes of a block: a tile of the fluid at
// any offset is such a window, so what counts tiles at many offsets counts these. A window is named
// by its last node: window x of a row holds nodes x - edge + 1 .. x.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"

namespace tessera::preprocess::lattice {

// The blocks of layer k, one beyond the lattice's last included, on whose nodes a window with a
// node may end: those with nodes and those behind them, as i and j, each once.
std::vector<std::array<int, 2>> blocksWithWindows(const geometry::BitLattice& fluid, int k);

template <int edge, int depth>
class WindowBlock {
  static_assert(edge == 4 || edge == 8);

 public:
  static constexpr int rows = geometry::BitLattice::blockRows;
  static constexpr int planes = geometry::BitLattice::blockPlanes;

  // The block may lie one beyond the lattice's last on any axis.
  void load(const geometry::BitLattice& fluid, int i, int j, int k) {
    for (int dk = -1; dk <= 0; ++dk)
      for (int dj = -1; dj <= 0; ++dj) loadFrom(fluid, {i, j + dj, k + dk}, dj, dk);
    joinPlanes();
    joinRows();
  }

  // Which windows have a node, of the 64 that end on row r and plane p of the block.
  [[nodiscard]] std::uint64_t windows(int r, int p) const { return word_[index(r, p)]; }

 private:
  // Windows begin up to edge - 1 nodes before the block: so many rows and planes more.
  static constexpr int moreRows = edge - 1;
  static constexpr int morePlanes = depth - 1;
  static constexpr int stride = rows + moreRows;
  static constexpr std::size_t index(int r, int p) {
    return static_cast<std::size_t>(r + moreRows + stride * (p + morePlanes));
  }

  // What the block or one of those in front of it on y and z has of the rows and planes.
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
  // The OR over the nodes that end at each x by doubling, with the carry from the word before.
  static void slide(const std::uint64_t* here, const std::uint64_t* before, int count,
                    std::uint64_t* to) {
    std::array<std::uint64_t, rows> window;  // of its own, so that rows are worked on side by side
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
  // Into each plane the depth - 1 before it.
  void joinPlanes() {
    for (int p = planes - 1; p >= 0; --p)
      for (int back = 1; back < depth; ++back)
        for (int r = -moreRows; r < rows; ++r) word_[index(r, p)] |= word_[index(r, p - back)];
  }
  // Into each row the edge - 1 before it, by doubling.
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
