// SPDX-License-Identifier: GPL-3.0-or-later
// Surface nets on blocks of 8x8x8 cells; only blocks that the surface can reach are looked at.
#include "preprocess/sample/sample_isosurface.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "preprocess/sample/sample_cell_curves.hpp"

namespace tessera {

namespace {
constexpr int side = 8;            // cells
constexpr int corners = side + 1;  // grid points

struct Block {
  Int3 position{};                                             // in blocks
  std::array<std::uint8_t, side * side * side> inside{};       // corners inside, by cell
  std::array<std::uint16_t, side * side * side> cellVertex{};  // first of the cell, in the block
  std::vector<Double3> vertex;
  std::vector<std::array<std::uint32_t, 4>> quad;
  std::uint32_t firstVertex = 0;
};

struct Grid {
  Double3 low{};
  double cell = 0.0;
  Int3 blocks{};
  std::vector<std::int32_t> blockAt;  // index of the active block, or -1
  std::vector<Block> active;

  [[nodiscard]] std::size_t slot(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(blocks[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(blocks[1]) * static_cast<std::size_t>(z));
  }
  [[nodiscard]] Double3 point(int x, int y, int z) const {
    return low + cell * Double3{double(x), double(y), double(z)};
  }
};

std::size_t cornerIndex(int x, int y, int z) {
  return static_cast<std::size_t>(x + corners * (y + corners * z));
}
std::size_t cellIndex(int x, int y, int z) {
  return static_cast<std::size_t>(x + side * (y + side * z));
}

Grid makeGrid(const DistanceField& field, const Double3& low, const Double3& high, double cell) {
  Grid grid{.low = low, .cell = cell, .blocks = {}, .blockAt = {}, .active = {}};
  for (std::size_t a = 0; a < 3; ++a)
    grid.blocks[a] = static_cast<int>(std::ceil((high[a] - low[a]) / (cell * side)));
  grid.blockAt.assign(grid.slot(0, 0, grid.blocks[2]), -1);
  const double reach = 1.001 * 0.5 * side * cell * std::sqrt(3.0);
  for (int z = 0; z < grid.blocks[2]; ++z)
    for (int y = 0; y < grid.blocks[1]; ++y)
      for (int x = 0; x < grid.blocks[0]; ++x) {
        const Double3 half{0.5 * side, 0.5 * side, 0.5 * side};
        const Double3 centre = grid.point(x * side, y * side, z * side) + cell * half;
        if (std::abs(field(centre).value) > reach) continue;
        grid.blockAt[grid.slot(x, y, z)] = static_cast<std::int32_t>(grid.active.size());
        grid.active.emplace_back().position = {x, y, z};
      }
  return grid;
}

// Appends a vertex for each curve of the cell: the mean of the points where its edges are crossed.
void addCell(const DistanceField& field, const Grid& grid, const std::array<double, 8>& value,
             const Double3& corner0, int inside, Block& block) {
  const CellCurves& curves = cellCurveTable()[static_cast<std::size_t>(inside)];
  std::array<Double3, 4> sum{};
  std::array<int, 4> count{};
  for (int a = 0; a < 8; ++a)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int b = a | (1 << axis);
      if (a == b) continue;
      const std::uint8_t curve = curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
      if (curve == notCrossed) continue;
      Double3 at{double(a & 1), double((a >> 1) & 1), double(a >> 2)};
      const double va = value[static_cast<std::size_t>(a)];
      at[axis] = va / (va - value[static_cast<std::size_t>(b)]);
      sum[curve] = sum[curve] + at;
      ++count[curve];
    }
  for (std::size_t k = 0; k < curves.count; ++k) {
    const Double3 mean = corner0 + (grid.cell / count[k]) * sum[k];
    block.vertex.push_back(ontoSurface(field, mean, 3));
  }
}

void placeVertices(const DistanceField& field, const Grid& grid, Block& block) {
  std::array<double, corners * corners * corners> value;
  const Int3 base{block.position[0] * side, block.position[1] * side, block.position[2] * side};
  for (int z = 0; z < corners; ++z)
    for (int y = 0; y < corners; ++y)
      for (int x = 0; x < corners; ++x)
        value[cornerIndex(x, y, z)] =
            field(grid.point(base[0] + x, base[1] + y, base[2] + z)).value;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        std::array<double, 8> cell;
        int inside = 0;
        for (int c = 0; c < 8; ++c) {
          const double v = value[cornerIndex(x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2))];
          cell[static_cast<std::size_t>(c)] = v;
          inside |= (v < 0.0) << c;
        }
        block.inside[cellIndex(x, y, z)] = static_cast<std::uint8_t>(inside);
        block.cellVertex[cellIndex(x, y, z)] = static_cast<std::uint16_t>(block.vertex.size());
        if (inside == 0 || inside == 255) continue;
        addCell(field, grid, cell, grid.point(base[0] + x, base[1] + y, base[2] + z), inside,
                block);
      }
}

// The vertex that stands for the crossed edge from corner a to b of a cell (global indices).
std::uint32_t vertexOf(const Grid& grid, const Int3& cell, int a, int b) {
  const std::int32_t at = grid.blockAt[grid.slot(cell[0] / side, cell[1] / side, cell[2] / side)];
  const Block& block = grid.active[static_cast<std::size_t>(at)];
  const std::size_t index = cellIndex(cell[0] % side, cell[1] % side, cell[2] % side);
  const CellCurves& curves = cellCurveTable()[block.inside[index]];
  return block.firstVertex + block.cellVertex[index] +
         curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
}

// The quad of each crossed grid edge that starts in corner 0 of a cell of this block.
void connect(const Grid& grid, Block& block) {
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        for (int axis = 0; axis < 3; ++axis) {
          const int inside = block.inside[cellIndex(x, y, z)];
          const bool here = (inside & 1) != 0;
          if (here == (((inside >> (1 << axis)) & 1) != 0)) continue;
          std::array<std::uint32_t, 4> quad;
          const int next = (axis + 1) % 3;
          const int last = (axis + 2) % 3;
          for (std::size_t k = 0; k < 4; ++k) {  // counter-clockwise about the axis
            const int backNext = k == 0 || k == 3 ? 1 : 0;
            const int backLast = k < 2 ? 1 : 0;
            Int3 cell{block.position[0] * side + x, block.position[1] * side + y,
                      block.position[2] * side + z};
            cell[static_cast<std::size_t>(next)] -= backNext;
            cell[static_cast<std::size_t>(last)] -= backLast;
            const int corner = (backNext << next) | (backLast << last);
            quad[k] = vertexOf(grid, cell, corner, corner | (1 << axis));
          }
          if (!here) std::swap(quad[1], quad[3]);
          block.quad.push_back(quad);
        }
}

TriangleMesh gather(Grid& grid) {
  TriangleMesh mesh;
  for (const Block& block : grid.active)
    mesh.vertex.insert(mesh.vertex.end(), block.vertex.begin(), block.vertex.end());
  const auto at = [&](std::uint32_t v) -> const Double3& { return mesh.vertex[v]; };
  for (const Block& block : grid.active)
    for (const auto& q : block.quad) {
      if (length(at(q[0]) - at(q[2])) <= length(at(q[1]) - at(q[3]))) {
        mesh.triangle.push_back({q[0], q[1], q[2]});
        mesh.triangle.push_back({q[0], q[2], q[3]});
      } else {
        mesh.triangle.push_back({q[1], q[2], q[3]});
        mesh.triangle.push_back({q[1], q[3], q[0]});
      }
    }
  return mesh;
}

template <class Body>
void forEachBlock(Grid& grid, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, grid.active.size()), [&](const auto& range) {
    for (std::size_t b = range.begin(); b != range.end(); ++b) body(grid.active[b]);
  });
}
}  // namespace

TriangleMesh isosurface(const DistanceField& field, const Double3& low, const Double3& high,
                        double cell) {
  Grid grid = makeGrid(field, low, high, cell);
  forEachBlock(grid, [&](Block& block) { placeVertices(field, grid, block); });
  std::uint32_t vertices = 0;
  for (Block& block : grid.active) {
    block.firstVertex = vertices;
    vertices += static_cast<std::uint32_t>(block.vertex.size());
  }
  forEachBlock(grid, [&](Block& block) { connect(grid, block); });
  return gather(grid);
}

}  // namespace tessera
