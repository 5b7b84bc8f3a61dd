// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles into slabs, and within a slab into rows of unit cells. A triangle of a few cells goes
// by its bounding box, a larger one is clipped to each layer and row, so that a long slanted one
// lands in the cells that it passes and no more.
#include "preprocess/surface_cells.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {

namespace {

using std::size_t;

// Added on all sides of a cell, in nodes: more than a link's window in link_crossing.cpp.
constexpr double margin = 1.0 / 512.0;
constexpr std::int32_t fixedMargin = fixedOne / 512;

struct CellRange {
  int first, last;
};

CellRange cellsOf(std::int32_t low, std::int32_t high) {
  return {(low - fixedMargin) >> fixedBits, (high + fixedMargin) >> fixedBits};
}

CellRange cellsOf(const NearTriangle& triangle, size_t axis) {
  const auto [low, high] =
      std::minmax({triangle.corner[axis][0], triangle.corner[axis][1], triangle.corner[axis][2]});
  return cellsOf(low, high);
}

CellRange limited(CellRange range, int first, int last) {
  return {std::max(range.first, first), std::min(range.last, last)};
}

// A convex polygon of up to 8 corners, in nodes.
struct Polygon {
  std::array<Double3, 8> corner;
  size_t size = 0;

  void add(const Double3& point) { corner[size++] = point; }
  [[nodiscard]] CellRange cells(size_t axis) const {
    double low = corner[0][axis];
    double high = low;
    for (size_t k = 1; k < size; ++k) {
      low = std::min(low, corner[k][axis]);
      high = std::max(high, corner[k][axis]);
    }
    return {static_cast<int>(std::floor(low - margin)),
            static_cast<int>(std::floor(high + margin))};
  }
};

// The part where sign * x[axis] <= limit (Sutherland & Hodgman 1974).
Polygon clipped(const Polygon& polygon, size_t axis, double sign, double limit) {
  Polygon kept;
  for (size_t k = 0; k < polygon.size; ++k) {
    const Double3& a = polygon.corner[k];
    const Double3& b = polygon.corner[(k + 1) % polygon.size];
    const double outA = sign * a[axis] - limit;
    const double outB = sign * b[axis] - limit;
    if (outA <= 0.0) kept.add(a);
    if ((outA < 0.0 && outB > 0.0) || (outA > 0.0 && outB < 0.0))
      kept.add(a + outA / (outA - outB) * (b - a));
  }
  return kept;
}

// The part within a layer of cells and its margin.
Polygon layerOf(const Polygon& polygon, size_t axis, int cell) {
  return clipped(clipped(polygon, axis, 1.0, cell + 1 + margin), axis, -1.0, margin - cell);
}

Polygon polygonOf(const NearTriangle& triangle) {
  Polygon polygon;
  for (size_t k = 0; k < 3; ++k)
    polygon.add({static_cast<double>(triangle.corner[0][k]) / fixedOne,
                 static_cast<double>(triangle.corner[1][k]) / fixedOne,
                 static_cast<double>(triangle.corner[2][k]) / fixedOne});
  return polygon;
}

// Whether a triangle's plane passes through a cell or its margin.
bool planeMeetsCell(const NearTriangle& triangle, int i, int j, int k) {
  const Double3& n = triangle.normal;
  const double height = n[0] * (i + 0.5) + n[1] * (j + 0.5) + n[2] * (k + 0.5) - triangle.offset;
  return std::abs(height) <= (0.5 + margin) * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]));
}

}  // namespace

SlabbedSurface::SlabbedSurface(const TriangleMesh& mesh, const Int3& nodes,
                               const std::array<bool, 3>& periodic, int planes)
    : mesh_(mesh), planes_(planes), vertex_(snapVertices(mesh.vertex, nodes)) {
  addCopies(nodes, periodic);
  const auto slabs = static_cast<size_t>((nodes[2] + planes - 1) / planes);
  bins_ = sortIntoBins(mesh.triangle.size() + copies_.size(), slabs, [&](size_t index) {
    const Copy copy = copyOf(index);
    const auto& [a, b, c] = mesh.triangle[copy.triangle];
    const auto [low, high] = std::minmax({vertex_[a][2], vertex_[b][2], vertex_[c][2]});
    const CellRange layers =
        cellsOf(low + copy.shift[2] * fixedOne, high + copy.shift[2] * fixedOne);
    // Node plane z lies between layers z - 1 and z.
    const CellRange reached = limited({layers.first, layers.last + 1}, 0, nodes[2] - 1);
    return reached.first > reached.last ? std::pair(0, -1)
                                        : std::pair(reached.first / planes, reached.last / planes);
  });
}

// Links across an end of a periodic axis see the triangles of the other end.
void SlabbedSurface::addCopies(const Int3& nodes, const std::array<bool, 3>& periodic) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!periodic[axis]) continue;
    const size_t before = mesh_.triangle.size() + copies_.size();
    for (size_t index = 0; index < before; ++index) {
      const Copy copy = copyOf(index);
      const auto& [a, b, c] = mesh_.triangle[copy.triangle];
      const auto [low, high] = std::minmax({vertex_[a][axis], vertex_[b][axis], vertex_[c][axis]});
      Copy up = copy;
      up.shift[axis] += nodes[axis];
      if (low <= fixedOne) copies_.push_back(up);
      Copy down = copy;
      down.shift[axis] -= nodes[axis];
      if (high >= (nodes[axis] - 2) * fixedOne) copies_.push_back(down);
    }
  }
}

SlabbedSurface::Copy SlabbedSurface::copyOf(size_t index) const {
  if (index < mesh_.triangle.size()) return {static_cast<std::uint32_t>(index), {0, 0, 0}};
  return copies_[index - mesh_.triangle.size()];
}

std::vector<NearTriangle> SlabbedSurface::triangles(size_t slab) const {
  std::vector<NearTriangle> near;
  near.reserve(bins_[slab].size());
  for (std::uint32_t index : bins_[slab]) {
    const Copy copy = copyOf(index);
    NearTriangle triangle;
    for (size_t axis = 0; axis < 3; ++axis)
      for (size_t k = 0; k < 5; ++k)
        triangle.corner[axis][k] =
            vertex_[mesh_.triangle[copy.triangle][k % 3]][axis] + copy.shift[axis] * fixedOne;
    for (const auto& c : triangle.corner)
      triangle.isSmall &=
          std::max({c[0], c[1], c[2]}) - std::min({c[0], c[1], c[2]}) < 500 * fixedOne;
    const Double3 area = areaVector(mesh_, copy.triangle);
    const double size = length(area);
    if (size > 0.0) triangle.normal = 1.0 / size * area;
    const Double3 shift{static_cast<double>(copy.shift[0]), static_cast<double>(copy.shift[1]),
                        static_cast<double>(copy.shift[2])};
    triangle.offset = dot(triangle.normal, mesh_.vertex[mesh_.triangle[copy.triangle][0]] + shift);
    triangle.patch = mesh_.label.empty() ? Patch{0} : mesh_.label[copy.triangle];
    near.push_back(triangle);
  }
  return near;
}

SurfaceCells::SurfaceCells(std::vector<NearTriangle> triangles, const Int3& nodes, int firstLayer,
                           int lastLayer)
    : triangles_(std::move(triangles)),
      lastColumn_(nodes[0] - 1),
      lastRow_(nodes[1] - 1),
      rows_(nodes[1] + 1),
      firstLayer_(firstLayer),
      lastLayer_(lastLayer) {
  std::vector<Placed> placed;
  placed.reserve(triangles_.size() * 6);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) place(t, placed);
  sortRows(placed);
}

void SurfaceCells::place(std::uint32_t index, std::vector<Placed>& placed) const {
  const NearTriangle& triangle = triangles_[index];
  const auto put = [&](int j, int k, CellRange cells) {
    cells = limited(cells, -1, lastColumn_);
    for (int i = cells.first; i <= cells.last; ++i)
      if (planeMeetsCell(triangle, i, j, k))
        placed.push_back({static_cast<std::uint32_t>(rowIndex(j, k)), {i, index}});
  };
  const CellRange layers = limited(cellsOf(triangle, 2), firstLayer_, lastLayer_);
  const CellRange rows = limited(cellsOf(triangle, 1), -1, lastRow_);
  const CellRange columns = cellsOf(triangle, 0);
  const auto count = [](const CellRange& range) { return range.last - range.first + 1; };
  if (count(layers) <= 3 && count(rows) <= 3 && count(columns) <= 3) {
    for (int k = layers.first; k <= layers.last; ++k)
      for (int j = rows.first; j <= rows.last; ++j) put(j, k, columns);
    return;
  }
  const Polygon whole = polygonOf(triangle);
  for (int k = layers.first; k <= layers.last; ++k) {
    const Polygon layer = layerOf(whole, 2, k);
    if (layer.size == 0) continue;
    const CellRange layerRows = limited(layer.cells(1), -1, lastRow_);
    for (int j = layerRows.first; j <= layerRows.last; ++j)
      if (const Polygon row = layerOf(layer, 1, j); row.size > 0) put(j, k, row.cells(0));
  }
}

// By column, then by row; both passes keep the order of what is equal.
void SurfaceCells::sortRows(const std::vector<Placed>& placed) {
  std::vector<size_t> columnStart(static_cast<size_t>(lastColumn_) + 3, 0);
  const auto column = [](const Placed& p) { return static_cast<size_t>(p.entry.cell + 1); };
  for (const Placed& p : placed) ++columnStart[column(p) + 1];
  std::partial_sum(columnStart.begin(), columnStart.end(), columnStart.begin());
  std::vector<Placed> byColumn(placed.size());
  for (const Placed& p : placed) byColumn[columnStart[column(p)]++] = p;

  const size_t rows =
      static_cast<size_t>(rows_) * static_cast<size_t>(lastLayer_ - firstLayer_ + 1);
  start_.assign(rows + 2, 0);  // one place ahead, so that filling moves it to where it belongs
  for (const Placed& p : placed) ++start_[p.row + 2];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  entry_.resize(placed.size());
  for (const Placed& p : byColumn) entry_[start_[p.row + 1]++] = p.entry;
}

std::span<const SurfaceCells::Entry> SurfaceCells::row(int j, int k) const {
  const size_t r = rowIndex(j, k);
  return std::span(entry_).subspan(start_[r], start_[r + 1] - start_[r]);
}

}  // namespace tessera
