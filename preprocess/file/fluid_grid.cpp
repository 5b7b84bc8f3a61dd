// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/fluid_grid.hpp"

#include <openvdb/openvdb.h>
#include <tbb/parallel_for.h>

#include <sstream>

#include "pipelines/stage/system/memory.hpp"
#include "preprocess/file/vdb_archive.hpp"

namespace tessera::preprocess::file {

using geometry::BitLattice;

namespace {

using Grid = openvdb::BoolGrid;
using Leaf = Grid::TreeType::LeafNodeType;
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

// Leaves of one layer; those that are wholly fluid become tiles of the tree.
struct LeafLayer {
  std::vector<std::unique_ptr<Leaf>> leaf;
  std::vector<openvdb::Coord> full;
};

void addLeaf(const LeafWords& words, const openvdb::Coord& origin, LeafLayer& layer) {
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
  auto leaf = std::make_unique<Leaf>(origin, false, false);
  for (std::size_t x = 0; x < words.size(); ++x)
    leaf->getValueMask().getWord<std::uint64_t>(static_cast<openvdb::Index>(x)) = words[x];
  std::copy(words.begin(), words.end(), leaf->buffer().data());
  layer.leaf.push_back(std::move(leaf));
}

LeafLayer leavesOf(const BitLattice& fluid, int k) {
  LeafLayer layer;
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

void fillTree(const BitLattice& fluid, Grid::TreeType& tree) {
  const int layers = fluid.blocks()[2];
  std::vector<LeafLayer> layer(static_cast<std::size_t>(layers));
  tbb::parallel_for(0, layers,
                    [&](int k) { layer[static_cast<std::size_t>(k)] = leavesOf(fluid, k); });
  for (LeafLayer& each : layer) {
    for (std::unique_ptr<Leaf>& leaf : each.leaf) tree.addLeaf(leaf.release());
    for (const openvdb::Coord& origin : each.full) tree.addTile(1, origin, true, true);
  }
}

}  // namespace

std::string fluidToVdb(const BitLattice& fluid, const geometry::Frame& frame,
                       const std::string& writer) {
  const stage::MemoryWatch memory;
  openvdb::initialize();
  // The library's own instance; Grid::create would compile every function of its tree here.
  const auto grid = openvdb::StaticPtrCast<Grid>(openvdb::GridBase::createGrid(Grid::gridType()));
  grid->setName("fluid");
  const WorldUnit unit = worldUnitFor(frame.spacing);
  grid->setTransform(transformOf(frame, unit.perMetre));
  grid->insertMeta("units", openvdb::StringMetadata(unit.name));
  grid->insertMeta("writer", openvdb::StringMetadata(writer));
  fillTree(fluid, grid->tree());
  std::ostringstream stream(std::ios::binary);
  writeGrids(stream, {grid});
  memory.requireEnough();
  std::string bytes = std::move(stream).str();
  setContentUuid(bytes);
  return bytes;
}

}  // namespace tessera::preprocess::file
