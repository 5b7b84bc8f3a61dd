// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/coverage.hpp"

#include <cmath>

namespace tessera::picture {
namespace {

// Corner normals in view axes.
std::array<Float3, 3> viewNormals(const std::array<Float3, 3>& world, const Camera& camera) {
  std::array<Float3, 3> view{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Double3 n{world[k][0], world[k][1], world[k][2]};
    view[k] = {static_cast<float>(dot(n, camera.right)), static_cast<float>(dot(n, camera.up)),
               static_cast<float>(dot(n, camera.toward))};
  }
  return view;
}

}  // namespace

ScreenTriangle screenTriangle(const ScreenMesh& screen, std::size_t t, const Camera& camera,
                              const Band& band) {
  const stage::Triangle& corner = screen.mesh->triangle[t];
  ScreenTriangle s;
  for (std::size_t k = 0; k < 3; ++k) {
    s.p[k] = screen.vertex[corner[k]];
    s.p[k].x *= samples;
    s.p[k].y *= samples;
    if (!screen.mesh->shade.empty()) s.shade[k] = screen.mesh->shade[corner[k]];
  }
  s.area = edge(s.p[0], s.p[1], s.p[2].x, s.p[2].y);
  if (s.area == 0.0) return s;
  const auto [xLow, xHigh] = std::minmax({s.p[0].x, s.p[1].x, s.p[2].x});
  const auto [yLow, yHigh] = std::minmax({s.p[0].y, s.p[1].y, s.p[2].y});
  s.left = static_cast<int>(std::max<double>(band.firstColumn, std::ceil(xLow - 0.5)));
  s.right =
      static_cast<int>(std::min(band.firstColumn + band.columns - 1.0, std::floor(xHigh - 0.5)));
  s.top = static_cast<int>(std::max<double>(band.firstRow, std::ceil(yLow - 0.5)));
  s.bottom = static_cast<int>(std::min(band.firstRow + band.rows - 1.0, std::floor(yHigh - 0.5)));
  if (s.left <= s.right && s.top <= s.bottom)
    s.normal = viewNormals(screen.mesh->normal[t], camera);
  return s;
}

std::array<int, 2> rowRange(const ScreenTriangle& t, const std::array<RowWeight, 3>& weights) {
  double first = 0.0, last = t.right - t.left;
  for (const RowWeight& w : weights) {
    if (w.slope > 0.0) first = std::max(first, -w.atLeft / w.slope - 1.0);
    if (w.slope < 0.0) last = std::min(last, -w.atLeft / w.slope + 1.0);
  }
  if (!(first <= last)) return {0, -1};
  return {static_cast<int>(first), static_cast<int>(last)};
}

}  // namespace tessera::picture
