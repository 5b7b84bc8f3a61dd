// SPDX-License-Identifier: GPL-3.0-or-later
// Surface nets on blocks of 8x8x8 cells; only blocks that the surface can reach are looked at.
#include "preprocess/surface/isosurface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/parallel_for.hpp"
#include "preprocess/surface/cell_curves.hpp"

namespace tessera {

namespace {
constexpr int side = 8;            // cells
constexpr int corners = side + 1;  // grid points

struct Block {
  Int3 position{};                                             // in blocks
  std::array<std::uint16_t, side * side * side> curves{};      // in the table, by cell
  std::array<std::uint16_t, side * side * side> cellVertex{};  // first of the cell, in the block
  std::vector<Double3> vertex;
  std::vector<std::array<std::uint32_t, 4>> quad;
  std::uint32_t firstVertex = 0;
};

using CellValues = std::array<double, 8>;

struct Grid {
  Double3 low{};
  Double3 cell{};
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
    return low + Double3{x * cell[0], y * cell[1], z * cell[2]};
  }
};

std::size_t cornerIndex(int x, int y, int z) {
  return static_cast<std::size_t>(x + corners * (y + corners * z));
}
std::size_t cellIndex(int x, int y, int z) {
  return static_cast<std::size_t>(x + side * (y + side * z));
}

// Where the values come from. reaches: may the surface pass through the block (position in
// blocks)? value: at a grid point. place: a vertex onto the surface, given its cell's corner 0, the
// values at its corners, and the mean of the crossings in local coordinates.
struct FieldSource {
  const DistanceField& field;

  [[nodiscard]] bool reaches(const Grid& grid, const Int3& position) const {
    const double half = 0.5 * side;
    const Double3 centre =
        grid.point(position[0] * side, position[1] * side, position[2] * side) + half * grid.cell;
    return std::abs(field(centre).value) <= 1.001 * half * length(grid.cell);
  }
  [[nodiscard]] double value(const Grid& grid, int x, int y, int z) const {
    return field(grid.point(x, y, z)).value;
  }
  [[nodiscard]] Double3 place(const Grid& grid, const Double3& corner0, const CellValues&,
                              const Double3& local) const {
    const Double3 mean = corner0 + Double3{local[0] * grid.cell[0], local[1] * grid.cell[1],
                                           local[2] * grid.cell[2]};
    return ontoSurface(field, mean, 3);
  }
};

// Its cells begin one sample before the grid and end one after it.
struct SampleSource {
  const ScalarGrid& samples;

  [[nodiscard]] double value(const Grid&, int x, int y, int z) const {
    return samples.at(x - 1, y - 1, z - 1);
  }
  [[nodiscard]] bool reaches(const Grid& grid, const Int3& position) const {
    bool inside = false;
    bool outside = false;
    for (int z = 0; z < corners; ++z)
      for (int y = 0; y < corners; ++y)
        for (int x = 0; x < corners; ++x) {
          const double v =
              value(grid, position[0] * side + x, position[1] * side + y, position[2] * side + z);
          (v < 0.0 ? inside : outside) = true;
          if (inside && outside) return true;
        }
    return false;
  }
  // Newton steps that stay within the cell, so that neighbouring vertices cannot change places.
  [[nodiscard]] Double3 place(const Grid& grid, const Double3& corner0, const CellValues& cell,
                              Double3 local) const {
    constexpr double rim = 0.02;  // cells
    for (int step = 0; step < 4; ++step) {
      const Distance d = trilinear(cell, local);
      const double slope = dot(d.gradient, d.gradient);
      if (!(d.value * d.value < 4.0 * slope)) break;  // further than 2 cells: flat
      for (std::size_t a = 0; a < 3; ++a)
        local[a] = std::clamp(local[a] - d.value / slope * d.gradient[a], rim, 1.0 - rim);
    }
    return corner0 +
           Double3{local[0] * grid.cell[0], local[1] * grid.cell[1], local[2] * grid.cell[2]};
  }
};

template <class Source>
void findBlocks(Grid& grid, const Source& source) {
  const auto slots = grid.slot(0, 0, grid.blocks[2]);
  std::vector<std::uint8_t> reached(slots);
  const auto positionOf = [&](std::size_t slot) {
    const auto nx = static_cast<std::size_t>(grid.blocks[0]);
    const auto ny = static_cast<std::size_t>(grid.blocks[1]);
    return Int3{static_cast<int>(slot % nx), static_cast<int>(slot / nx % ny),
                static_cast<int>(slot / nx / ny)};
  };
  parallelFor(slots, [&](std::size_t k) { reached[k] = source.reaches(grid, positionOf(k)); });
  grid.blockAt.assign(slots, -1);
  for (std::size_t k = 0; k < slots; ++k) {
    if (reached[k] == 0) continue;
    grid.blockAt[k] = static_cast<std::int32_t>(grid.active.size());
    grid.active.emplace_back().position = positionOf(k);
  }
}

// Appends a vertex for each curve of the cell: the mean of the points where its edges are crossed,
// moved onto the surface.
template <class Source>
void addCell(const Source& source, const Grid& grid, const CellValues& value,
             const Double3& corner0, const CellCurves& curves, Block& block) {
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
  for (std::size_t k = 0; k < curves.count; ++k)
    block.vertex.push_back(source.place(grid, corner0, value, (1.0 / count[k]) * sum[k]));
}

// Do this cell and the one across its pinched face both join that face's curves?
template <class Source>
bool keepsApart(const Source& source, const Grid& grid, const Int3& cell, int inside) {
  const int face = pinchedFace(inside);
  if (face < 0) return false;
  Int3 other = cell;
  other[static_cast<std::size_t>(face / 2)] += face % 2 == 0 ? -1 : 1;
  int beyond = 0;
  for (int c = 0; c < 8; ++c)
    beyond |= (source.value(grid, other[0] + (c & 1), other[1] + ((c >> 1) & 1),
                            other[2] + (c >> 2)) < 0.0)
              << c;
  return pinchedFace(beyond) == (face ^ 1);
}

template <class Source>
void placeVertices(const Source& source, const Grid& grid, Block& block) {
  std::array<double, corners * corners * corners> value;
  const Int3 base{block.position[0] * side, block.position[1] * side, block.position[2] * side};
  for (int z = 0; z < corners; ++z)
    for (int y = 0; y < corners; ++y)
      for (int x = 0; x < corners; ++x)
        value[cornerIndex(x, y, z)] = source.value(grid, base[0] + x, base[1] + y, base[2] + z);
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        CellValues cell;
        int inside = 0;
        for (int c = 0; c < 8; ++c) {
          const double v = value[cornerIndex(x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2))];
          cell[static_cast<std::size_t>(c)] = v;
          inside |= (v < 0.0) << c;
        }
        const Int3 at{base[0] + x, base[1] + y, base[2] + z};
        const int curves = inside + (keepsApart(source, grid, at, inside) ? oppositeRule : 0);
        block.curves[cellIndex(x, y, z)] = static_cast<std::uint16_t>(curves);
        block.cellVertex[cellIndex(x, y, z)] = static_cast<std::uint16_t>(block.vertex.size());
        if (inside == 0 || inside == 255) continue;
        addCell(source, grid, cell, grid.point(at[0], at[1], at[2]),
                cellCurveTable()[static_cast<std::size_t>(curves)], block);
      }
}

// The vertex that stands for the crossed edge from corner a to b of a cell (global indices).
std::uint32_t vertexOf(const Grid& grid, const Int3& cell, int a, int b) {
  const std::int32_t at = grid.blockAt[grid.slot(cell[0] / side, cell[1] / side, cell[2] / side)];
  const Block& block = grid.active[static_cast<std::size_t>(at)];
  const std::size_t index = cellIndex(cell[0] % side, cell[1] % side, cell[2] % side);
  const CellCurves& curves = cellCurveTable()[block.curves[index]];
  return block.firstVertex + block.cellVertex[index] +
         curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
}

// The quad of each crossed grid edge that starts in corner 0 of a cell of this block.
void connect(const Grid& grid, Block& block) {
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        for (int axis = 0; axis < 3; ++axis) {
          const int inside = block.curves[cellIndex(x, y, z)] % oppositeRule;
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

// Numbers the blocks' vertices one after the other.
void numberVertices(Grid& grid) {
  std::uint64_t vertices = 0;
  for (Block& block : grid.active) {
    block.firstVertex = static_cast<std::uint32_t>(vertices);
    vertices += block.vertex.size();
  }
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    fail(ExitCode::NoResource, "the surface would have " + std::to_string(vertices) +
                                   " vertices, more than the 4294967295 that a mesh can hold: "
                                   "make it coarser.");
}

template <class Source>
TriangleMesh surfaceNets(Grid grid, const Source& source) {
  findBlocks(grid, source);
  const std::size_t blocks = grid.active.size();
  parallelFor(blocks, [&](std::size_t b) { placeVertices(source, grid, grid.active[b]); });
  numberVertices(grid);
  parallelFor(blocks, [&](std::size_t b) { connect(grid, grid.active[b]); });
  return gather(grid);
}
}  // namespace

TriangleMesh isosurface(const DistanceField& field, const Double3& low, const Double3& high,
                        double cell) {
  Grid grid{.low = low, .cell = {cell, cell, cell}, .blocks = {}, .blockAt = {}, .active = {}};
  for (std::size_t a = 0; a < 3; ++a)
    grid.blocks[a] = static_cast<int>(std::ceil((high[a] - low[a]) / (cell * side)));
  return surfaceNets(std::move(grid), FieldSource{field});
}

TriangleMesh isosurface(const ScalarGrid& samples) {
  Grid grid{.low = samples.origin - samples.spacing,
            .cell = samples.spacing,
            .blocks = {},
            .blockAt = {},
            .active = {}};
  for (std::size_t a = 0; a < 3; ++a) grid.blocks[a] = (samples.size[a] + side) / side;
  return surfaceNets(std::move(grid), SampleSource{samples});
}

}  // namespace tessera
