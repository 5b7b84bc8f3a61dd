// SPDX-License-Identifier: GPL-3.0-or-later
// Which samples of a band of the picture a triangle covers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "pipelines/picture/rasterise.hpp"

namespace tessera::picture {

constexpr int samples = 4;  // a pixel and axis

struct ScreenMesh {
  const RenderMesh* mesh;
  std::vector<Projected> vertex;
  std::vector<Float3> palette;  // linear colours along the map, or the one plain colour
};

constexpr std::uint32_t nothing = 0xffffffff;

// Rows and columns of samples from (firstRow, firstColumn).
struct Band {
  int firstRow, firstColumn, rows, columns;
  std::vector<float> depth;
  std::vector<std::uint32_t> seen;  // which of the band's triangles, or nothing
  std::vector<float> through;       // what glass lets through; empty where there is none
  Float3 glass{};                   // its colour

  // Pixels [x0, x1) x [y0, y1).
  Band(int x0, int x1, int y0, int y1)
      : firstRow(y0 * samples),
        firstColumn(x0 * samples),
        rows((y1 - y0) * samples),
        columns((x1 - x0) * samples),
        depth(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), -3e38F),
        seen(depth.size(), nothing) {}
};

// Twice the signed area, positive when a, b, (x, y) run counter-clockwise seen with y up.
inline double edge(const Projected& a, const Projected& b, double x, double y) {
  return (b.y - a.y) * (x - a.x) - (b.x - a.x) * (y - a.y);
}

// A triangle in samples, its corners' shades and normals, and the samples of the band it may cover.
struct ScreenTriangle {
  std::array<Projected, 3> p;
  std::array<float, 3> shade{};
  std::array<Float3, 3> normal;
  double area = 0.0;  // as edge(); positive: seen from outside
  int left = 0, right = -1, top = 0, bottom = -1;
};

ScreenTriangle screenTriangle(const ScreenMesh& screen, std::size_t t, const Camera& camera,
                              const Band& band);

// The weight of a corner along a row: linear in x.
struct RowWeight {
  double atLeft, slope;
};

inline RowWeight rowWeight(const Projected& a, const Projected& b, const ScreenTriangle& t,
                           double y) {
  return {edge(a, b, t.left + 0.5, y) / t.area, (b.y - a.y) / t.area};
}

// The samples of a row, from the triangle's left, that may have no negative weight; one more on
// either side against rounding.
std::array<int, 2> rowRange(const ScreenTriangle& t, const std::array<RowWeight, 3>& weights);

// Calls draw(sample, depth, weights of the corners) where the triangle is in front.
template <class Draw>
void forEachSampleInFront(const ScreenTriangle& t, const Band& band, Draw&& draw) {
  for (int y = t.top; y <= t.bottom; ++y) {
    const RowWeight rowA = rowWeight(t.p[1], t.p[2], t, y + 0.5);
    const RowWeight rowB = rowWeight(t.p[2], t.p[0], t, y + 0.5);
    const RowWeight rowC{1.0 - rowA.atLeft - rowB.atLeft, -rowA.slope - rowB.slope};
    const auto [first, last] = rowRange(t, {rowA, rowB, rowC});
    const std::size_t row =
        static_cast<std::size_t>(y - band.firstRow) * static_cast<std::size_t>(band.columns) +
        static_cast<std::size_t>(t.left - band.firstColumn);
    for (int i = first; i <= last; ++i) {
      const double a = rowA.atLeft + i * rowA.slope, b = rowB.atLeft + i * rowB.slope;
      const double c = 1.0 - a - b;
      if (a < 0.0 || b < 0.0 || c < 0.0) continue;
      const auto z = static_cast<float>(a * t.p[0].depth + b * t.p[1].depth + c * t.p[2].depth);
      const std::size_t s = row + static_cast<std::size_t>(i);
      if (z > band.depth[s])
        draw(s, z, Float3{static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)});
    }
  }
}

}  // namespace tessera::picture
