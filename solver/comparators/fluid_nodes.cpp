// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comparators/fluid_nodes.hpp"

#include <tbb/parallel_sort.h>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "solver/backend/cpu/parallel.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::comparators {

namespace {

std::span<const std::array<int, 3>> velocitiesOf(const tiler::TiledGeometry& geometry) {
  if (geometry.dimensions == 2) return model::D2Q9::c;
  return model::D3Q19::c;
}

tiles::TileOrder mortonOrder(const tiler::TiledGeometry& geometry) {
  if (geometry.fluidNodes > std::uint64_t{1} << 31U)
    stage::fail(stage::ExitCode::Usage,
                "the structures that are compared with tiles number up to 2^31 nodes; use a "
                "smaller geometry");
  return tiles::orderTiles(geometry, velocitiesOf(geometry));
}

void sortByRows(const tiler::TiledGeometry& geometry, std::vector<std::uint64_t>& places) {
  struct Keyed {
    std::uint64_t row;  // index in the box
    std::uint64_t place;
  };
  std::vector<Keyed> keyed(places.size());
  backend::parallelIndices(places.size(), 4096, [&](std::size_t k) {
    const Int3 at = geometry.nodeOf(places[k] / 64, static_cast<int>(places[k] % 64));
    std::uint64_t row = 0;
    for (const std::size_t a : {2U, 1U, 0U})
      row = row * static_cast<std::uint64_t>(geometry.nodes[a]) + static_cast<std::uint64_t>(at[a]);
    keyed[k] = {row, places[k]};
  });
  tbb::parallel_sort(keyed, [](const Keyed& a, const Keyed& b) { return a.row < b.row; });
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = keyed[k].place;
}

}  // namespace

FluidNodes::FluidNodes(const tiler::TiledGeometry& geometry, NodeOrder order)
    : geometry_(geometry), order_(mortonOrder(geometry)) {
  std::vector<std::uint32_t> tileOfSlot(order_.tiles);
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    tileOfSlot[order_.slotOfTile[t]] = static_cast<std::uint32_t>(t);
  places_.reserve(geometry.fluidNodes);
  for (std::uint64_t at = 0; at < std::uint64_t{order_.tiles} * 64; ++at)
    if ((maskAt(at) >> unsigned{model::solidBit} & 1U) == 0)
      places_.push_back(std::uint64_t{tileOfSlot[at / 64]} * 64 + at % 64);
  if (order == NodeOrder::Rows) sortByRows(geometry, places_);
  numbers_.assign(geometry.tiles() * 64, noNode);
  for (std::size_t k = 0; k < places_.size(); ++k)
    numbers_[places_[k]] = static_cast<std::uint32_t>(k);
}

std::span<const std::array<int, 3>> FluidNodes::velocities() const {
  return velocitiesOf(geometry_);
}

std::uint32_t FluidNodes::maskAt(std::uint64_t slotPlace) const {
  const std::int32_t entry =
      order_.neighbourTable[slotPlace / 64 * model::neighbourStride + model::maskEntry];
  return entry < 0 ? 0 : order_.masks[static_cast<std::size_t>(entry) * 64 + slotPlace % 64];
}

std::uint32_t FluidNodes::nodeAt(Int3 position) const {
  if (!preprocess::geometry::wrapInto(geometry_.nodes, geometry_.periodic, position)) return noNode;
  const tiler::TilePlace place = geometry_.placeOf(position);
  const std::int32_t tile = geometry_.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  return tile < 0 ? noNode
                  : numbers_[static_cast<std::size_t>(tile) * 64 +
                             static_cast<std::size_t>(place.local)];
}

std::uint32_t FluidNodes::source(std::uint32_t node, const std::array<int, 3>& c) const {
  const int back = preprocess::geometry::directionOf(-c[0], -c[1], -c[2]);
  if ((wallLinks(node) >> static_cast<unsigned>(back) & 1U) != 0) return noNode;
  const Int3 at = position(node);
  return nodeAt({at[0] - c[0], at[1] - c[1], at[2] - c[2]});
}

void forNodes(const FluidNodes& nodes, const std::function<void(std::uint32_t)>& body) {
  backend::parallelIndices(nodes.count(), 1024,
                           [&](std::size_t node) { body(static_cast<std::uint32_t>(node)); });
}

}  // namespace tessera::solver::comparators
