// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/periodic_ends.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool liesOnPeriodicEnd(const TriangleMesh& mesh, const Bounds& bounds, std::size_t triangle,
                       const std::array<bool, 3>& periodic, double tolerance) {
  const Triangle& t = mesh.triangle[triangle];
  for (std::size_t a = 0; a < 3; ++a) {
    if (!periodic[a]) continue;
    for (const double plane : {bounds.low[a], bounds.high[a]})
      if (std::all_of(t.begin(), t.end(), [&](std::uint32_t v) {
            return std::abs(mesh.vertex[v][a] - plane) <= tolerance;
          }))
        return true;
  }
  return false;
}

}  // namespace

std::vector<Triangle> openPeriodicEnds(TriangleMesh& mesh, std::vector<Cap>& caps,
                                       const Bounds& bounds, const std::array<bool, 3>& periodic,
                                       double tolerance) {
  std::vector<Triangle> ends;
  std::vector<std::uint32_t> place(mesh.triangle.size());
  std::uint32_t kept = 0;
  constexpr std::uint32_t gone = ~std::uint32_t{0};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const bool isEnd = liesOnPeriodicEnd(mesh, bounds, t, periodic, tolerance);
    if (isEnd) ends.push_back(mesh.triangle[t]);
    place[t] = isEnd ? gone : kept++;
  }
  dropTriangles(mesh, [&](std::size_t t) { return place[t] == gone; });
  std::erase_if(caps, [&](const Cap& cap) { return place[cap.triangle.front()] == gone; });
  for (Cap& cap : caps)
    for (std::uint32_t& t : cap.triangle) t = place[t];
  return ends;
}

}  // namespace tessera
