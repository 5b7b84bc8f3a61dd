// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analysis/sharp_edges.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pipelines/stage/vec3.hpp"
#include "preprocess/geometry/edge_table.hpp"

namespace tessera::tiler::analysis {

std::vector<std::array<Double3, 2>> sharpEdges(const preprocess::geometry::Surface& surface) {
  constexpr double cosine = 0.866;
  const auto corner = [&](std::uint32_t v) {
    const Float3& p = surface.vertex[v];
    return Double3{static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
  };
  std::vector<Double3> normal;
  normal.reserve(surface.triangle.size());
  for (const auto& c : surface.triangle) {
    const Double3 n = cross(corner(c[1]) - corner(c[0]), corner(c[2]) - corner(c[0]));
    normal.push_back(length(n) > 0.0 ? (1.0 / length(n)) * n : n);
  }
  const preprocess::geometry::EdgeTable table =
      preprocess::geometry::edgesOf(surface.vertex.size(), surface.triangle);
  std::vector<std::array<Double3, 2>> edges;
  const auto addSharp = [&](std::uint32_t low, std::uint32_t high, const auto& ends) {
    std::optional<std::size_t> before;  // the triangle on a wall before
    for (const preprocess::geometry::EdgeTable::End& end : ends) {
      const std::size_t t = end.half / 3;
      if (preprocess::geometry::isOpening(surface.label[t])) continue;
      if (before && dot(normal[t], normal[*before]) < cosine)
        edges.push_back({corner(low), corner(high)});
      before = t;
    }
  };
  for (std::uint32_t v = 0; v < surface.vertex.size(); ++v) table.forEdgesOf(v, addSharp);
  return edges;
}

NearEdges::NearEdges(const std::vector<std::array<Double3, 2>>& edges, double distance)
    : distance_(distance) {
  for (const auto& [from, to] : edges) {
    const auto pieces =
        static_cast<std::size_t>(std::max(1.0, std::ceil(2.0 * length(to - from) / distance)));
    for (std::size_t k = 0; k <= pieces; ++k) {
      const Double3 point =
          from + (static_cast<double>(k) / static_cast<double>(pieces)) * (to - from);
      samples_.push_back({cellOf(point), point});
    }
  }
  std::sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.point < b.point;
  });
}

bool NearEdges::contain(const Double3& point) const {
  if (samples_.empty()) return false;
  const Int3 own = cellOf(point);
  for (int x = own[0] - 1; x <= own[0] + 1; ++x)
    for (int y = own[1] - 1; y <= own[1] + 1; ++y) {
      const auto first = std::lower_bound(
          samples_.begin(), samples_.end(), Int3{x, y, own[2] - 1},
          [](const Sample& sample, const Int3& cell) { return sample.cell < cell; });
      for (auto s = first; s != samples_.end() && s->cell <= Int3{x, y, own[2] + 1}; ++s)
        if (length(s->point - point) <= distance_) return true;
    }
  return false;
}

Int3 NearEdges::cellOf(const Double3& point) const {
  Int3 cell{};
  for (std::size_t a = 0; a < 3; ++a) cell[a] = static_cast<int>(std::floor(point[a] / distance_));
  return cell;
}

}  // namespace tessera::tiler::analysis
