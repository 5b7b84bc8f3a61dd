// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/window_block.hpp"

namespace tessera::preprocess::lattice {

std::vector<std::array<int, 2>> blocksWithWindows(const geometry::BitLattice& fluid, int k) {
  const Int3 blocks = fluid.blocks();
  std::vector<std::array<int, 2>> found;
  std::vector<std::uint8_t> isFound(static_cast<std::size_t>(blocks[0] + 1) *
                                    static_cast<std::size_t>(blocks[1] + 1));
  const auto add = [&](int i, int j) {
    for (int dj = 0; dj < 2; ++dj)
      for (int di = 0; di < 2; ++di) {
        std::uint8_t& mark = isFound[static_cast<std::size_t>(i + di + (blocks[0] + 1) * (j + dj))];
        if (mark == 0) found.push_back({i + di, j + dj});
        mark = 1;
      }
  };
  if (k < blocks[2]) fluid.forEachBlock(k, add);
  if (k > 0) fluid.forEachBlock(k - 1, add);
  return found;
}

}  // namespace tessera::preprocess::lattice
