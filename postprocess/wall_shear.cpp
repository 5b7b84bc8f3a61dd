// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/wall_shear.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

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
                    const Frame& frame) {
  WallShear shear;
  shear.fromVoxels = wall.fromVoxels;
  shear.vertex.reserve(wall.mesh.vertex.size());
  for (const Double3& vertex : wall.mesh.vertex) shear.vertex.push_back(frame.toWorld(vertex));
  for (std::size_t t = 0; t < stress.size(); ++t) {
    if (!stress[t].measured) continue;
    const Double3 traction = tangentialTraction(stress[t].stress, wall.normal[t]);
    shear.triangle.push_back(wall.mesh.triangle[t]);
    shear.label.push_back(wall.mesh.label[t]);
    // Of a voxel face the part that it covers of the wall behind the staircase.
    shear.triangleArea.push_back(0.5 * frame.spacing * frame.spacing *
                                 std::abs(dot(areaVector(wall.mesh, t), wall.normal[t])));
    shear.triangleTraction.push_back(frame.directionToWorld(traction));
    shear.triangleShear.push_back(length(traction));
    shear.trianglePressure.push_back(stress[t].pressure);
  }
  shear.vertexShear = vertexMeans(shear, shear.triangleShear, 0.0);
  return shear;
}

ShearStatistics areaStatistics(const std::vector<double>& values, const std::vector<double>& area) {
  ShearStatistics statistics;
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (!std::isnan(values[t])) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  double weighted = 0.0;
  for (const std::size_t t : order) {
    statistics.area += area[t];
    weighted += area[t] * values[t];
  }
  if (!(statistics.area > 0.0)) return statistics;
  statistics.mean = weighted / statistics.area;
  statistics.max = values[order.back()];
  const auto percentile = [&](double part) {
    double below = 0.0;
    for (const std::size_t t : order) {
      below += area[t];
      if (below >= part * statistics.area) return values[t];
    }
    return statistics.max;
  };
  statistics.p01 = percentile(0.01);
  statistics.p05 = percentile(0.05);
  statistics.p25 = percentile(0.25);
  statistics.p50 = percentile(0.50);
  statistics.p75 = percentile(0.75);
  statistics.p95 = percentile(0.95);
  statistics.p99 = percentile(0.99);
  return statistics;
}

ShearStatistics shearStatistics(const WallShear& shear) {
  return areaStatistics(shear.triangleShear, shear.triangleArea);
}

std::vector<LabelStatistics> statisticsByLabel(const WallShear& shear,
                                               const std::optional<CycleShear>& cycle,
                                               const std::vector<std::string>& names) {
  std::vector<LabelStatistics> all;
  const auto add = [&](const char* quantity, const std::vector<double>& values) {
    for (std::size_t label = 0; label < names.size(); ++label) {
      std::vector<double> part, area;
      for (std::size_t t = 0; t < values.size(); ++t) {
        if (shear.label[t] != label) continue;
        part.push_back(values[t]);
        area.push_back(shear.triangleArea[t]);
      }
      if (part.empty()) continue;
      all.push_back(
          {quantity, static_cast<Patch>(label), names[label], areaStatistics(part, area)});
    }
  };
  add("wss[Pa]", shear.triangleShear);
  if (!cycle) return all;
  add("tawss[Pa]", cycle->tawss);
  add("osi", cycle->osi);
  add("relative_residence_time[1/Pa]", cycle->residence);
  return all;
}

}  // namespace tessera
