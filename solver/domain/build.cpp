// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/build.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "solver/boundary/opening_drive.hpp"
#include "solver/boundary/outlet_links.hpp"
#include "solver/boundary/velocity_links.hpp"
#include "solver/boundary/zou_he_links.hpp"

namespace tessera {

namespace {

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

// Links of own nodes come first. What lies in tiles of other ranks is needed only by walls that
// look two nodes deep, through a node of another rank into an opening.
void keepLinks(const TileOrder& order, bool nearToo, std::size_t q, Domain& domain) {
  std::vector<std::size_t> kept;
  const auto keep = [&](std::uint32_t first, std::uint32_t end) {
    for (std::size_t k = 0; k < order.openingLinks.size(); ++k)
      if (order.openingLinks[k].slot >= first && order.openingLinks[k].slot < end)
        kept.push_back(k);
  };
  keep(0, order.tiles);
  domain.sampledLinks = kept.size();
  if (kept.size() == domain.links.size()) return;
  if (nearToo) keep(order.tiles, order.held());
  std::vector<IncomingLink> links;
  std::vector<std::uint64_t> sources;
  for (const std::size_t k : kept) {
    links.push_back(domain.links[k]);
    if (domain.sources.empty()) continue;
    const auto from = domain.sources.begin() + static_cast<std::ptrdiff_t>(k * q);
    sources.insert(sources.end(), from, from + static_cast<std::ptrdiff_t>(q));
  }
  domain.links = std::move(links);
  domain.sources = std::move(sources);
}

// Largest of a pressure opening less the reference, over time.
double pressureDifference(const SolverCase& run) {
  double most = 0.0;
  const auto consider = [&](double t) {
    double mean = 0.0;
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    int count = 0;
    for (const OpeningCondition& condition : run.openings) {
      if (!prescribesPressure(condition)) continue;
      const double value = condition.waveform ? condition.waveform->at(t) : condition.pressure;
      mean += value;
      low = std::min(low, value);
      high = std::max(high, value);
      ++count;
    }
    if (count > 0) most = std::max({most, high - mean / count, mean / count - low});
  };
  consider(0.0);
  for (const OpeningCondition& condition : run.openings)
    if (prescribesPressure(condition) && condition.waveform)
      for (const double t : condition.waveform->time) consider(t);
  return most;
}

void checkPressures(const SolverCase& run, const Scales& scales) {
  const double r = 3.0 * pressureDifference(run) / scales.pressure();
  if (r > 0.2)
    fail(ExitCode::Usage,
         "the pressure differences between openings are " + std::to_string(100.0 * r) +
             " % of the lattice's own pressure, which cannot work (expected at most 20 %); use a "
             "smaller velocity_scale, tau or time_step");
}

}  // namespace

double referencePressure(const SolverCase& run) {
  double sum = 0.0;
  int count = 0;
  for (const OpeningCondition& condition : run.openings) {
    if (!prescribesPressure(condition)) continue;
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
  domain.slots = order.held() + order.ghosts;
  domain.borderTiles = order.border;
  domain.rows = order.rows;
  domain.rowAxes = order.rowAxes;
  domain.masks = order.masks;
  domain.positions.resize(order.tiles);
  tbb::parallel_for(std::size_t{0}, geometry.tiles(), [&](std::size_t t) {
    if (order.slotOfTile[t] < order.tiles)
      domain.positions[order.slotOfTile[t]] = geometry.nonEmptyTiles[t];
  });
  for (std::size_t a = 0; a < 3; ++a)
    domain.meetsItself |= geometry.periodic[a] && geometry.grid[a] == 1;
  domain.driven = driveLayout(run);
  domain.rampCoefficient = domain.driven.back().first;
  domain.coefficients = domain.rampCoefficient + 1;
  const bool constant = pressuresAreConstant(run);
  const double reference = referencePressure(run);
  for (const OpeningLink& link : order.openingLinks) {
    const OpeningCondition& condition = run.openings[link.opening];
    IncomingLink out = incomingLink(link, info);
    out.condition = LinkCondition::Velocity;
    if (!prescribesVelocity(condition)) {
      out.condition = LinkCondition::Pressure;
      out.value =
          constant ? 3.0 * (condition.pressure - reference) / lattice.scales.pressure() : 1.0;
    }
    domain.links.push_back(out);
  }
  countSiblings(domain.links);
  checkPressures(run, lattice.scales);
  setVelocityLinks(order, geometry, run, lattice, info, domain);
  for (const PeriodicCopy& copy : order.copies)
    domain.copies.push_back({populationIndex(info, copy.fromSlot, copy.direction, copy.fromLocal),
                             populationIndex(info, copy.toSlot, copy.direction, copy.toLocal)});
  setZouHeLinks(order, geometry, run, info, domain);
  keepLinks(order, run.walls == WallScheme::Multireflection, info.velocities.size(), domain);
  setOutlets(run, lattice.scales, *std::max_element(geometry.nodes.begin(), geometry.nodes.end()),
             domain);
  return domain;
}

}  // namespace tessera
