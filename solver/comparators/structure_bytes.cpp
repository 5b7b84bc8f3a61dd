// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comparators/structure_bytes.hpp"

#include <algorithm>

#include "solver/tiles/update_window.hpp"

namespace tessera::solver::comparators {

namespace {

double tableBytes(const tiles::TileOrder& order) {
  return 4.0 * static_cast<double>(order.neighbourTable.size() + order.masks.size());
}

// Bytes of a copy of so many slots.
double stateBytes(const TileState& state, double slots) {
  return 64.0 * state.values * state.valueBytes * slots;
}

}  // namespace

StructureBytes tileBytes(const FluidNodes& nodes, const TileState& state) {
  const unsigned sectorNodes = 32 / state.valueBytes;
  const tiles::TileOrder& order = nodes.tileOrder();
  std::vector<bool> touched(std::size_t{order.tiles} * 64 / sectorNodes);
  for (std::uint32_t node = 0; node < nodes.count(); ++node)
    touched[nodes.slotPlace(node) / sectorNodes] = true;
  const auto sectors = static_cast<double>(std::count(touched.begin(), touched.end(), true));
  const double table = tableBytes(order);
  return {(2.0 * state.values * 32.0 * sectors + table) / state.stepsInPass,
          2.0 * stateBytes(state, order.tiles + order.ghosts) + table};
}

std::optional<StructureBytes> tileBytesInPlace(const FluidNodes& nodes, const TileState& state) {
  const tiles::TileOrder order =
      tiles::orderTiles(nodes.geometry(), nodes.velocities(), tiles::TileSequence::InLayers);
  const tiles::StateWindow window =
      tiles::windowOf(order, model::StateId::Populations, state.valueBytes, true);
  if (window.shift == 0) return std::nullopt;
  return StructureBytes{
      tileBytes(nodes, state).moved,
      stateBytes(state, order.tiles + order.ghosts + window.shift) + tableBytes(order)};
}

}  // namespace tessera::solver::comparators
