// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/near_openings.hpp"

#include <algorithm>
#include <cmath>

#include "postprocess/quantity/wall_shear.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::OpeningSummary;

namespace {

double distanceFromDisc(const OpeningSummary& opening, const Double3& place) {
  const Double3 d = place - opening.centre;
  const double along = dot(d, opening.normal);
  const double across = std::sqrt(std::max(0.0, dot(d, d) - along * along));
  return std::hypot(along, std::max(0.0, across - opening.radius));
}

}  // namespace

std::vector<std::size_t> awayFromOpenings(const results::WallShear& wall,
                                          const std::vector<OpeningSummary>& openings) {
  std::vector<std::size_t> away;
  for (std::size_t t = 0; t < wall.triangle.size(); ++t) {
    const auto& corner = wall.triangle[t];
    const Double3 centroid =
        (1.0 / 3.0) * (wall.vertex[corner[0]] + wall.vertex[corner[1]] + wall.vertex[corner[2]]);
    if (std::none_of(openings.begin(), openings.end(), [&](const OpeningSummary& opening) {
          return distanceFromDisc(opening, centroid) <= opening.radius;
        }))
      away.push_back(t);
  }
  return away;
}

std::optional<results::ShearStatistics> statisticsAwayFromOpenings(
    const results::WallShear& wall, const std::vector<double>& values,
    const std::vector<OpeningSummary>& openings) {
  if (openings.empty()) return std::nullopt;
  std::vector<double> part, area;
  for (const std::size_t t : awayFromOpenings(wall, openings)) {
    part.push_back(values[t]);
    area.push_back(wall.triangleArea[t]);
  }
  const results::ShearStatistics statistics = results::areaStatistics(part, area);
  return statistics.area > 0.0 ? std::optional(statistics) : std::nullopt;
}

}  // namespace tessera::postprocess::quantity
