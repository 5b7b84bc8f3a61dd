// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/cycle_shear.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "postprocess/fields/sample_field.hpp"

namespace tessera::postprocess::quantity {

namespace {

constexpr std::uint32_t notAtWall = std::numeric_limits<std::uint32_t>::max();

struct MeanAtWall {
  Double3 traction{};  // as stored
  double shear = 0.0;
};

// The nodes at the wall among the eight around a point.
std::optional<MeanAtWall> meanAt(const fields::Stencil& stencil,
                                 const solver::file::MeanFields& means,
                                 const std::vector<std::uint32_t>& atWall) {
  MeanAtWall mean;
  double weights = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
    const std::uint32_t at = atWall[stencil.node[k]];
    if (at == notAtWall) continue;
    const double weight = stencil.weight[k];
    weights += weight;
    mean.shear += weight * static_cast<double>(means.wallShear[at]);
    for (std::size_t a = 0; a < 3; ++a)
      mean.traction[a] += weight * static_cast<double>(means.wallTraction[at][a]);
  }
  if (!(weights > 0.0)) return std::nullopt;
  mean.shear /= weights;
  mean.traction = (1.0 / weights) * mean.traction;
  return mean;
}

}  // namespace

results::CycleShear cycleShear(const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                               const WallSurface& wall, const std::vector<StressAtWall>& stress) {
  const solver::file::MeanFields& means = *fields.means;
  std::vector<std::uint32_t> atWall(fields.pressure.size(), notAtWall);
  for (std::size_t k = 0; k < means.wallNode.size(); ++k)
    atWall[means.wallNode[k]] = static_cast<std::uint32_t>(k);
  results::CycleShear out;
  for (std::size_t t = 0; t < stress.size(); ++t) {
    if (!stress[t].measured) continue;
    const Double3 centroid = centroidOf(wall.mesh, t);
    std::optional<MeanAtWall> mean;
    for (const double depth : {0.5, 0.0, 1.0, 1.5})
      if (!mean)
        mean = meanAt(fields::stencilAt(lookup, centroid - depth * wall.normal[t]), means, atWall);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const double shear = mean ? mean->shear * fields.stressFactor : missing;
    const double net = mean ? length(mean->traction) * fields.stressFactor : missing;
    out.tawss.push_back(shear);
    out.osi.push_back(shear > 0.0 ? 0.5 * (1.0 - std::min(1.0, net / shear)) : missing);
    out.residence.push_back(net > 0.0 ? 1.0 / net : missing);
  }
  return out;
}

}  // namespace tessera::postprocess::quantity
