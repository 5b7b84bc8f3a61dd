// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/node_types.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace tessera::preprocess::file {

using geometry::BitLattice;
using std::size_t;

namespace {

size_t blockNumber(const Int3& blocks, int i, int j, int k) {
  return static_cast<size_t>(i) +
         static_cast<size_t>(blocks[0]) *
             (static_cast<size_t>(j) + static_cast<size_t>(blocks[1]) * static_cast<size_t>(k));
}

// First link of the boundary nodes of each layer of blocks, as an index of links, and its first
// boundary node.
struct LayerStart {
  size_t node, link;
};

std::vector<LayerStart> layerStarts(const BitLattice& fluid,
                                    const geometry::BoundaryNodes& boundary) {
  std::vector<LayerStart> starts;
  size_t node = 0;
  size_t link = 0;
  for (int k = 0; k <= fluid.blocks()[2]; ++k) {
    const std::uint64_t begin = fluid.nodeIndex(0, 0, k * BitLattice::blockPlanes);
    for (; node < boundary.node.size() && boundary.node[node] < begin; ++node)
      link += static_cast<size_t>(std::popcount(boundary.mask[node]));
    starts.push_back({node, link});
  }
  return starts;
}

// Types of the blocks of one layer.
class LayerTypes {
 public:
  LayerTypes(const BitLattice& fluid, int layer)
      : fluid_(fluid), layer_(layer), words_(NodeTypes::wordsPerBlock(fluid.size)) {
    if (fluid.layerIsEmpty(layer)) return;
    fluid.forEachBlock(layer, [&](int i, int j) {
      const std::uint64_t* words = fluid.block(i, j, layer);
      if (std::all_of(words, words + BitLattice::blockWords, [](auto word) { return word == 0; }))
        return;
      types_.block.push_back(blockNumber(fluid.blocks(), i, j, layer));
      types_.bits.insert(types_.bits.end(), words, words + words_);
      types_.bits.resize(types_.bits.size() + words_);
    });
  }
  // The node must be fluid and in this layer.
  void setBoundary(const Int3& node, bool atOpening) {
    const size_t number = blockNumber(fluid_.blocks(), node[0] / BitLattice::blockNodes,
                                      node[1] / BitLattice::blockRows, layer_);
    const auto at = std::lower_bound(types_.block.begin(), types_.block.end(), number);
    std::uint64_t* const bits =
        types_.bits.data() + 2 * words_ * static_cast<size_t>(at - types_.block.begin());
    const size_t word = BitLattice::wordInBlock(node[1], node[2]);
    const std::uint64_t bit = std::uint64_t{1} << (node[0] % BitLattice::blockNodes);
    bits[words_ + word] |= bit;
    if (!atOpening) bits[word] &= ~bit;
  }
  [[nodiscard]] const NodeTypes& types() const { return types_; }

 private:
  const BitLattice& fluid_;
  int layer_;
  size_t words_;
  NodeTypes types_;
};

}  // namespace

NodeTypes nodeTypesOf(const geometry::LatticeGeometry& geometry) {
  const geometry::BoundaryNodes& boundary = geometry.boundary;
  const std::vector<LayerStart> starts = layerStarts(geometry.fluid, boundary);
  const auto layers = static_cast<size_t>(geometry.fluid.blocks()[2]);
  std::vector<NodeTypes> ofLayer(layers);
  tbb::parallel_for(size_t{0}, layers, [&](size_t k) {
    LayerTypes layer(geometry.fluid, static_cast<int>(k));
    size_t link = starts[k].link;
    for (size_t b = starts[k].node; b < starts[k + 1].node; ++b) {
      const auto links = static_cast<size_t>(std::popcount(boundary.mask[b]));
      const auto first = boundary.patch.begin() + static_cast<std::ptrdiff_t>(link);
      layer.setBoundary(
          geometry.fluid.nodeAt(boundary.node[b]),
          std::any_of(first, first + static_cast<std::ptrdiff_t>(links), geometry::isOpening));
      link += links;
    }
    ofLayer[k] = layer.types();
  });
  NodeTypes types;
  for (NodeTypes& layer : ofLayer) {
    types.block.insert(types.block.end(), layer.block.begin(), layer.block.end());
    types.bits.insert(types.bits.end(), layer.bits.begin(), layer.bits.end());
    layer = {};
  }
  return types;
}

namespace {

// Bits of a word of 64 nodes that lie in the lattice.
std::uint64_t bitsInside(const BitLattice& lattice, int i) {
  const int nodes = lattice.size[0] - i * BitLattice::blockNodes;
  return nodes >= BitLattice::blockNodes ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes) - 1;
}

void fillBlock(const std::uint64_t* bits, int i, int j, int k, BitLattice& lattice) {
  const size_t high = NodeTypes::wordsPerBlock(lattice.size);
  const int planes = std::min(lattice.size[2], BitLattice::blockPlanes);
  std::uint64_t* const words = lattice.makeBlock(i, j, k);
  const std::uint64_t inside = bitsInside(lattice, i);
  std::uint64_t any = 0;
  std::uint64_t outside = 0;
  for (int z = 0; z < planes; ++z)
    for (int y = 0; y < BitLattice::blockRows; ++y) {
      const size_t w = BitLattice::wordInBlock(y, z);
      words[w] = bits[w] | bits[high + w];
      any |= words[w];
      const bool isRow =
          lattice.inside(0, j * BitLattice::blockRows + y, k * BitLattice::blockPlanes + z);
      outside |= words[w] & ~(isRow ? inside : 0);
    }
  if (any == 0) throw std::runtime_error("a block of nodeTypes has no node");
  if (outside != 0) throw std::runtime_error("a node of nodeTypes lies outside of the lattice");
}

}  // namespace

BitLattice nonSolidNodes(const NodeTypes& types, const Int3& nodes) {
  BitLattice lattice(nodes);
  const Int3& blocks = lattice.blocks();
  const size_t perLayer = blockNumber(blocks, 0, 0, 1);
  const size_t all = blockNumber(blocks, 0, 0, blocks[2]);
  const size_t stride = 2 * NodeTypes::wordsPerBlock(nodes);
  if (types.bits.size() != stride * types.block.size())
    throw std::runtime_error("nodeTypes does not have two bits for each node of its blocks");
  std::vector<size_t> layerStart{0};
  for (size_t b = 0; b < types.block.size(); ++b) {
    if (types.block[b] >= all || (b > 0 && types.block[b] <= types.block[b - 1]))
      throw std::runtime_error("the blocks of nodeTypes are out of order");
    if (b > 0 && types.block[b] / perLayer != types.block[b - 1] / perLayer)
      layerStart.push_back(b);
  }
  layerStart.push_back(types.block.size());
  tbb::parallel_for(size_t{1}, layerStart.size(), [&](size_t layer) {
    for (size_t b = layerStart[layer - 1]; b < layerStart[layer]; ++b) {
      const size_t number = types.block[b];
      const auto columns = static_cast<size_t>(blocks[0]);
      fillBlock(types.bits.data() + stride * b, static_cast<int>(number % columns),
                static_cast<int>(number % perLayer / columns), static_cast<int>(number / perLayer),
                lattice);
    }
  });
  return lattice;
}

}  // namespace tessera::preprocess::file
