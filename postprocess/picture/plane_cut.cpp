// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/plane_cut.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace tessera::postprocess::picture {

std::vector<CutSegment> cutSurface(const std::vector<Double3>& vertex,
                                   const std::vector<stage::Triangle>& triangle,
                                   const std::vector<preprocess::geometry::Patch>& label,
                                   const tessera::picture::Camera& camera) {
  std::vector<tessera::picture::Projected> seen(vertex.size());
  tbb::parallel_for(std::size_t{0}, vertex.size(),
                    [&](std::size_t v) { seen[v] = camera.project(vertex[v]); });
  std::vector<CutSegment> segments;
  for (std::size_t t = 0; t < triangle.size(); ++t) {
    std::array<tessera::picture::Point, 2> end{};
    std::size_t found = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      // From the lower to the higher vertex, so that both triangles of an edge get the same point.
      const auto [low, high] = std::minmax(triangle[t][k], triangle[t][(k + 1) % 3]);
      const tessera::picture::Projected &p = seen[low], &q = seen[high];
      if ((p.depth >= 0.0) == (q.depth >= 0.0)) continue;
      const double along = p.depth / (p.depth - q.depth);
      end[found++] = {p.x + along * (q.x - p.x), p.y + along * (q.y - p.y)};
    }
    if (found == 2) segments.push_back({end[0], end[1], label[t]});
  }
  return segments;
}

std::vector<char> insideOutline(const std::vector<CutSegment>& outline, int width, int height) {
  std::vector<std::vector<double>> crossings(static_cast<std::size_t>(height));
  for (const CutSegment& s : outline) {
    const tessera::picture::Point &top = s.a.y < s.b.y ? s.a : s.b,
                                  &bottom = s.a.y < s.b.y ? s.b : s.a;
    const int first = std::max(0, static_cast<int>(std::ceil(top.y - 0.5)));
    const int last = std::min(height - 1, static_cast<int>(std::ceil(bottom.y - 0.5)) - 1);
    for (int row = first; row <= last; ++row)
      crossings[static_cast<std::size_t>(row)].push_back(
          top.x + (row + 0.5 - top.y) / (bottom.y - top.y) * (bottom.x - top.x));
  }
  std::vector<char> inside(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
  tbb::parallel_for(0, height, [&](int row) {
    auto& x = crossings[static_cast<std::size_t>(row)];
    std::sort(x.begin(), x.end());
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      const int first = std::max(0, static_cast<int>(std::ceil(x[i] - 0.5)));
      const int last = std::min(width, static_cast<int>(std::ceil(x[i + 1] - 0.5)));
      for (int column = first; column < last; ++column)
        inside[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(column)] = 1;
    }
  });
  return inside;
}

}  // namespace tessera::postprocess::picture
