// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analysis/sharp_edges.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/vec3.hpp"

namespace tessera::tiler::analysis {

namespace {

// A side of a triangle at its lower vertex.
struct Side {
  std::uint32_t other;  // the higher vertex
  std::uint32_t triangle;
};

// The sides of all triangles on walls by their lower vertex; those of vertex v from start[v] to
// start[v + 1], in the order of the higher vertex, then of the triangles.
struct SidesByVertex {
  std::vector<std::size_t> start;
  std::vector<Side> sides;
};

template <class Visit>
void forWallSides(const preprocess::geometry::Surface& surface, const Visit& visit) {
  for (std::size_t t = 0; t < surface.triangle.size(); ++t) {
    if (preprocess::geometry::isOpening(surface.label[t])) continue;
    const auto& c = surface.triangle[t];
    for (std::size_t k = 0; k < 3; ++k)
      visit(std::min(c[k], c[(k + 1) % 3]),
            Side{std::max(c[k], c[(k + 1) % 3]), static_cast<std::uint32_t>(t)});
  }
}

SidesByVertex sidesByVertex(const preprocess::geometry::Surface& surface) {
  SidesByVertex out;
  out.start.resize(surface.vertex.size() + 1);
  forWallSides(surface, [&](std::uint32_t lower, const Side&) { ++out.start[lower + 1]; });
  for (std::size_t v = 1; v < out.start.size(); ++v) out.start[v] += out.start[v - 1];
  out.sides.resize(out.start.back());
  std::vector<std::size_t> next = out.start;
  forWallSides(surface,
               [&](std::uint32_t lower, const Side& side) { out.sides[next[lower]++] = side; });
  for (std::size_t v = 0; v + 1 < out.start.size(); ++v)
    std::sort(out.sides.begin() + static_cast<std::ptrdiff_t>(out.start[v]),
              out.sides.begin() + static_cast<std::ptrdiff_t>(out.start[v + 1]),
              [](const Side& a, const Side& b) {
                return a.other != b.other ? a.other < b.other : a.triangle < b.triangle;
              });
  return out;
}

}  // namespace

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
  const SidesByVertex by = sidesByVertex(surface);
  std::vector<std::array<Double3, 2>> edges;
  for (std::uint32_t v = 0; v < surface.vertex.size(); ++v)
    for (std::size_t i = by.start[v] + 1; i < by.start[v + 1]; ++i) {
      const Side& side = by.sides[i];
      const Side& before = by.sides[i - 1];
      if (side.other == before.other &&
          dot(normal[side.triangle], normal[before.triangle]) < cosine)
        edges.push_back({corner(v), corner(side.other)});
    }
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
