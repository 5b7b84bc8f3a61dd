// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/label_net.hpp"

#include <limits>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/parallel_for.hpp"
#include "preprocess/surface/cell_curves.hpp"

namespace tessera {
namespace {

using std::size_t;

// The labels, solid beyond the sides, wrapped on periodic axes; cells by number from 0.
struct CellGrid {
  const BitLattice& fluid;
  std::array<bool, 3> periodic;
  Int3 cells;

  CellGrid(const BitLattice& labels, const std::array<bool, 3>& axes)
      : fluid(labels), periodic(axes), cells(labels.size) {
    for (size_t a = 0; a < 3; ++a) cells[a] += periodic[a] ? 0 : 1;
  }
  // The voxel at the lower corner of the i-th cell of an axis.
  [[nodiscard]] int lower(int i, size_t axis) const { return periodic[axis] ? i : i - 1; }
  [[nodiscard]] bool at(Int3 voxel) const {
    for (size_t a = 0; a < 3; ++a) {
      const int size = fluid.size[a];
      if (voxel[a] >= 0 && voxel[a] < size) continue;
      if (!periodic[a]) return false;
      voxel[a] = (voxel[a] + size) % size;
    }
    return fluid.at(voxel[0], voxel[1], voxel[2]);
  }
  // By the bits of the cell's corners that are fluid.
  [[nodiscard]] int insideOf(const Int3& voxel) const {
    int inside = 0;
    for (int c = 0; c < 8; ++c)
      inside |= at({voxel[0] + (c & 1), voxel[1] + ((c >> 1) & 1), voxel[2] + (c >> 2)}) << c;
    return inside;
  }
  [[nodiscard]] size_t slot(int i, int j) const {
    return static_cast<size_t>(i) + static_cast<size_t>(cells[0]) * static_cast<size_t>(j);
  }
};

struct ActiveCell {
  int i, j;
  std::uint16_t curves;  // in the table
  std::uint32_t vertex;  // first of the cell, in the layer
};

struct Layer {
  std::vector<ActiveCell> cell;  // with both labels, by j, then i
  std::uint32_t vertices = 0;
  std::uint32_t firstVertex = 0;
};

// Do this cell and the one across its pinched face both join that face's curves?
bool keepsApart(const CellGrid& grid, Int3 voxel, int inside) {
  const int face = pinchedFace(inside);
  if (face < 0) return false;
  voxel[static_cast<size_t>(face / 2)] += face % 2 == 0 ? -1 : 1;
  return pinchedFace(grid.insideOf(voxel)) == (face ^ 1);
}

// One plane of labels, a byte each, as the corners of a layer's cells.
std::vector<std::uint8_t> cornerPlane(const CellGrid& grid, int z) {
  std::vector<std::uint8_t> plane;
  plane.reserve(static_cast<size_t>(grid.cells[0] + 1) * static_cast<size_t>(grid.cells[1] + 1));
  for (int j = 0; j <= grid.cells[1]; ++j)
    for (int i = 0; i <= grid.cells[0]; ++i)
      plane.push_back(grid.at({grid.lower(i, 0), grid.lower(j, 1), z}));
  return plane;
}

Layer findCells(const CellGrid& grid, int k) {
  Layer layer;
  const int z = grid.lower(k, 2);
  const std::array<std::vector<std::uint8_t>, 2> plane{cornerPlane(grid, z),
                                                       cornerPlane(grid, z + 1)};
  const auto width = static_cast<size_t>(grid.cells[0] + 1);
  // Of the four labels at the lower or upper x of a cell, to bits 0, 2, 4, 6.
  const auto columnAt = [&](size_t at) {
    return plane[0][at] | plane[0][at + width] << 2 | plane[1][at] << 4 | plane[1][at + width] << 6;
  };
  for (int j = 0; j < grid.cells[1]; ++j) {
    const size_t row = width * static_cast<size_t>(j);
    int next = columnAt(row);
    for (int i = 0; i < grid.cells[0]; ++i) {
      const int here = next;
      next = columnAt(row + static_cast<size_t>(i) + 1);
      const int inside = here | next << 1;
      if (inside == 0 || inside == 255) continue;
      const Int3 voxel{grid.lower(i, 0), grid.lower(j, 1), z};
      const int curves = inside + (keepsApart(grid, voxel, inside) ? oppositeRule : 0);
      layer.cell.push_back({i, j, static_cast<std::uint16_t>(curves), layer.vertices});
      layer.vertices += cellCurveTable()[static_cast<size_t>(curves)].count;
    }
  }
  return layer;
}

// A layer's cells by place.
class CellTable {
 public:
  CellTable(const CellGrid& grid, const Layer& layer)
      : grid_(grid), layer_(layer), at_(grid.slot(0, grid.cells[1])) {
    for (std::uint32_t n = 0; n < layer.cell.size(); ++n)
      at_[grid.slot(layer.cell[n].i, layer.cell[n].j)] = n;
  }
  // The vertex that stands for the crossed edge from corner a to b of a cell.
  [[nodiscard]] std::uint32_t vertexOf(int i, int j, int a, int b) const {
    const ActiveCell& cell = layer_.cell[at_[grid_.slot(i, j)]];
    const CellCurves& curves = cellCurveTable()[cell.curves];
    return layer_.firstVertex + cell.vertex + curves.curve[static_cast<size_t>(edgeBetween(a, b))];
  }

 private:
  const CellGrid& grid_;
  const Layer& layer_;
  std::vector<std::uint32_t> at_;
};

// The quad around the edge that goes from corner 0 of a cell along an axis. below, here: the cells
// of the layer below and of the cell's own.
LabelNet::Quad quadAround(const CellGrid& grid, const CellTable& below, const CellTable& here,
                          const Int3& cell, int axis, bool fluid) {
  LabelNet::Quad quad;
  const auto along = static_cast<size_t>(axis);
  const auto next = (along + 1) % 3;
  const auto last = (along + 2) % 3;
  const int lower = grid.lower(cell[along], along);
  const bool leavesHigh = lower == grid.fluid.size[along] - 1;
  if (!grid.periodic[along] && (lower == -1 || leavesHigh))
    quad.side = static_cast<std::uint8_t>(2 * axis + (leavesHigh ? 1 : 0));
  for (unsigned k = 0; k < 4; ++k) {  // counter-clockwise about the axis
    const int backNext = k == 0 || k == 3 ? 1 : 0;
    const int backLast = k < 2 ? 1 : 0;
    Int3 around = cell;
    around[next] -= backNext;
    around[last] -= backLast;
    // The end of a periodic axis is seen from the fluid's side.
    unsigned low = grid.periodic[along] && leavesHigh && !fluid ? 1U << axis : 0U;
    const CellTable& table = around[2] < cell[2] ? below : here;
    for (size_t a = 0; a < 3; ++a)
      if (around[a] < 0) {
        around[a] += grid.cells[a];
        low |= 1U << a;
      }
    const int corner = (backNext << next) | (backLast << last);
    quad.vertex[k] = table.vertexOf(around[0], around[1], corner, corner | (1 << axis));
    quad.low = static_cast<std::uint16_t>(quad.low | low << (3 * k));
  }
  if (fluid) return quad;
  std::swap(quad.vertex[1], quad.vertex[3]);
  const unsigned bits = quad.low;
  quad.low =
      static_cast<std::uint16_t>((bits & 0x1c7U) | (bits >> 3 & 7U) << 9 | (bits >> 9 & 7U) << 3);
  return quad;
}

std::vector<LabelNet::Quad> connect(const CellGrid& grid, const Layer& below, const Layer& layer,
                                    int k) {
  std::vector<LabelNet::Quad> quads;
  const CellTable belowTable(grid, below);
  const CellTable table(grid, layer);
  for (const ActiveCell& cell : layer.cell)
    for (int axis = 0; axis < 3; ++axis) {
      const int inside = cell.curves % oppositeRule;
      const bool fluid = (inside & 1) != 0;
      if (fluid == (((inside >> (1 << axis)) & 1) != 0)) continue;
      quads.push_back(quadAround(grid, belowTable, table, {cell.i, cell.j, k}, axis, fluid));
    }
  return quads;
}

void numberVertices(std::vector<Layer>& layers) {
  std::uint64_t vertices = 0;
  for (Layer& layer : layers) {
    layer.firstVertex = static_cast<std::uint32_t>(vertices);
    vertices += layer.vertices;
  }
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    fail(ExitCode::NoResource,
         "the image's surface would have " + std::to_string(vertices) +
             " vertices, more than 32 bits count; cut out a part of the image.");
}

}  // namespace

LabelNet labelNet(const BitLattice& fluid, const std::array<bool, 3>& periodic) {
  const CellGrid grid(fluid, periodic);
  const auto count = static_cast<size_t>(grid.cells[2]);
  std::vector<Layer> layers(count);
  parallelFor(count, [&](size_t k) { layers[k] = findCells(grid, static_cast<int>(k)); });
  numberVertices(layers);
  std::vector<std::vector<LabelNet::Quad>> quads(count);
  parallelFor(count, [&](size_t k) {
    quads[k] = connect(grid, layers[(k + count - 1) % count], layers[k], static_cast<int>(k));
  });
  LabelNet net;
  net.size = fluid.size;
  net.periodic = periodic;
  for (size_t k = 0; k < count; ++k) {
    for (const ActiveCell& cell : layers[k].cell)
      net.cell.insert(
          net.cell.end(), cellCurveTable()[cell.curves].count,
          {grid.lower(cell.i, 0), grid.lower(cell.j, 1), grid.lower(static_cast<int>(k), 2)});
    net.quad.insert(net.quad.end(), quads[k].begin(), quads[k].end());
    quads[k] = {};
  }
  net.offset.resize(net.cell.size());
  return net;
}

}  // namespace tessera
