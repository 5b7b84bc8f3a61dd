// SPDX-License-Identifier: GPL-3.0-or-later
// Connectivity of a surface net (Gibson, "Constrained elastic surface nets", MICCAI 1998; dual
// marching cubes, Nielson, IEEE Visualization 2004): a vertex per sheet of the surface in a grid
// cell and a quad around each crossed grid edge, between samples inside and outside. The net is
// closed, edge-manifold and oriented outwards. Sources: voxels (label_net.hpp) or values of a field
// (isosurface.hpp).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <vector>

#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/vec3.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::mesher {

// Curves of a surface on the faces of a grid cell. The crossed edges of a cell form one or more
// closed curves on its faces; each becomes a vertex (dual marching cubes, Nielson, IEEE
// Visualization 2004), so that the mesh stays manifold where the surface touches a grid plane. On a
// face with two diagonal corners inside, the curves enclose those corners, unless two cells would
// then both join the face's two curves, which puts four quads on one edge: both cells then take the
// opposite rule on that face (R. Wenger, "Isosurfaces", CRC Press 2013, section 3.5).

// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 * axis + k starts at the k-th
// corner without that axis' bit and runs along the axis.
constexpr std::uint8_t notCrossed = 0xff;
struct CellCurves {
  std::array<std::uint8_t, 12> curve{};  // by edge, or notCrossed
  std::uint8_t count = 0;
};
// Table by the bit mask of inside corners; entries from 256 on use the opposite rule.
constexpr int oppositeRule = 256;
const std::array<CellCurves, 512>& cellCurveTable();
// Crossed edges along each curve of a table entry, counter-clockwise seen from outside.
std::vector<std::vector<int>> curveLoops(int entry);
// Face (2 * axis, + 1 for the upper one) whose two curves the cell joins and the opposite rule
// would separate; -1: none.
int pinchedFace(int inside);
// Edge between two adjacent corners.
int edgeBetween(int a, int b);

// Bit mask of a cell's inside corners; cell: grid point at corner 0.
template <class IsInside>
int cornersInside(const Int3& cell, const IsInside& isInside) {
  int inside = 0;
  for (int c = 0; c < 8; ++c)
    inside |= (isInside(cell + Int3{c & 1, (c >> 1) & 1, c >> 2}) ? 1 : 0) << c;
  return inside;
}

// Entry of cellCurveTable() for a cell with these inside corners: opposite rule if this cell and
// the one across its pinched face would both join that face's curves.
template <class IsInside>
int curvesEntry(Int3 cell, int inside, const IsInside& isInside) {
  const int face = pinchedFace(inside);
  if (face < 0) return inside;
  cell[static_cast<std::size_t>(face / 2)] += face % 2 == 0 ? -1 : 1;
  const bool isPinchedTwice = pinchedFace(cornersInside(cell, isInside)) == (face ^ 1);
  return inside + (isPinchedTwice ? oppositeRule : 0);
}

// Samples of a net. Cell (i, j, k) has the samples from (i, j, k) to (i + 1, j + 1, k + 1) at its
// corners; a source must also answer for samples one step outside of the grid.
template <class S>
concept NetSource = requires(const S& source, const Int3& at, typename S::Value value) {
  { source.sample(at) } -> std::same_as<typename S::Value>;
  { S::isInside(value) } -> std::same_as<bool>;
  { source.reaches(at) } -> std::same_as<bool>;  // whether the surface may pass the block
};

// Cell crossed by the surface.
struct NetCell {
  int x = 0;                 // within its block
  std::uint32_t vertex = 0;  // first vertex of the cell, within the block
  std::uint16_t curves = 0;  // entry of cellCurveTable()
};

// Crossed cells of a box of cells, by rows.
struct NetBlock {
  Int3 position{};                      // in blocks
  std::vector<NetCell> cell;            // by z, y, x
  std::vector<std::uint32_t> rowStart;  // by y + size * z, and the end
  std::uint32_t vertices = 0;
  std::uint32_t firstVertex = 0;  // number of its first vertex in the net
};

// Grid edge crossed by the surface: from corner 0 of a cell along an axis.
struct CrossedEdge {
  Int3 cell{};
  int axis = 0;
  bool isInside = false;  // whether its start is inside
};
// Position of the k-th cell around an edge relative to the edge's own, k = 0 .. 3,
// counter-clockwise seen from outside.
Int3 stepAround(const CrossedEdge& edge, std::size_t k);

using NetQuad = std::array<std::uint32_t, 4>;  // vertices, counter-clockwise from outside

// Two triangles of a quad, by corners: split along its shorter diagonal.
std::array<std::array<std::size_t, 3>, 2> halvesOf(const std::array<Double3, 4>& corner);

class SurfaceNet {
 public:
  // The grid has blocks of blockSize cells each; cells wrap on periodic axes.
  SurfaceNet(const Int3& blocks, const Int3& blockSize, const std::array<bool, 3>& periodic)
      : blocks_(blocks), blockSize_(blockSize), periodic_(periodic) {}

  // Finds the blocks that the surface reaches, without their cells.
  template <NetSource Source>
  void findBlocks(const Source& source);
  // Finds the crossed cells; onCell(number of the block, cell, values at the corners, curves) for
  // each, blocks in parallel.
  template <NetSource Source, class OnCell>
  void findCells(const Source& source, const OnCell& onCell);
  // Numbers the vertices by block; returns their number, which may exceed 32 bits.
  std::uint64_t numberVertices();
  // visit(edge, quad) for the edges that start in a block, by cell (z, y, x), then axis.
  template <class Visit>
  void forEachQuad(const NetBlock& block, const Visit& visit) const;

  [[nodiscard]] const std::vector<NetBlock>& blocks() const { return block_; }
  // First cell of a block.
  [[nodiscard]] Int3 cornerOf(const NetBlock& block) const {
    return scaled(block.position, blockSize_);
  }
  // visit(cell, netCell) for the crossed cells of a block by z, y, x.
  template <class Visit>
  void forEachCell(const NetBlock& block, const Visit& visit) const;

 private:
  [[nodiscard]] std::size_t slotOf(const Int3& position) const {
    const auto nx = static_cast<std::size_t>(blocks_[0]);
    const auto ny = static_cast<std::size_t>(blocks_[1]);
    return static_cast<std::size_t>(position[0]) +
           nx *
               (static_cast<std::size_t>(position[1]) + ny * static_cast<std::size_t>(position[2]));
  }
  template <NetSource Source, class OnCell>
  void fill(const Source& source, const OnCell& onCell, std::size_t number);
  [[nodiscard]] NetQuad quadAround(const CrossedEdge& edge) const;
  // Vertex of the curve through the crossed edge from corner a to b of a cell.
  [[nodiscard]] std::uint32_t vertexOf(Int3 cell, int a, int b) const;

  Int3 blocks_, blockSize_;
  std::array<bool, 3> periodic_;
  std::vector<std::int32_t> blockAt_;  // number of the block in block_, or -1
  std::vector<NetBlock> block_;
};

template <NetSource Source, class OnCell>
void SurfaceNet::findCells(const Source& source, const OnCell& onCell) {
  stage::parallelFor(block_.size(), [&](std::size_t b) { fill(source, onCell, b); });
}

template <NetSource Source>
void SurfaceNet::findBlocks(const Source& source) {
  std::vector<Int3> position;
  for (int z = 0; z < blocks_[2]; ++z)
    for (int y = 0; y < blocks_[1]; ++y)
      for (int x = 0; x < blocks_[0]; ++x) position.push_back({x, y, z});
  std::vector<std::uint8_t> reached(position.size());
  stage::parallelFor(position.size(),
                     [&](std::size_t k) { reached[k] = source.reaches(position[k]); });
  blockAt_.assign(position.size(), -1);
  for (std::size_t k = 0; k < position.size(); ++k) {
    if (reached[k] == 0) continue;
    blockAt_[k] = static_cast<std::int32_t>(block_.size());
    block_.emplace_back().position = position[k];
  }
}

// Samples of a block, and the inside patterns of its cells along a row, where half of the bits of a
// cell are those of its predecessor.
template <NetSource Source>
class NetSamples {
 public:
  using Value = typename Source::Value;
  NetSamples(const Source& source, const Int3& corner, const Int3& cells)
      : width_(static_cast<std::size_t>(cells[0] + 1)),
        plane_(width_ * static_cast<std::size_t>(cells[1] + 1)) {
    value_.reserve(plane_ * static_cast<std::size_t>(cells[2] + 1));
    for (int z = 0; z <= cells[2]; ++z)
      for (int y = 0; y <= cells[1]; ++y)
        for (int x = 0; x <= cells[0]; ++x) value_.push_back(source.sample(corner + Int3{x, y, z}));
  }
  [[nodiscard]] std::size_t indexOf(int x, int y, int z) const {
    return static_cast<std::size_t>(x) + width_ * static_cast<std::size_t>(y) +
           plane_ * static_cast<std::size_t>(z);
  }
  // Inside bits of a cell's four samples at its lower or upper x, as bits 0, 2, 4, 6.
  [[nodiscard]] int columnAt(std::size_t at) const {
    return isInside(at) | isInside(at + width_) << 2 | isInside(at + plane_) << 4 |
           isInside(at + plane_ + width_) << 6;
  }
  [[nodiscard]] std::array<Value, 8> cornersOf(std::size_t at) const {
    std::array<Value, 8> corner;
    for (std::size_t c = 0; c < 8; ++c)
      corner[c] = value_[at + (c & 1) + (c >> 1 & 1) * width_ + (c >> 2) * plane_];
    return corner;
  }

 private:
  [[nodiscard]] int isInside(std::size_t at) const { return Source::isInside(value_[at]) ? 1 : 0; }
  std::size_t width_, plane_;
  std::vector<Value> value_;
};

template <NetSource Source, class OnCell>
void SurfaceNet::fill(const Source& source, const OnCell& onCell, std::size_t number) {
  NetBlock& block = block_[number];
  const Int3 corner = cornerOf(block);
  const NetSamples<Source> samples(source, corner, blockSize_);
  const auto isInside = [&](const Int3& at) { return Source::isInside(source.sample(at)); };
  for (int z = 0; z < blockSize_[2]; ++z)
    for (int y = 0; y < blockSize_[1]; ++y) {
      block.rowStart.push_back(static_cast<std::uint32_t>(block.cell.size()));
      std::size_t at = samples.indexOf(0, y, z);
      int next = samples.columnAt(at);
      for (int x = 0; x < blockSize_[0]; ++x, ++at) {
        const int here = next;
        next = samples.columnAt(at + 1);
        const int inside = here | next << 1;
        if (inside == 0 || inside == 255) continue;
        const Int3 cell = corner + Int3{x, y, z};
        const int entry = curvesEntry(cell, inside, isInside);
        const CellCurves& curves = cellCurveTable()[static_cast<std::size_t>(entry)];
        block.cell.push_back({x, block.vertices, static_cast<std::uint16_t>(entry)});
        block.vertices += curves.count;
        onCell(number, cell, samples.cornersOf(at), curves);
      }
    }
  block.rowStart.push_back(static_cast<std::uint32_t>(block.cell.size()));
}

template <class Visit>
void SurfaceNet::forEachCell(const NetBlock& block, const Visit& visit) const {
  const Int3 corner = cornerOf(block);
  for (std::size_t row = 0; row + 1 < block.rowStart.size(); ++row) {
    const int y = static_cast<int>(row) % blockSize_[1];
    const int z = static_cast<int>(row) / blockSize_[1];
    for (std::size_t k = block.rowStart[row]; k < block.rowStart[row + 1]; ++k)
      visit(corner + Int3{block.cell[k].x, y, z}, block.cell[k]);
  }
}

template <class Visit>
void SurfaceNet::forEachQuad(const NetBlock& block, const Visit& visit) const {
  forEachCell(block, [&](const Int3& at, const NetCell& cell) {
    const int inside = cell.curves % oppositeRule;
    for (int axis = 0; axis < 3; ++axis) {
      const CrossedEdge edge{at, axis, (inside & 1) != 0};
      if (edge.isInside != ((inside >> (1 << axis) & 1) != 0)) visit(edge, quadAround(edge));
    }
  });
}

}  // namespace tessera::preprocess::mesher
