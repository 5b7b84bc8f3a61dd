// SPDX-License-Identifier: GPL-3.0-or-later
// The windows of edge x edge x depth nodes that end on the nodes of a block: a tile of the fluid at
// any offset is such a window, so what counts tiles at many offsets counts these. A window is named
// by its last node: window x of a row holds nodes x - edge + 1 .. x.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"

namespace tessera {

// The blocks of layer k, one beyond the lattice's last included, on whose nodes a window with a
// node may end: those with nodes and those behind them, as i and j, each once.
std::vector<std::array<int, 2>> blocksWithWindows(const BitLattice& fluid, int k);

template <int edge, int depth>
class WindowBlock {
 public:
  static constexpr int rows = BitLattice::blockRows;
  static constexpr int planes = BitLattice::blockPlanes;

  // The block may lie one beyond the lattice's last on any axis.
  void load(const BitLattice& fluid, int i, int j, int k) {
    loadNodes(fluid, i, j, k);
    joinPlanes();
  }

  // Which windows have a node, of the 64 that end on row r and plane p of the block.
  [[nodiscard]] std::uint64_t windows(int r, int p) const {
    Nodes window = at(r, p);
    for (int back = 1; back < edge; ++back) window.join(at(r - back, p));
    if (window.here == 0 && window.before >> (65 - edge) == 0) return 0;
    // The OR over the nodes that end at each x by doubling, with the carry from the word before.
    for (int shift = 1; shift < edge; shift *= 2) {
      window.here |= window.here << shift | window.before >> (64 - shift);
      window.before |= window.before << shift;
    }
    return window.here;
  }

 private:
  // Windows begin up to edge - 1 nodes before the block: so many rows and planes more.
  static constexpr int moreRows = edge - 1;
  static constexpr int morePlanes = depth - 1;
  // A word of nodes and, in the high bits of `before`, the nodes in front of it.
  struct Nodes {
    std::uint64_t here = 0, before = 0;
    void join(const Nodes& other) {
      here |= other.here;
      before |= other.before;
    }
  };
  static constexpr std::size_t index(int r, int p) {
    return static_cast<std::size_t>(r + moreRows + (rows + moreRows) * (p + morePlanes));
  }
  Nodes& at(int r, int p) { return nodes_[index(r, p)]; }
  [[nodiscard]] const Nodes& at(int r, int p) const { return nodes_[index(r, p)]; }

  void loadNodes(const BitLattice& fluid, int i, int j, int k) {
    nodes_.fill({});
    for (int dk = -1; dk <= 0; ++dk)
      for (int dj = -1; dj <= 0; ++dj) {
        const std::uint64_t* here = fluid.block(i, j + dj, k + dk);
        const std::uint64_t* before = fluid.block(i - 1, j + dj, k + dk);
        for (int p = dk < 0 ? planes - morePlanes : 0; p < planes; ++p)
          for (int r = dj < 0 ? rows - moreRows : 0; r < rows; ++r) {
            const std::size_t word = BitLattice::wordInBlock(r, p);
            Nodes& nodes = at(r + dj * rows, p + dk * planes);
            if (here != nullptr) nodes.here = here[word];
            if (before != nullptr) nodes.before = before[word];
          }
      }
  }
  // Into each plane the depth - 1 before it.
  void joinPlanes() {
    for (int p = planes - 1; p >= 0; --p)
      for (int r = -moreRows; r < rows; ++r)
        for (int back = 1; back < depth; ++back) at(r, p).join(at(r, p - back));
  }

  std::array<Nodes, static_cast<std::size_t>((rows + moreRows) * (planes + morePlanes))> nodes_;
};

}  // namespace tessera
