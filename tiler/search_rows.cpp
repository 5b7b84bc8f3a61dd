// SPDX-License-Identifier: GPL-3.0-or-later
// Goes beyond Tomczak & Szafran 2017, who tile once from node (0, 0, 0). What a row of tiles costs
// at each place comes from row_costs.hpp; the rest is minima and sums over these.
#include "tiler/search_rows.hpp"

#include <algorithm>
#include <array>

#include "tiler/row_costs.hpp"

namespace tessera::tiler {

namespace {

constexpr int edge = rowTileEdge;

// Layers of rows on one of the two axes across these, and what is best for them.
struct LayerSearch {
  std::size_t rowsOn = 0, layersOn = 1;  // of RowCosts::axes
  std::vector<std::uint64_t> cost;       // of a layer by its window
  int offset = 0;                        // of the layers
  std::uint64_t tiles = 0;
};

std::vector<std::uint64_t> costsOfLayers(const RowCosts& costs, std::size_t layersOn) {
  const auto layers = static_cast<std::size_t>(costs.windows[layersOn]);
  std::vector<std::array<std::uint64_t, edge>> tiles(layers);
  const std::uint32_t* cost = costs.cost.data();
  for (const RowCosts::Column& column : costs.column)
    for (int v = 0; v < costs.edges[1]; ++v)
      for (int u = 0; u < costs.edges[0]; ++u) {
        const std::array<int, 2> at{costs.edges[0] * column.u + u, costs.edges[1] * column.v + v};
        const std::uint64_t ofRow = tilesOfCost(*cost++);
        if (ofRow == 0) continue;
        tiles[static_cast<std::size_t>(at[layersOn])]
             [static_cast<std::size_t>(edge - 1 - at[1 - layersOn] % edge)] += ofRow;
      }
  std::vector<std::uint64_t> best(layers, ~std::uint64_t{0});
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (int offset = 0; offset < edge; ++offset)
      best[layer] =
          std::min(best[layer], tileCost(tiles[layer][static_cast<std::size_t>(offset)], offset));
  return best;
}

LayerSearch searchLayers(const RowCosts& costs, bool layersOnSecond) {
  LayerSearch search;
  search.layersOn = layersOnSecond ? 1 : 0;
  search.rowsOn = 1 - search.layersOn;
  search.cost = costsOfLayers(costs, search.layersOn);
  std::array<std::uint64_t, edge> tiles{};
  for (std::size_t layer = 0; layer < search.cost.size(); ++layer)
    tiles[edge - 1 - layer % edge] += tilesOfCost(search.cost[layer]);
  const auto best = std::min_element(tiles.begin(), tiles.end());
  search.offset = static_cast<int>(best - tiles.begin());
  search.tiles = *best;
  return search;
}

std::array<int, 3> axesOf(const RowCosts& costs, const LayerSearch& search) {
  return {costs.along, costs.axes[search.rowsOn], costs.axes[search.layersOn]};
}

// Writes down the offsets that were found.
TileMesh meshOf(const preprocess::geometry::BitLattice& fluid, const RowCosts& costs,
                const LayerSearch& search) {
  TileMesh mesh = rowMesh(fluid.size, axesOf(costs, search), search.offset);
  const auto rows = static_cast<std::size_t>(costs.axes[search.rowsOn]);
  for (int layer = 0; layer < static_cast<int>(mesh.rows.layer.size()); ++layer) {
    const int at = edge * layer + edge - 1 - search.offset;
    const std::uint64_t cost = search.cost[static_cast<std::size_t>(at)];
    if (cost == 0) continue;  // no tile
    mesh.rows.layer[static_cast<std::size_t>(layer)] = offsetOfCost(cost);
    std::uint8_t* offset = mesh.rows.row.data() + static_cast<std::size_t>(mesh.grid[rows]) *
                                                      static_cast<std::size_t>(layer);
    for (int window = edge - 1 - offsetOfCost(cost); window < costs.windows[search.rowsOn];
         window += edge)
      *offset++ = offsetOfCost(search.layersOn == 1 ? costs.at(window, at) : costs.at(at, window));
  }
  return mesh;
}

}  // namespace

RowSearch searchRows(const preprocess::geometry::BitLattice& fluid,
                     const std::array<int, 3>& axes) {
  const RowCosts costs = costsOfRows(fluid, axes[0]);
  const LayerSearch search = searchLayers(costs, axes[2] > axes[1]);
  return {meshOf(fluid, costs, search), search.tiles};
}

RowSearch searchRows(const preprocess::geometry::BitLattice& fluid) {
  RowSearch best;
  const auto isBetter = [&](const LayerSearch& found, const std::array<int, 3>& axes) {
    if (best.tiles == 0 || found.tiles != best.tiles)
      return best.tiles == 0 || found.tiles < best.tiles;
    const auto& known = best.mesh.rows.axes;
    return axes[2] != known[2] ? axes[2] > known[2] : axes[1] > known[1];
  };
  for (const int along : {0, 1, 2}) {
    const RowCosts costs = costsOfRows(fluid, along);
    for (const bool layersOnSecond : {true, false}) {
      const LayerSearch found = searchLayers(costs, layersOnSecond);
      if (isBetter(found, axesOf(costs, found))) best = {meshOf(fluid, costs, found), found.tiles};
    }
  }
  return best;
}

}  // namespace tessera::tiler
