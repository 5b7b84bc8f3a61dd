// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/fluid_grid.hpp"

#include <tbb/parallel_for.h>

#include <sstream>

#include "pipelines/stage/system/memory.hpp"
#include "preprocess/file/vdb_archive.hpp"

namespace tessera::preprocess::file {

using geometry::BitLattice;

namespace {

constexpr int leafNodes = 8;  // on an axis

// A leaf is as thick as a block, so that layers of blocks are independent.
static_assert(BitLattice::blockPlanes == leafNodes);

// Transpose of an 8 x 8 bit matrix, row r in byte r (Warren, Hacker's Delight, section 7-3).
std::uint64_t transposed(std::uint64_t m) {
  std::uint64_t t = (m ^ m >> 7U) & 0x00aa00aa00aa00aaU;
  m ^= t ^ t << 7U;
  t = (m ^ m >> 14U) & 0x0000cccc0000ccccU;
  m ^= t ^ t << 14U;
  t = (m ^ m >> 28U) & 0x00000000f0f0f0f0U;
  return m ^ t ^ t << 28U;
}

// Nodes of a leaf as OpenVDB orders them: word x, bit 8 y + z.
using LeafWords = std::array<std::uint64_t, leafNodes>;

LeafWords leafWords(const std::uint64_t* block, int x0, int y0) {
  LeafWords words{};
  for (int y = 0; y < leafNodes; ++y) {
    std::uint64_t rows = 0;  // byte z: nodes along x
    for (int z = 0; z < leafNodes; ++z)
      rows |= (block[BitLattice::wordInBlock(y0 + y, z)] >> x0 & 0xffU) << 8 * z;
    const std::uint64_t columns = transposed(rows);  // byte x: nodes along z
    for (int x = 0; x < leafNodes; ++x)
      words[static_cast<std::size_t>(x)] |= (columns >> 8 * x & 0xffU) << 8 * y;
  }
  return words;
}

// Leaves that are wholly fluid become tiles of the tree.
void addLeaf(const LeafWords& words, const Int3& origin, VdbGrid& layer) {
  std::uint64_t any = 0;
  std::uint64_t all = ~std::uint64_t{0};
  for (const std::uint64_t word : words) {
    any |= word;
    all &= word;
  }
  if (any == 0) return;
  if (all == ~std::uint64_t{0}) {
    layer.full.push_back(origin);
    return;
  }
  layer.leaf.push_back({origin, words});
}

VdbGrid leavesOf(const BitLattice& fluid, int k) {
  VdbGrid layer;
  if (fluid.layerIsEmpty(k)) return layer;
  fluid.forEachBlock(k, [&](int i, int j) {
    const std::uint64_t* block = fluid.block(i, j, k);
    for (int y = 0; y < BitLattice::blockRows; y += leafNodes)
      for (int x = 0; x < BitLattice::blockNodes; x += leafNodes)
        addLeaf(leafWords(block, x, y),
                {i * BitLattice::blockNodes + x, j * BitLattice::blockRows + y, k * leafNodes},
                layer);
  });
  return layer;
}

void addLeaves(const BitLattice& fluid, VdbGrid& grid) {
  const int layers = fluid.blocks()[2];
  std::vector<VdbGrid> layer(static_cast<std::size_t>(layers));
  tbb::parallel_for(0, layers,
                    [&](int k) { layer[static_cast<std::size_t>(k)] = leavesOf(fluid, k); });
  for (const VdbGrid& each : layer) {
    grid.leaf.insert(grid.leaf.end(), each.leaf.begin(), each.leaf.end());
    grid.full.insert(grid.full.end(), each.full.begin(), each.full.end());
  }
}

}  // namespace

std::string fluidToVdb(const BitLattice& fluid, const geometry::Frame& frame,
                       const std::string& writer) {
  const stage::MemoryWatch memory;
  VdbGrid grid;
  grid.name = "fluid";
  setWorld(grid, frame);
  grid.metadata.emplace_back("writer", writer);
  addLeaves(fluid, grid);
  std::ostringstream stream(std::ios::binary);
  writeVdbGrids(stream, {&grid, 1});
  memory.requireEnough();
  std::string bytes = std::move(stream).str();
  setContentUuid(bytes);
  return bytes;
}

}  // namespace tessera::preprocess::file
