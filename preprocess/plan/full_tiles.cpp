// SPDX-License-Identifier: GPL-3.0-or-later
// A tile is full when the AND over its rows has all bits: 64 nodes along x at a time.
#include "preprocess/plan/full_tiles.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <bit>
#include <cstdlib>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::plan {

using geometry::BitLattice;

namespace {

// The AND over the rows of a tile that begins at row y and plane z, at word w of each; 0 beyond the
// box.
std::uint64_t allRows(const BitLattice& lattice, const Int3& tileSize, int w, int y, int z) {
  if (w >= lattice.rowWords() || y + tileSize[1] > lattice.size[1] ||
      z + tileSize[2] > lattice.size[2])
    return 0;
  std::uint64_t all = ~std::uint64_t{0};
  for (int dz = 0; dz < tileSize[2] && all != 0; ++dz)
    for (int dy = 0; dy < tileSize[1]; ++dy) all &= lattice.word(w, y + dy, z + dz);
  return all;
}

// Full tiles whose first node lies in word w of row y and plane z.
int fullTilesIn(const BitLattice& lattice, const Int3& tileSize, int offset, int w, int y, int z) {
  std::uint64_t here = allRows(lattice, tileSize, w, y, z);
  if (here == 0) return 0;
  std::uint64_t next = allRows(lattice, tileSize, w + 1, y, z);
  for (int width = 1; width < tileSize[0]; width *= 2) {
    here &= here >> width | next << (64 - width);
    next &= next >> width;
  }
  std::uint64_t starts = 0;  // 64 is a multiple of the tile's size
  for (int x = (tileSize[0] - offset) % tileSize[0]; x < 64; x += tileSize[0])
    starts |= std::uint64_t{1} << x;
  return std::popcount(here & starts);
}

std::uint64_t fullTilesInBlock(const BitLattice& lattice, const Int3& tileSize, const Int3& offset,
                               const Int3& block) {
  std::uint64_t full = 0;
  const int firstY = block[1] * BitLattice::blockRows, firstZ = block[2] * BitLattice::blockPlanes;
  for (int z = firstZ; z < firstZ + BitLattice::blockPlanes; ++z)
    for (int y = firstY; y < firstY + BitLattice::blockRows; ++y)
      if ((y + offset[1]) % tileSize[1] == 0 && (z + offset[2]) % tileSize[2] == 0)
        full +=
            static_cast<std::uint64_t>(fullTilesIn(lattice, tileSize, offset[0], block[0], y, z));
  return full;
}

}  // namespace

std::uint32_t velocityMask(int dimensions) {
  std::uint32_t mask = 0;
  for (int n = 0; n < 27; ++n) {
    const Int3 step = geometry::directionStep(n);
    const int components = std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]);
    if (components > 0 && components < 3 && (dimensions == 3 || step[2] == 0))
      mask |= std::uint32_t{1} << n;
  }
  return mask;
}

void removeNode(BitLattice& lattice, const Int3& node) {
  const auto [x, y, z] = node;
  std::uint64_t* const words = lattice.makeBlock(
      x / BitLattice::blockNodes, y / BitLattice::blockRows, z / BitLattice::blockPlanes);
  words[BitLattice::wordInBlock(y, z)] &= ~(std::uint64_t{1} << (x % 64));
}

std::uint64_t countFullTiles(const BitLattice& lattice, const Int3& tileSize, const Int3& offset) {
  using Range = tbb::blocked_range<int>;
  return tbb::parallel_reduce(
      Range(0, lattice.blocks()[2]), std::uint64_t{0},
      [&](const Range& range, std::uint64_t full) {
        for (int k = range.begin(); k < range.end(); ++k)
          lattice.forEachBlock(k, [&](int i, int j) {
            full += fullTilesInBlock(lattice, tileSize, offset, {i, j, k});
          });
        return full;
      },
      [](std::uint64_t left, std::uint64_t right) { return left + right; });
}

}  // namespace tessera::preprocess::plan
