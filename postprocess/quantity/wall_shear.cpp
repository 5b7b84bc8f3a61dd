// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_shear.hpp"

#include <algorithm>
#include <cmath>

#include "postprocess/results/descriptors.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::WallShear;

namespace {

Double3 tangentialTraction(const std::array<double, 6>& stress, const Double3& normal) {
  const Double3 onFluid = stressTimes(stress, normal);
  return dot(onFluid, normal) * normal - onFluid;
}

}  // namespace

std::vector<double> vertexMeans(const WallShear& wall, const std::vector<double>& values,
                                double missing) {
  std::vector<double> area(wall.vertex.size());
  std::vector<double> mean(wall.vertex.size(), 0.0);
  for (std::size_t t = 0; t < wall.triangle.size(); ++t) {
    if (std::isnan(values[t])) continue;
    for (const std::uint32_t vertex : wall.triangle[t]) {
      mean[vertex] += wall.triangleArea[t] * values[t];
      area[vertex] += wall.triangleArea[t];
    }
  }
  for (std::size_t v = 0; v < area.size(); ++v)
    mean[v] = area[v] > 0.0 ? mean[v] / area[v] : missing;
  return mean;
}

WallShear wallShear(const WallSurface& wall, const std::vector<StressAtWall>& stress,
                    const preprocess::geometry::Frame& frame) {
  WallShear shear;
  shear.fromVoxels = wall.fromVoxels;
  shear.vertex.reserve(wall.mesh.vertex.size());
  for (const Double3& vertex : wall.mesh.vertex) shear.vertex.push_back(frame.toWorld(vertex));
  for (std::size_t t = 0; t < stress.size(); ++t) {
    if (!stress[t].measured) continue;
    const Double3 traction = tangentialTraction(stress[t].stress, wall.normal[t]);
    shear.triangle.push_back(wall.mesh.triangle[t]);
    shear.label.push_back(wall.mesh.label[t]);
    // For a voxel face its projection onto the wall.
    shear.triangleArea.push_back(
        0.5 * frame.spacing * frame.spacing *
        std::abs(dot(preprocess::geometry::areaVector(wall.mesh, t), wall.normal[t])));
    shear.triangleTraction.push_back(frame.directionToWorld(traction));
    shear.triangleShear.push_back(length(traction));
    shear.trianglePressure.push_back(stress[t].pressure);
  }
  shear.vertexShear = vertexMeans(shear, shear.triangleShear, 0.0);
  return shear;
}

results::ShearStatistics shearStatistics(const WallShear& shear) {
  return results::areaStatistics(shear.triangleShear, shear.triangleArea);
}

std::vector<results::LabelStatistics> statisticsByLabel(
    const WallShear& shear, const std::optional<results::CycleShear>& cycle,
    const std::vector<std::string>& names) {
  std::vector<results::LabelStatistics> all;
  const auto add = [&](const std::string& quantity, const std::vector<double>& values) {
    for (std::size_t label = 0; label < names.size(); ++label) {
      std::vector<double> part, area;
      for (std::size_t t = 0; t < values.size(); ++t) {
        if (shear.label[t] != label) continue;
        part.push_back(values[t]);
        area.push_back(shear.triangleArea[t]);
      }
      if (part.empty()) continue;
      all.push_back({quantity, static_cast<preprocess::geometry::Patch>(label), names[label],
                     results::areaStatistics(part, area)});
    }
  };
  for (const results::WallQuantity& quantity : results::wallQuantities())
    if (const std::vector<double>* values = quantity.values(shear, cycle);
        values != nullptr && quantity.inSummary)
      add(results::headingOf(quantity.name, quantity.unit), *values);
  return all;
}

using results::OpeningSummary;

namespace {

double distanceFromDisc(const OpeningSummary& opening, const Double3& position) {
  const Double3 d = position - opening.centre;
  const double along = dot(d, opening.normal);
  const double across = std::sqrt(std::max(0.0, dot(d, d) - along * along));
  return std::hypot(along, std::max(0.0, across - opening.radius));
}

// Triangles of the wall away from openings, ascending: their centroid is farther from the disc of
// each opening (centre, normal and radius of equal area) than its radius. Closer ones depend on the
// opening's condition.
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

}  // namespace

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
