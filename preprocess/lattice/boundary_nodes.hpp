// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the fluid nodes with leaving links by bit operations, 64 nodes at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "preprocess/lattice/lattice_geometry.hpp"

namespace tessera {

// A lattice row and its 8 neighbour rows; nullptr where there is none.
class RowNeighbourhood {
 public:
  RowNeighbourhood(const BitLattice& fluid, const std::array<bool, 3>& periodic, int y, int z)
      : nodes_(fluid.size[0]), words_(fluid.rowWords), wraps_(periodic[0]) {
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        const int atY = wrapped(y + dy, fluid.size[1], periodic[1]);
        const int atZ = wrapped(z + dz, fluid.size[2], periodic[2]);
        if (atY < 0 || atZ < 0) continue;
        row_[static_cast<std::size_t>(dy + 1 + 3 * (dz + 1))] =
            fluid.words.data() + fluid.rowStart(atY, atZ);
      }
  }
  // Visits every fluid node of the middle row whose links leave, by ascending x: visit(x, mask).
  template <class Visit>
  void forEachBoundaryNode(const Visit& visit) const {
    for (int w = 0; w < words_; ++w) {
      const std::uint64_t fluid = row_[4][w];
      if (fluid == 0) continue;
      std::array<std::uint64_t, 27> leaving;
      std::uint64_t any = 0;
      for (std::size_t n = 0; n < 27; ++n)
        any |= leaving[n] = fluid & ~neighbours(n / 3, static_cast<int>(n % 3) - 1, w);
      for (; any != 0; any &= any - 1) {
        const int bit = std::countr_zero(any);
        std::uint32_t mask = 0;
        for (std::size_t n = 0; n < 27; ++n)
          mask |= static_cast<std::uint32_t>((leaving[n] >> bit) & 1U) << n;
        visit(w * 64 + bit, mask);
      }
    }
  }

 private:
  static int wrapped(int at, int nodes, bool periodic) {
    if (at >= 0 && at < nodes) return at;
    return periodic ? (at + nodes) % nodes : -1;
  }
  // Bit i: the node at x = 64 w + i + dx of a row.
  [[nodiscard]] std::uint64_t neighbours(std::size_t row, int dx, int w) const {
    const std::uint64_t* words = row_[row];
    if (words == nullptr) return 0;
    if (dx < 0) return words[w] << 1U | (w > 0 ? words[w - 1] >> 63U : wraps_ ? last(words) : 0);
    if (dx == 0) return words[w];
    if (w + 1 < words_) return words[w] >> 1U | words[w + 1] << 63U;
    return words[w] >> 1U | (wraps_ ? (words[0] & 1U) << ((nodes_ - 1) % 64) : 0);
  }
  // The row's last node, as bit 0.
  [[nodiscard]] std::uint64_t last(const std::uint64_t* words) const {
    return words[words_ - 1] >> ((nodes_ - 1) % 64) & 1U;
  }

  std::array<const std::uint64_t*, 9> row_{};
  int nodes_, words_;
  bool wraps_;
};

}  // namespace tessera
