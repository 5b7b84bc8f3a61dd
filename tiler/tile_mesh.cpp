// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/tile_mesh.hpp"

namespace tessera::tiler {

namespace {
constexpr int rowEdge = 4;  // tile edge; shifted tilings are three-dimensional
}

TileMesh tileMesh(const Int3& nodes, const Int3& tileSize, const Int3& offset) {
  TileMesh mesh{nodes, tileSize, offset, {}, {}};
  for (std::size_t a = 0; a < 3; ++a)
    mesh.grid[a] = (nodes[a] + offset[a] + tileSize[a] - 1) / tileSize[a];
  return mesh;
}

Int3 rowGrid(const Int3& nodes, const std::array<int, 3>& axes, int layersOffset) {
  Int3 grid{};
  for (std::size_t a = 0; a < 3; ++a) grid[a] = (nodes[a] + 2 * (rowEdge - 1)) / rowEdge;
  const auto layers = static_cast<std::size_t>(axes[2]);
  grid[layers] = (nodes[layers] + layersOffset + rowEdge - 1) / rowEdge;
  return grid;
}

TileMesh rowMesh(const Int3& nodes, const std::array<int, 3>& axes, int layersOffset) {
  TileMesh mesh{nodes,
                {rowEdge, rowEdge, rowEdge},
                {0, 0, 0},
                rowGrid(nodes, axes, layersOffset),
                {axes, {}, {}}};
  mesh.offset[static_cast<std::size_t>(axes[2])] = layersOffset;
  const auto layers = static_cast<std::size_t>(mesh.grid[static_cast<std::size_t>(axes[2])]);
  const auto across = static_cast<std::size_t>(mesh.grid[static_cast<std::size_t>(axes[1])]);
  mesh.rows.layer.assign(layers, 0);
  mesh.rows.row.assign(layers * across, 0);
  return mesh;
}

int slowestAxisOf(const Int3& grid) {
  if (grid[2] >= grid[0] && grid[2] >= grid[1]) return 2;
  return grid[1] >= grid[0] ? 1 : 0;
}

}  // namespace tessera::tiler
