// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/decimate.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>

#include "pipelines/picture/surface.hpp"

namespace tessera::picture {

using stage::Triangle;

namespace {

struct Keyed {
  std::uint64_t key;
  std::uint32_t index;
  friend bool operator<(const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

struct Grid {
  Double3 corner{};
  double cell = 0.0;
  [[nodiscard]] std::uint64_t cellOf(const Double3& p) const {
    std::uint64_t key = 0;
    for (std::size_t a = 0; a < 3; ++a)
      key = key << 21 | static_cast<std::uint64_t>((p[a] - corner[a]) / cell);
    return key;
  }
};

// Role of a vertex: rims of openings remain lines and merge only with themselves.
enum class Part : char { None, Inner, Rim };

std::vector<Part> partsOf(std::size_t count, std::span<const Triangle> triangle) {
  std::vector<Part> part(count, Part::None);
  for (const Triangle& t : triangle)
    for (const std::uint32_t v : t) part[v] = Part::Inner;
  for (const Edge& edge : rimEdges(triangle)) part[edge[0]] = part[edge[1]] = Part::Rim;
  return part;
}

// Numbers the keys in ascending order, equal keys alike.
std::size_t numberKeys(std::vector<Keyed>& keyed, std::vector<std::uint32_t>& numberOf) {
  tbb::parallel_sort(keyed.begin(), keyed.end());
  std::size_t count = 0;
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    if (i > 0 && keyed[i].key != keyed[i - 1].key) ++count;
    numberOf[keyed[i].index] = static_cast<std::uint32_t>(count);
  }
  return keyed.empty() ? 0 : count + 1;
}

// Used vertices with the key of their cell; without a grid each vertex is a cell.
std::vector<Keyed> keysOf(std::span<const Double3> vertex, const std::vector<Part>& part,
                          const Grid& grid) {
  std::vector<Keyed> keyed;
  for (std::uint32_t v = 0; v < vertex.size(); ++v)
    if (part[v] != Part::None)
      keyed.push_back(
          {grid.cell > 0.0 ? grid.cellOf(vertex[v]) << 1 | (part[v] == Part::Rim ? 1U : 0U) : v,
           v});
  return keyed;
}

// Sets the triangles with three distinct corners, each once, in ascending order.
void keepUncollapsed(std::span<const Triangle> triangle, CoarseSurface& surface) {
  struct Kept {
    Triangle corner;
    std::uint32_t source;
  };
  std::vector<Kept> kept;
  for (std::uint32_t t = 0; t < triangle.size(); ++t) {
    Triangle c{};
    for (std::size_t k = 0; k < 3; ++k) c[k] = surface.coarse[triangle[t][k]];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    kept.push_back({c, t});
  }
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
    return a.corner != b.corner ? a.corner < b.corner : a.source < b.source;
  });
  for (const Kept& each : kept) {
    if (!surface.triangle.empty() && each.corner == surface.triangle.back()) continue;
    surface.triangle.push_back(each.corner);
    surface.source.push_back(each.source);
  }
}

CoarseSurface onGrid(std::span<const Double3> vertex, std::span<const Triangle> triangle,
                     const std::vector<Part>& part, const Grid& grid) {
  CoarseSurface surface;
  surface.coarse.assign(vertex.size(), CoarseSurface::notKept);
  auto keyed = keysOf(vertex, part, grid);
  const std::size_t count = numberKeys(keyed, surface.coarse);
  surface.vertex.assign(count, Double3{});
  std::vector<double> members(count, 0.0);
  for (std::size_t v = 0; v < vertex.size(); ++v) {
    if (part[v] == Part::None) continue;
    surface.vertex[surface.coarse[v]] = surface.vertex[surface.coarse[v]] + vertex[v];
    members[surface.coarse[v]] += 1.0;
  }
  for (std::size_t c = 0; c < count; ++c)
    surface.vertex[c] = (1.0 / members[c]) * surface.vertex[c];
  keepUncollapsed(triangle, surface);
  return surface;
}

Grid gridOf(std::span<const Double3> vertex, std::span<const Triangle> triangle,
            std::size_t mostTriangles) {
  Grid grid{{1e300, 1e300, 1e300}, 0.0};
  double area = 0.0, longest = 0.0;
  Double3 highest{-1e300, -1e300, -1e300};
  for (const Triangle& t : triangle) {
    area += 0.5 * length(cross(vertex[t[1]] - vertex[t[0]], vertex[t[2]] - vertex[t[0]]));
    for (std::uint32_t v : t)
      for (std::size_t a = 0; a < 3; ++a) {
        grid.corner[a] = std::min(grid.corner[a], vertex[v][a]);
        highest[a] = std::max(highest[a], vertex[v][a]);
      }
  }
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, highest[a] - grid.corner[a]);
  // An inclined surface meets about three cells per two triangles; at most 2^20 cells along an
  // axis.
  grid.cell = std::max(std::sqrt(3.0 * area / static_cast<double>(mostTriangles)), longest / 1e6);
  return grid;
}

}  // namespace

std::vector<float> CoarseSurface::values(std::span<const double> given) const {
  std::vector<double> sum(vertex.size(), 0.0), members(vertex.size(), 0.0);
  for (std::size_t v = 0; v < coarse.size(); ++v) {
    if (coarse[v] == notKept) continue;
    sum[coarse[v]] += given[v];
    members[coarse[v]] += 1.0;
  }
  std::vector<float> mean;
  mean.reserve(sum.size());
  for (std::size_t c = 0; c < sum.size(); ++c)
    mean.push_back(static_cast<float>(sum[c] / members[c]));
  return mean;
}

CoarseSurface decimate(std::span<const Double3> vertex, std::span<const Triangle> triangle,
                       std::size_t mostTriangles, std::size_t mostVertices) {
  const auto part = partsOf(vertex.size(), triangle);
  const auto fits = [&](const CoarseSurface& surface) {
    return surface.triangle.size() <= mostTriangles && surface.vertex.size() <= mostVertices;
  };
  if (triangle.size() <= mostTriangles) {
    CoarseSurface all = onGrid(vertex, triangle, part, {});
    if (fits(all)) return all;
  }
  Grid grid = gridOf(vertex, triangle, mostTriangles);
  for (;; grid.cell *= 1.2) {
    CoarseSurface surface = onGrid(vertex, triangle, part, grid);
    if (fits(surface)) return surface;
  }
}

}  // namespace tessera::picture
