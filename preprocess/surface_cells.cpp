// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles into slabs, and within a slab into rows of unit cells. A triangle of a few cells goes
// by its bounding box, a larger one is clipped to each layer and row, so that a long slanted one
// lands in the cells that it passes and no more.
#include "preprocess/surface_cells.hpp"

#include <algorithm>
#include <cmath>

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
      std::minmax({triangle.corner[0][axis], triangle.corner[1][axis], triangle.corner[2][axis]});
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
  for (const Fixed3& c : triangle.corner)
    polygon.add({static_cast<double>(c[0]) / fixedOne, static_cast<double>(c[1]) / fixedOne,
                 static_cast<double>(c[2]) / fixedOne});
  return polygon;
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
    for (size_t k = 0; k < 3; ++k)
      for (size_t axis = 0; axis < 3; ++axis)
        triangle.corner[k][axis] =
            vertex_[mesh_.triangle[copy.triangle][k]][axis] + copy.shift[axis] * fixedOne;
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
      columns_(nodes[0]),
      rows_(nodes[1] + 1),
      firstLayer_(firstLayer),
      lastLayer_(lastLayer) {
  std::vector<Placed> placed;
  placed.reserve(triangles_.size() * 6);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) place(t, placed);
  sortRows(placed);
}

void SurfaceCells::place(std::uint32_t index, std::vector<Placed>& placed) const {
  const auto put = [&](int j, int k, CellRange cells) {
    cells = limited(cells, -1, columns_ - 1);
    for (int i = cells.first; i <= cells.last; ++i)
      placed.push_back({static_cast<std::uint32_t>(rowIndex(j, k)), {i, index}});
  };
  const NearTriangle& triangle = triangles_[index];
  const CellRange layers = limited(cellsOf(triangle, 2), firstLayer_, lastLayer_);
  const CellRange rows = limited(cellsOf(triangle, 1), -1, rows_ - 2);
  const CellRange columns = cellsOf(triangle, 0);
  const auto count = [](const CellRange& range) { return range.last - range.first + 1; };
  const bool small = count(layers) <= 2 && count(rows) <= 2 && count(columns) <= 2;
  const Polygon whole = small ? Polygon{} : polygonOf(triangle);
  for (int k = layers.first; k <= layers.last; ++k) {
    const Polygon layer = small ? Polygon{} : layerOf(whole, 2, k);
    if (!small && layer.size == 0) continue;
    const CellRange layerRows = small ? rows : limited(layer.cells(1), -1, rows_ - 2);
    for (int j = layerRows.first; j <= layerRows.last; ++j) {
      const Polygon row = small ? Polygon{} : layerOf(layer, 1, j);
      if (small || row.size > 0) put(j, k, small ? columns : row.cells(0));
    }
  }
}

void SurfaceCells::sortRows(const std::vector<Placed>& placed) {
  const size_t rows =
      static_cast<size_t>(rows_) * static_cast<size_t>(lastLayer_ - firstLayer_ + 1);
  start_.assign(rows + 2, 0);
  for (const Placed& p : placed) ++start_[p.row + 2];
  for (size_t r = 2; r < start_.size(); ++r) start_[r] += start_[r - 1];
  entry_.resize(placed.size());
  for (const Placed& p : placed) entry_[start_[p.row + 1]++] = p.entry;
  for (size_t r = 0; r < rows; ++r)
    std::sort(entry_.begin() + static_cast<std::ptrdiff_t>(start_[r]),
              entry_.begin() + static_cast<std::ptrdiff_t>(start_[r + 1]),
              [](const Entry& a, const Entry& b) {
                return a.cell != b.cell ? a.cell < b.cell : a.triangle < b.triangle;
              });
}

std::span<const SurfaceCells::Entry> SurfaceCells::row(int j, int k) const {
  const size_t r = rowIndex(j, k);
  return std::span(entry_).subspan(start_[r], start_[r + 1] - start_[r]);
}

}  // namespace tessera
