// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_shear.hpp"

#include <algorithm>
#include <cmath>

#include "postprocess/results/descriptors.hpp"

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
    // Of a voxel face the part that it covers of the wall behind the staircase.
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

}  // namespace tessera::postprocess::quantity
