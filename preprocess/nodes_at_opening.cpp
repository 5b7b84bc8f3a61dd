// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/nodes_at_opening.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace tessera::preprocess {
namespace {

// Triangles of an opening in lattice coordinates, seen along one axis of the lattice.
struct SeenOpening {
  std::vector<std::array<Double3, 3>> triangle;
  Double3 normal{};                         // unit, out of the fluid
  std::size_t along = 0;                    // the axis
  std::array<std::size_t, 2> across{1, 2};  // the others
};

SeenOpening seenOpening(const geometry::Opening& opening, const geometry::TriangleMesh& mesh,
                        const geometry::Frame& frame) {
  SeenOpening seen;
  for (std::size_t a = 0; a < 3; ++a) seen.normal[a] = dot(frame.axis[a], opening.normal);
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(seen.normal[a]) > std::abs(seen.normal[seen.along])) seen.along = a;
  seen.across = {(seen.along + 1) % 3, (seen.along + 2) % 3};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    if (mesh.label[t] != geometry::openingPatch(opening.id)) continue;
    std::array<Double3, 3> corners;
    for (std::size_t c = 0; c < 3; ++c)
      corners[c] = frame.toLattice(mesh.vertex[mesh.triangle[t][c]]);
    seen.triangle.push_back(corners);
  }
  return seen;
}

// Coordinate along the axis of the point of a triangle on a line along it; absent beside the
// triangle or within rounding of its edges.
std::optional<double> crossing(const SeenOpening& seen, const std::array<Double3, 3>& corners,
                               double first, double second) {
  const auto [b, c] = seen.across;
  const auto twiceArea = [&](const Double3& p, const Double3& q) {
    return (p[b] - first) * (q[c] - second) - (q[b] - first) * (p[c] - second);
  };
  const std::array<double, 3> part{twiceArea(corners[1], corners[2]),
                                   twiceArea(corners[2], corners[0]),
                                   twiceArea(corners[0], corners[1])};
  const double whole = part[0] + part[1] + part[2];
  double at = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(part[k] / whole > 1e-9)) return std::nullopt;
    at += part[k] / whole * corners[k][seen.along];
  }
  return at;
}

// Whether the foot of the normal through the node lies on the opening as well.
bool liesBehind(const SeenOpening& seen, const Double3& node, const Double3& onOpening) {
  const Double3 foot = node + dot(onOpening - node, seen.normal) * seen.normal;
  return std::any_of(seen.triangle.begin(), seen.triangle.end(), [&](const auto& corners) {
    return crossing(seen, corners, foot[seen.across[0]], foot[seen.across[1]]).has_value();
  });
}

bool linkEndsOn(const SeenOpening& seen, const std::array<Double3, 3>& corners) {
  const auto [b, c] = seen.across;
  const auto [lowB, highB] = std::minmax({corners[0][b], corners[1][b], corners[2][b]});
  const auto [lowC, highC] = std::minmax({corners[0][c], corners[1][c], corners[2][c]});
  for (double j = std::ceil(lowB); j <= highB; ++j)
    for (double k = std::ceil(lowC); k <= highC; ++k) {
      const std::optional<double> at = crossing(seen, corners, j, k);
      if (!at) continue;
      Double3 end{};
      end[seen.along] = *at;
      end[b] = j;
      end[c] = k;
      Double3 node = end;
      node[seen.along] =
          seen.normal[seen.along] > 0.0 ? std::ceil(*at) - 1.0 : std::floor(*at) + 1.0;
      if (liesBehind(seen, node, end)) return true;
    }
  return false;
}

}  // namespace

bool linkEndsOn(const geometry::Opening& opening, const geometry::TriangleMesh& mesh,
                const geometry::Frame& frame) {
  const SeenOpening seen = seenOpening(opening, mesh, frame);
  return std::any_of(seen.triangle.begin(), seen.triangle.end(),
                     [&](const auto& corners) { return linkEndsOn(seen, corners); });
}

}  // namespace tessera::preprocess
