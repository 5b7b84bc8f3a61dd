// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"

namespace tessera {

namespace {

double dot(const Double3& a, const Double3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// An opening in lattice coordinates and axes.
struct LatticeOpening {
  Double3 centre{};
  Double3 normal{};
  double radius = 0.0;  // spacings; in 2D half the width
  int dimensions = 3;
};

LatticeOpening inLattice(const Opening& opening, const TiledGeometry& geometry) {
  const Frame& frame = geometry.frame;
  LatticeOpening out;
  out.dimensions = geometry.dimensions;
  out.centre = frame.toLattice(opening.centre);
  for (std::size_t a = 0; a < 3; ++a) out.normal[a] = dot(frame.axis[a], opening.normal);
  // In 2D the geometry is one spacing thick.
  out.radius = geometry.dimensions == 2 ? 0.5 * opening.area / (frame.spacing * frame.spacing)
                                        : opening.radius / frame.spacing;
  return out;
}

double profileAt(Profile profile, const LatticeOpening& opening, const Double3& position) {
  if (profile == Profile::Plug) return 1.0;
  Double3 d{};
  for (std::size_t a = 0; a < 3; ++a) d[a] = position[a] - opening.centre[a];
  if (opening.dimensions == 2) d[2] = 0.0;
  const double along = dot(d, opening.normal);
  const double squared = dot(d, d) - along * along;
  return std::max(
      0.0, parabolicPeak(opening.dimensions) * (1.0 - squared / (opening.radius * opening.radius)));
}

Double3 velocityOf(const LatticeInfo& info, std::size_t direction) {
  const auto& c = info.velocities[direction];
  return {double(c[0]), double(c[1]), double(c[2])};
}

std::uint64_t populationIndex(const LatticeInfo& info, std::uint32_t slot, int i, int l) {
  return (static_cast<std::uint64_t>(slot) * info.velocities.size() + static_cast<unsigned>(i)) *
             64U +
         static_cast<unsigned>(l);
}

IncomingLink incomingLink(const OpeningLink& link, const LatticeInfo& info) {
  const std::size_t i = link.direction;
  const auto& c = info.velocities[i];
  IncomingLink out{};
  out.node = populationIndex(info, link.slot, 0, link.local);
  out.target = populationIndex(info, link.targetSlot, opposite(link.direction), link.targetLocal);
  for (std::size_t a = 0; a < 3; ++a) out.c[a] = static_cast<float>(c[a]);
  out.weight = info.weights[i];
  out.direction = link.direction;
  out.opening = link.opening;
  return out;
}

// Scales the links of each velocity opening to the flow rate it prescribes.
void normaliseFlow(std::vector<IncomingLink>& links, const TiledGeometry& geometry,
                   const SolverCase& run, const Scales& scales) {
  std::vector<double> sum(geometry.openings.size(), 0.0);
  std::vector<std::size_t> count(geometry.openings.size(), 0);
  for (const IncomingLink& link : links) {
    sum[link.opening] += link.value;
    ++count[link.opening];
  }
  std::vector<double> factor(sum.size(), 1.0);
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const std::string label = "opening " + std::to_string(geometry.openings[k].id) + " (" +
                              geometry.openings[k].name + ")";
    if (count[k] == 0)
      fail(ExitCode::Usage, label +
                                " is not crossed by any link at this spacing; preprocess with a "
                                "finer spacing");
    if (run.openings[k].kind == OpeningKind::Pressure || run.openings[k].mean == 0.0) continue;
    const double target = -run.openings[k].mean * geometry.openings[k].area / scales.flowRate();
    factor[k] = sum[k] == 0.0 ? 1.0 : target / sum[k];
    if (!(factor[k] > 0.8 && factor[k] < 1.25))
      logWarning(label + " is coarsely resolved: its profile was scaled by " +
                 std::to_string(factor[k]) + " to give the flow rate asked for");
  }
  for (IncomingLink& link : links) {
    if (link.condition == LinkCondition::Velocity) {
      link.value *= factor[link.opening];
      link.speedSquared *= factor[link.opening] * factor[link.opening];
    }
  }
}

// Links of one node and opening follow each other (TileOrder::openingLinks).
void countSiblings(std::vector<IncomingLink>& links) {
  for (std::size_t first = 0; first < links.size();) {
    std::size_t end = first;
    while (end < links.size() && links[end].node == links[first].node) ++end;
    for (std::size_t k = first; k < end; ++k)
      for (std::size_t s = first; s < end; ++s) {
        if (links[s].opening != links[k].opening) continue;
        ++links[k].siblings;
        if (s < k) ++links[k].siblingsBefore;
      }
    first = end;
  }
}

}  // namespace

double referencePressure(const SolverCase& run) {
  double sum = 0.0;
  int count = 0;
  for (const OpeningCondition& condition : run.openings) {
    if (condition.kind != OpeningKind::Pressure) continue;
    sum += condition.pressure;
    ++count;
  }
  return count == 0 ? 0.0 : sum / count;
}

std::vector<double> linkAreas(const TileOrder& order, const TiledGeometry& geometry,
                              const LatticeInfo& info) {
  std::vector<double> areas;
  areas.reserve(order.openingLinks.size());
  for (const OpeningLink& link : order.openingLinks) {
    const LatticeOpening opening = inLattice(geometry.openings[link.opening], geometry);
    const double cn = dot(velocityOf(info, link.direction), opening.normal);
    areas.push_back(std::max(0.0, 6.0 * info.weights[link.direction] * cn));
  }
  return areas;
}

Domain buildDomain(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                   const LatticeRun& lattice, const LatticeInfo& info) {
  Domain domain;
  domain.tiles = order.tiles;
  domain.slots = order.tiles + order.ghosts;
  domain.rows = order.rows;
  domain.rowAxes = order.rowAxes;
  domain.masks = order.masks;
  const double reference = referencePressure(run);
  for (const OpeningLink& link : order.openingLinks) {
    const OpeningCondition& condition = run.openings[link.opening];
    IncomingLink out = incomingLink(link, info);
    if (condition.kind == OpeningKind::Pressure) {
      out.condition = LinkCondition::Pressure;
      out.value = 3.0 * (condition.pressure - reference) / lattice.scales.pressure();
      if (std::abs(out.value) > 0.2)
        fail(ExitCode::Usage,
             "the pressure differences between openings are " + std::to_string(100.0 * out.value) +
                 " % of the lattice's own pressure, which cannot work (expected at "
                 "most 20 %); use a smaller velocity_scale, tau or time_step");
    } else {
      const LatticeOpening opening = inLattice(geometry.openings[link.opening], geometry);
      const double speed = -condition.mean / lattice.scales.velocity() *
                           profileAt(condition.profile, opening, link.position);
      const double cn = dot(velocityOf(info, link.direction), opening.normal);
      out.condition = LinkCondition::Velocity;
      out.value = 6.0 * info.weights[link.direction] * cn * speed;
      out.speedSquared = speed * speed;
    }
    domain.links.push_back(out);
  }
  countSiblings(domain.links);
  normaliseFlow(domain.links, geometry, run, lattice.scales);
  for (const PeriodicCopy& copy : order.copies)
    domain.copies.push_back({populationIndex(info, copy.fromSlot, copy.direction, copy.fromLocal),
                             populationIndex(info, copy.toSlot, copy.direction, copy.toLocal)});
  return domain;
}

}  // namespace tessera
