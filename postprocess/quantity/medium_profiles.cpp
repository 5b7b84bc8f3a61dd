// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/medium_profiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera::postprocess::quantity {

using fields::NodeLookup;
using results::Permeability;
using solver::file::Fields;

namespace {

constexpr double binWidth = 0.1;
constexpr int lowestBin = -100, highestBin = 400;

// Direction in lattice axes.
Double3 toLattice(const preprocess::geometry::Frame& frame, const Double3& world) {
  return {dot(world, frame.axis[0]), dot(world, frame.axis[1]), dot(world, frame.axis[2])};
}

// Velocity of a node along a direction, both in lattice axes, as stored.
double along(const std::array<float, 3>& velocity, const Double3& direction) {
  return static_cast<double>(velocity[0]) * direction[0] +
         static_cast<double>(velocity[1]) * direction[1] +
         static_cast<double>(velocity[2]) * direction[2];
}

}  // namespace

std::vector<results::VelocityBin> velocityHistogram(const NodeLookup& lookup, const Fields& fields,
                                                    const Permeability& of) {
  const double mean = of.porosity > 0.0 ? of.superficial / of.porosity : 0.0;
  if (!(mean > 0.0)) return {};
  const Double3 direction = toLattice(lookup.geometry.frame, of.direction);
  std::vector<std::uint64_t> count(static_cast<std::size_t>(highestBin - lowestBin), 0);
  for (const std::array<float, 3>& velocity : fields.velocity) {
    const double bin =
        std::floor(along(velocity, direction) * fields.velocityFactor / mean / binWidth);
    const double kept = std::clamp(bin, lowestBin + 0.0, highestBin - 1.0);
    ++count[static_cast<std::size_t>(static_cast<int>(kept) - lowestBin)];
  }
  const auto used = [](std::uint64_t nodes) { return nodes > 0; };
  const auto first = std::find_if(count.begin(), count.end(), used) - count.begin();
  const auto last = count.rend() - std::find_if(count.rbegin(), count.rend(), used);
  std::vector<results::VelocityBin> bins;
  for (auto b = first; b < last; ++b) {
    const double share = static_cast<double>(count[static_cast<std::size_t>(b)]) /
                         static_cast<double>(fields.velocity.size());
    bins.push_back(
        {(static_cast<double>(b) + lowestBin + 0.5) * binWidth, share, share / binWidth});
  }
  return bins;
}

std::vector<results::SampleLayer> sampleLayers(const NodeLookup& lookup, const Fields& fields,
                                               const Permeability& of) {
  const tiler::TiledGeometry& geometry = lookup.geometry;
  const Double3 direction = toLattice(geometry.frame, of.direction);
  std::size_t axis = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(direction[a]) > std::abs(direction[axis])) axis = a;
  const double sense = direction[axis] < 0.0 ? -1.0 : 1.0;

  struct Sum {
    std::uint64_t nodes = 0;
    double pressure = 0.0, velocity = 0.0;  // as stored
  };
  std::vector<Sum> sums(static_cast<std::size_t>(geometry.nodes[axis]));
  fields::forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t i) {
    Sum& sum = sums[static_cast<std::size_t>(geometry.nodeOf(t, l)[axis])];
    ++sum.nodes;
    sum.pressure += static_cast<double>(fields.pressure[i]);
    sum.velocity += static_cast<double>(fields.velocity[i][axis]);
  });

  const double force = sense * dot(fields.bodyForce, geometry.frame.axis[axis]);
  const double nodes = static_cast<double>(geometry.nodes[0]) * geometry.nodes[1] *
                       geometry.nodes[2] / geometry.nodes[axis];
  if (sense < 0.0) std::reverse(sums.begin(), sums.end());
  std::vector<results::SampleLayer> layers;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (sums[k].nodes == 0) continue;
    results::SampleLayer layer;
    const auto count = static_cast<double>(sums[k].nodes);
    layer.distance = (static_cast<double>(k) + 0.5) * geometry.frame.spacing;
    layer.porosity = count / nodes;
    layer.pressure = fields.pressurePa(sums[k].pressure / count);
    layer.potential = layer.pressure - force * layer.distance;
    layer.velocity = sense * sums[k].velocity / nodes * fields.velocityFactor;
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace tessera::postprocess::quantity
