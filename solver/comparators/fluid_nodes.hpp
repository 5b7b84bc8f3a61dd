// SPDX-License-Identifier: GPL-3.0-or-later
// Fluid nodes of a closed geometry in an order, with the node that each population comes from:
// input of every structure that is compared with tiles.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"
#include "solver/tiles/tile_order.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::comparators {

// Curve: tiles in Morton order, within a tile x fastest, then y, z (our order). Rows: x fastest in
// the whole box, then y, z (lists of Suffa et al. 2024, fluid index array).
enum class NodeOrder { Curve, Rows };

constexpr std::uint32_t noNode = ~std::uint32_t{0};

class FluidNodes {
 public:
  // geometry must outlive this; its openings are walls here. D3Q19, in two dimensions D2Q9. Throws
  // StageError(Usage) for more than 2^31 nodes.
  FluidNodes(const tiler::TiledGeometry& geometry, NodeOrder order);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(places_.size()); }
  [[nodiscard]] const tiler::TiledGeometry& geometry() const { return geometry_; }
  [[nodiscard]] std::span<const std::array<int, 3>> velocities() const;
  // Slots, neighbour table and masks of the tiles, in Morton order.
  [[nodiscard]] const tiles::TileOrder& tileOrder() const { return order_; }

  // 64 x tile of the geometry + local node.
  [[nodiscard]] std::uint64_t place(std::uint32_t node) const { return places_[node]; }
  // 64 x slot + local node.
  [[nodiscard]] std::uint64_t slotPlace(std::uint32_t node) const {
    return std::uint64_t{order_.slotOfTile[places_[node] / 64]} * 64 + places_[node] % 64;
  }
  [[nodiscard]] Int3 position(std::uint32_t node) const {
    return geometry_.nodeOf(places_[node] / 64, static_cast<int>(places_[node] % 64));
  }
  // Bit n: the link along direction n of preprocess/geometry/neighbourhood.hpp ends on a wall.
  [[nodiscard]] std::uint32_t wallLinks(std::uint32_t node) const {
    return maskAt(slotPlace(node)) & ~(std::uint32_t{1} << unsigned{model::solidBit});
  }
  // The node at a position, wrapped on periodic axes; noNode for solid nodes and outside.
  [[nodiscard]] std::uint32_t nodeAt(Int3 position) const;
  // The node from which the population that moves along c comes to `node`; noNode where that link
  // ends on a wall.
  [[nodiscard]] std::uint32_t source(std::uint32_t node, const std::array<int, 3>& c) const;

 private:
  [[nodiscard]] std::uint32_t maskAt(std::uint64_t slotPlace) const;

  const tiler::TiledGeometry& geometry_;
  tiles::TileOrder order_;
  std::vector<std::uint64_t> places_;   // by node
  std::vector<std::uint32_t> numbers_;  // by place; noNode: solid
};

// Calls body(node) in parallel for all nodes.
void forNodes(const FluidNodes& nodes, const std::function<void(std::uint32_t)>& body);

}  // namespace tessera::solver::comparators
