// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/cross_section.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tiler/plane_section.hpp"

namespace tessera::postprocess::quantity {

namespace {

// Over the raster points; a point's velocity is that of the lattice, zero in the solid.
struct Sums {
  double points = 0.0, flow = 0.0, pressure = 0.0, fastest = 0.0;
  double highest = -std::numeric_limits<double>::infinity();
  Double3 position{};
};

// normal: lattice.
Sums sumsOver(const tiler::PlaneSection& section, const solver::file::Fields& fields,
              const Double3& normal) {
  Sums sums;
  section.forEachPoint([&](const Double3& position, std::span<const tiler::SectionCorner> corners,
                           double fluid, double share) {
    Double3 velocity{};
    double pressure = 0.0;
    for (const tiler::SectionCorner& corner : corners) {
      const std::uint64_t node = section.nodes()[corner.node].id;
      for (std::size_t a = 0; a < 3; ++a)
        velocity[a] += corner.weight * static_cast<double>(fields.velocity[node][a]);
      pressure += corner.weight / fluid * static_cast<double>(fields.pressure[node]);
    }
    sums.flow += dot(velocity, normal);
    if (!(share > 0.0)) return;
    sums.points += share;
    sums.pressure += share * pressure;
    sums.position = sums.position + share * position;
    sums.fastest = std::max(sums.fastest, dot(velocity, velocity));
    sums.highest = std::max(sums.highest, pressure);
  });
  return sums;
}

}  // namespace

std::optional<CrossSection> crossSection(const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields, const Double3& point,
                                         const Double3& normal) {
  const tiler::TiledGeometry& geometry = lookup.geometry;
  const auto plane = tiler::sectionPlane(geometry, point, normal, 0.0);
  if (!plane) return std::nullopt;
  const tiler::PlaneSection section(
      geometry, *plane, [&](const Int3& at) -> std::optional<tiler::SectionNode> {
        const fields::FoundNode node = lookup.find(at);
        if (node.index < 0) return std::nullopt;
        return tiler::SectionNode{static_cast<std::uint64_t>(node.index), lookup.cutMaskOf(node),
                                  tiler::openingsOf(geometry, node.tile, node.local)};
      });
  const Sums sums = sumsOver(section, fields, plane->normal);
  if (!(sums.points > 0.0)) return std::nullopt;
  CrossSection found;
  found.area = sums.points * section.pointArea() * geometry.frame.spacing * geometry.frame.spacing;
  found.centroid = geometry.frame.toWorld((1.0 / sums.points) * sums.position);
  found.meanVelocity = sums.flow / sums.points * fields.velocityFactor;
  found.flowRate = found.meanVelocity * found.area;
  found.peakVelocity = std::sqrt(sums.fastest) * fields.velocityFactor;
  found.meanPressure = fields.pressurePa(sums.pressure / sums.points);
  found.peakPressure = fields.pressurePa(sums.highest);
  return found;
}

}  // namespace tessera::postprocess::quantity
