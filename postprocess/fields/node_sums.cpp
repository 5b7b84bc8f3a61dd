// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/node_sums.hpp"

#include <cmath>

#include "postprocess/results/ordered_sum.hpp"

namespace tessera::postprocess::fields {

using solver::file::Fields;

namespace {

double nodeVolume(const tiler::TiledGeometry& geometry) {
  return std::pow(geometry.frame.spacing, 3);
}

NodeSums storedSums(const Fields& fields, std::size_t begin, std::size_t end) {
  NodeSums sums;
  for (std::size_t i = begin; i < end; ++i) {
    double square = 0.0, stress = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto u = static_cast<double>(fields.velocity[i][a]);
      const auto normal = static_cast<double>(fields.stress[i][a]);
      const auto shear = static_cast<double>(fields.stress[i][a + 3]);
      sums.velocity[a] += u;
      square += u * u;
      stress += normal * normal + 2.0 * shear * shear;
    }
    sums.speed += std::sqrt(square);
    sums.speedSquared += square;
    sums.fastest = std::max(sums.fastest, square);
    sums.stressSquared += stress;
  }
  return sums;
}

}  // namespace

NodeSums nodeSums(const Fields& fields) {
  NodeSums sums = results::orderedSum(
      fields.velocity.size(),
      [&](std::size_t begin, std::size_t end) { return storedSums(fields, begin, end); },
      [](NodeSums& sum, const NodeSums& part) {
        for (std::size_t a = 0; a < 3; ++a) sum.velocity[a] += part.velocity[a];
        sum.speed += part.speed;
        sum.speedSquared += part.speedSquared;
        sum.fastest = std::max(sum.fastest, part.fastest);
        sum.stressSquared += part.stressSquared;
      });
  const double factor = fields.velocityFactor;
  for (double& component : sums.velocity) component *= factor;
  sums.speed *= factor;
  sums.speedSquared *= factor * factor;
  sums.fastest = std::sqrt(sums.fastest) * factor;
  sums.stressSquared *= fields.stressFactor * fields.stressFactor;
  return sums;
}

double kineticEnergy(const NodeSums& sums, const Fields& fields,
                     const tiler::TiledGeometry& geometry) {
  return 0.5 * fields.density * sums.speedSquared * nodeVolume(geometry);
}

double viscousDissipation(const NodeSums& sums, const Fields& fields,
                          const tiler::TiledGeometry& geometry) {
  return sums.stressSquared / (2.0 * fields.density * fields.kinematicViscosity) *
         nodeVolume(geometry);
}

}  // namespace tessera::postprocess::fields
