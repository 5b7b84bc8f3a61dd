// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/surface_net.hpp"

#include <algorithm>

namespace tessera::preprocess::mesher {

Int3 stepAround(const CrossedEdge& edge, std::size_t k) {
  const std::size_t turn = edge.isInside ? k : (4 - k) % 4;
  Int3 step{};
  step[static_cast<std::size_t>((edge.axis + 1) % 3)] = turn == 0 || turn == 3 ? -1 : 0;
  step[static_cast<std::size_t>((edge.axis + 2) % 3)] = turn < 2 ? -1 : 0;
  return step;
}

std::array<std::array<std::size_t, 3>, 2> halvesOf(const std::array<Double3, 4>& corner) {
  if (length(corner[0] - corner[2]) <= length(corner[1] - corner[3]))
    return {{{0, 1, 2}, {0, 2, 3}}};
  return {{{1, 2, 3}, {1, 3, 0}}};
}

std::uint64_t SurfaceNet::numberVertices() {
  std::uint64_t vertices = 0;
  for (NetBlock& block : block_) {
    block.firstVertex = static_cast<std::uint32_t>(vertices);
    vertices += block.vertices;
  }
  return vertices;
}

std::uint32_t SurfaceNet::vertexOf(Int3 cell, int a, int b) const {
  const Int3 cells = scaled(blocks_, blockSize_);
  geometry::wrapInto(cells, periodic_, cell);
  Int3 position;
  for (std::size_t axis = 0; axis < 3; ++axis) position[axis] = cell[axis] / blockSize_[axis];
  const NetBlock& block = block_[static_cast<std::size_t>(blockAt_[slotOf(position)])];
  const Int3 local = cell - cornerOf(block);
  const auto row = static_cast<std::size_t>(local[1]) +
                   static_cast<std::size_t>(blockSize_[1]) * static_cast<std::size_t>(local[2]);
  const auto begin = block.cell.begin();
  const auto found =
      std::partition_point(begin + block.rowStart[row], begin + block.rowStart[row + 1],
                           [&](const NetCell& each) { return each.x < local[0]; });
  const CellCurves& curves = cellCurveTable()[found->curves];
  return block.firstVertex + found->vertex +
         curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
}

NetQuad SurfaceNet::quadAround(const CrossedEdge& edge) const {
  NetQuad quad;
  for (std::size_t k = 0; k < 4; ++k) {
    const Int3 step = stepAround(edge, k);
    int corner = 0;  // of the cell around the edge, where the edge starts
    for (std::size_t a = 0; a < 3; ++a) corner |= -step[a] << a;
    quad[k] = vertexOf(edge.cell + step, corner, corner | (1 << edge.axis));
  }
  return quad;
}

}  // namespace tessera::preprocess::mesher
