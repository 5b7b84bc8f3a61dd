// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/lattice_layers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::preprocess::preview {

using geometry::LatticeGeometry;
using geometry::Patch;
using picture::ViewLattice;
using picture::ViewSlice;

namespace {

constexpr double mostBytes = 1.5e6;   // of all layers, before base64
constexpr double bytesPerNode = 1.6;  // of a block that is partly filled
constexpr int mostLayers = 24;        // per axis
constexpr std::size_t mostWalls = 200;

constexpr std::uint8_t fluidEntry = 1;  // entries of walls, then the opening's, follow

std::uint8_t openingEntry(const LatticeGeometry& geometry) {
  return static_cast<std::uint8_t>(2 + std::min(geometry.wallNames.size(), mostWalls));
}

std::uint8_t entryOf(const LatticeGeometry& geometry, Patch patch) {
  if (geometry::isOpening(patch)) return openingEntry(geometry);
  return static_cast<std::uint8_t>(2 + std::min<std::size_t>(patch, mostWalls - 1));
}

std::vector<picture::ViewLabel> entriesOf(const LatticeGeometry& geometry) {
  std::vector<picture::ViewLabel> entries{{"fluid node", picture::colourOf(0xaed6f1)}};
  const std::size_t walls = std::min(geometry.wallNames.size(), mostWalls);
  for (std::size_t k = 0; k < walls; ++k)
    entries.push_back({walls == 1 ? "node at the wall" : "node at wall " + geometry.wallNames[k],
                       k == 0 ? picture::colourOf(0x1f5f94) : picture::curveColour(k - 1)});
  entries.push_back({"node at an opening", picture::colourOf(0xe07b00)});
  return entries;
}

// A layer while it is filled.
struct Layer {
  int axis, at;
  std::size_t u, v;   // the other axes
  int width, height;  // cells
  std::vector<std::uint8_t> value;

  void raise(const Int3& node, int cell, std::uint8_t entry) {
    std::uint8_t& value_ =
        value[static_cast<std::size_t>(node[u] / cell) +
              static_cast<std::size_t>(width) * static_cast<std::size_t>(node[v] / cell)];
    value_ = std::max(value_, entry);
  }
};

// Evenly spread positions of `count` layers on an axis of n nodes.
std::vector<int> positions(int n, int count) {
  std::vector<int> at;
  for (int k = 0; k < count; ++k) at.push_back(static_cast<int>((2LL * k + 1) * n / (2 * count)));
  return at;
}

std::vector<Layer> chooseLayers(const LatticeGeometry& geometry, ViewLattice& lattice) {
  const Int3& n = geometry.fluid.size;
  const auto fluid = static_cast<double>(geometry.fluid.count());
  const int axes = geometry.dimensions == 2 ? 1 : 3;
  const double each = mostBytes / axes;
  for (std::size_t a = 3 - static_cast<std::size_t>(axes); a < 3; ++a)
    while (bytesPerNode * fluid / n[a] / lattice.cell / lattice.cell > each) ++lattice.cell;
  std::vector<Layer> layers;
  for (int axis = 3 - axes; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const double bytes = bytesPerNode * fluid / n[a] / lattice.cell / lattice.cell;
    const int count = static_cast<int>(std::min({each / bytes, mostLayers * 1.0, n[a] * 1.0}));
    const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    const auto cells = [&](std::size_t b) { return (n[b] + lattice.cell - 1) / lattice.cell; };
    for (const int at : positions(n[a], std::max(1, count))) {
      layers.push_back({axis, at, u, v, cells(u), cells(v), {}});
      layers.back().value.resize(static_cast<std::size_t>(cells(u)) *
                                 static_cast<std::size_t>(cells(v)));
    }
  }
  return layers;
}

void fillFluid(const LatticeGeometry& geometry, int cell, Layer& layer) {
  const Int3& n = geometry.fluid.size;
  Int3 node{};
  node[static_cast<std::size_t>(layer.axis)] = layer.at;
  for (node[layer.v] = 0; node[layer.v] < n[layer.v]; ++node[layer.v])
    for (node[layer.u] = 0; node[layer.u] < n[layer.u]; ++node[layer.u])
      if (geometry.fluid.at(node[0], node[1], node[2])) layer.raise(node, cell, fluidEntry);
}

void fillBoundary(const LatticeGeometry& geometry, int cell, std::vector<Layer>& layers) {
  std::array<std::vector<Layer*>, 3> at;
  for (std::size_t a = 0; a < 3; ++a)
    at[a].resize(static_cast<std::size_t>(geometry.fluid.size[a]), nullptr);
  for (Layer& layer : layers)
    at[static_cast<std::size_t>(layer.axis)][static_cast<std::size_t>(layer.at)] = &layer;
  std::size_t link = 0;
  for (std::size_t k = 0; k < geometry.boundary.node.size(); ++k) {
    const Int3 node = geometry.fluid.nodeAt(geometry.boundary.node[k]);
    std::uint8_t entry = 0;
    for (int rest = std::popcount(geometry.boundary.mask[k]); rest > 0; --rest)
      entry = std::max(entry, entryOf(geometry, geometry.boundary.patch[link++]));
    for (std::size_t a = 0; a < 3; ++a)
      if (Layer* layer = at[a][static_cast<std::size_t>(node[a])]) layer->raise(node, cell, entry);
  }
}

ViewSlice packed(const Layer& layer) {
  constexpr int edge = ViewSlice::edge;
  ViewSlice slice{layer.axis, layer.at, {}, {}, {}};
  for (int v = 0; v < layer.height; v += edge)
    for (int u = 0; u < layer.width; u += edge) {
      std::array<std::uint8_t, edge * edge> block{};
      for (int j = 0; j < std::min(edge, layer.height - v); ++j)
        for (int i = 0; i < std::min(edge, layer.width - u); ++i)
          block[static_cast<std::size_t>(i + edge * j)] =
              layer.value[static_cast<std::size_t>(u + i) +
                          static_cast<std::size_t>(layer.width) * static_cast<std::size_t>(v + j)];
      if (std::all_of(block.begin(), block.end(), [](std::uint8_t entry) { return entry == 0; }))
        continue;
      slice.block.push_back(static_cast<std::uint16_t>(u / edge));
      slice.block.push_back(static_cast<std::uint16_t>(v / edge));
      slice.value.insert(slice.value.end(), block.begin(), block.end());
    }
  return slice;
}

void addTiles(std::span<const Int3> tiles, const Int3& edge, ViewSlice& slice) {
  const auto a = static_cast<std::size_t>(slice.axis);
  const std::size_t u = a == 0 ? 1 : 0, v = a == 2 ? 1 : 2;
  for (const Int3& first : tiles)
    if (slice.at >= first[a] && slice.at < first[a] + edge[a]) {
      slice.tile.push_back(first[u]);
      slice.tile.push_back(first[v]);
    }
}

}  // namespace

ViewLattice latticeLayers(const LatticeGeometry& geometry, std::span<const Int3> tiles,
                          const Int3& tileEdge) {
  ViewLattice lattice;
  if (geometry.fluid.count() == 0) return lattice;
  lattice.origin = geometry.frame.origin;
  lattice.axis = geometry.frame.axis;
  lattice.spacing = geometry.frame.spacing;
  lattice.nodes = geometry.fluid.size;
  lattice.entry = entriesOf(geometry);
  if (!tiles.empty()) lattice.tileEdge = tileEdge;
  std::vector<Layer> layers = chooseLayers(geometry, lattice);
  for (Layer& layer : layers) fillFluid(geometry, lattice.cell, layer);
  fillBoundary(geometry, lattice.cell, layers);
  for (const Layer& layer : layers) {
    lattice.slice.push_back(packed(layer));
    addTiles(tiles, tileEdge, lattice.slice.back());
  }
  return lattice;
}

}  // namespace tessera::preprocess::preview
