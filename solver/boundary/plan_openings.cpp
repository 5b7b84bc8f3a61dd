// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_openings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/plan_zou_he.hpp"
#include "solver/boundary/symmetry.hpp"
#include "solver/boundary/time_series.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/tiles/neighbour_table.hpp"

namespace tessera::solver::boundary {

namespace {

constexpr double largestPressureRatio = 0.2;  // of pressures, over the lattice's own pressure

// A link without the values of its condition.
IncomingLink plainLink(const tiles::OpeningLink& link, const model::LatticeInfo& info) {
  const std::size_t i = link.direction;
  const auto& c = info.velocities[i];
  const auto back = static_cast<std::uint8_t>(model::opposite(link.direction));
  IncomingLink out{};
  out.node = tiles::indexOfPopulation({link.slot, link.local, 0}, info);
  out.target = tiles::indexOfPopulation({link.targetSlot, link.targetLocal, back}, info);
  for (std::size_t a = 0; a < 3; ++a) out.c[a] = static_cast<float>(c[a]);
  out.weight = info.weights[i];
  out.direction = link.direction;
  out.opening = link.opening;
  return out;
}

// Links of one node and opening are neighbours in TileOrder::openingLinks.
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

// Largest difference of a prescribed pressure from the mean of these at one time, Pa.
double differenceAt(const std::vector<Prescription>& pressures, double t) {
  double mean = 0.0;
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  for (const Prescription& given : pressures) {
    const double value = given.pressureAt(t);
    mean += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  mean /= static_cast<double>(pressures.size());
  return std::max(high - mean, mean - low);
}

void checkPressures(const std::vector<Condition>& conditions, const model::Scales& scales) {
  std::vector<Prescription> pressures;
  std::vector<double> times{0.0};
  for (const Condition& condition : conditions) {
    if (!prescribesPressure(condition)) continue;
    pressures.push_back(prescriptionOf(condition));
    const auto& series = pressures.back().series;
    if (series) times.insert(times.end(), series->time.begin(), series->time.end());
  }
  if (pressures.empty()) return;
  double most = 0.0;
  for (const double t : times) most = std::max(most, differenceAt(pressures, t));
  const double r = 3.0 * most / scales.pressure();
  if (r > largestPressureRatio)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("the pressure differences between openings are {} % of the lattice's own "
                    "pressure, which cannot work (at most 20 % is possible); use a smaller "
                    "lattice_velocity, tau or time_step",
                    stage::number(100.0 * r, 3)));
}

// Values of one opening's links, from its condition.
void addValues(const PlannedOpening& opening, const OpeningLinks& values, std::uint32_t modes,
               OpeningPlan& plan) {
  const std::size_t start = plan.basis.size();
  plan.basis.insert(plan.basis.end(), values.basis.begin(), values.basis.end());
  for (std::size_t n = 0; n < opening.links.size(); ++n) {
    IncomingLink& link = plan.links[opening.links[n]];
    link.condition = values.condition;
    link.value = values.parts[n].value;
    link.speedSquared = values.parts[n].speedSquared;
    if (!values.basis.empty()) link.basis = static_cast<std::uint32_t>(start + n * modes);
  }
}

void addZouHe(const PlanInput& lattice, const std::vector<Condition>& conditions,
              std::span<const PopulationCopy> copies, OpeningPlan& plan) {
  std::vector<bool> chosen;
  for (const Condition& condition : conditions) chosen.push_back(prescriptionOf(condition).zouHe);
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) return;
  const std::vector<std::size_t> axes = zouHeAxes(lattice, chosen);
  for (IncomingLink& link : plan.links) link.axis = static_cast<std::uint8_t>(axes[link.opening]);
  plan.sources = zouHeSources(lattice, chosen, copies);
}

// Keeps the links of own nodes, which come first, and those of neighbouring ranks' nodes if asked
// for; their indices in TileOrder::openingLinks.
std::vector<std::size_t> keepLinks(const tiles::TileOrder& order, bool nodesOfOthers, std::size_t q,
                                   OpeningPlan& plan) {
  std::vector<std::size_t> kept;
  const auto keep = [&](std::uint32_t first, std::uint32_t end) {
    for (std::size_t k = 0; k < order.openingLinks.size(); ++k)
      if (order.openingLinks[k].slot >= first && order.openingLinks[k].slot < end)
        kept.push_back(k);
  };
  keep(0, order.tiles);
  plan.sampledLinks = kept.size();
  if (kept.size() == plan.links.size()) return kept;
  if (nodesOfOthers) keep(order.tiles, order.slotsOfTiles());
  std::vector<IncomingLink> links;
  std::vector<std::uint64_t> sources;
  for (const std::size_t k : kept) {
    links.push_back(plan.links[k]);
    if (plan.sources.empty()) continue;
    const auto from = plan.sources.begin() + static_cast<std::ptrdiff_t>(k * q);
    sources.insert(sources.end(), from, from + static_cast<std::ptrdiff_t>(q));
  }
  plan.links = std::move(links);
  plan.sources = std::move(sources);
  return kept;
}

}  // namespace

PlannedOpening plannedOpening(const PlanInput& lattice, std::size_t opening, PressureCourse course,
                              double reference, std::span<const WallCondition> walls) {
  const preprocess::geometry::Opening& at = lattice.geometry.openings[opening];
  const LatticeOpening shape = inLattice(at, lattice.geometry);
  PlannedOpening out{lattice, at, {}, shape, labelOf(at), course, reference, {}, {}, shape};
  const std::vector<tiles::OpeningLink>& links = lattice.order.openingLinks;
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].opening == opening) out.links.push_back(static_cast<std::uint32_t>(k));
  if (out.links.empty())
    stage::fail(stage::ExitCode::Usage,
                out.label +
                    " is not crossed by any link at this spacing; preprocess with a "
                    "finer spacing");
  out.symmetric = symmetryLabels(walls, lattice.geometry);
  out.planes = planesAt(out);
  out.whole = wholeOpening(shape, out.planes);
  return out;
}

OpeningPlan planOpenings(const PlanInput& lattice, const std::vector<Condition>& conditions,
                         std::span<const PopulationCopy> copies, const StencilWalls& walls) {
  OpeningPlan plan;
  plan.driven = modeLayout(conditions);
  for (const tiles::OpeningLink& link : lattice.order.openingLinks)
    plan.links.push_back(plainLink(link, lattice.info));
  countSiblings(plan.links);
  checkPressures(conditions, lattice.scales);
  const PressureCourse course = pressureCourse(conditions);
  const double reference = meanPressure(conditions, 0.0);
  for (std::size_t o = 0; o < conditions.size(); ++o) {
    if (isWall(conditions[o])) continue;  // without links, see closeWallOpenings()
    const PlannedOpening opening = plannedOpening(lattice, o, course, reference, walls.conditions);
    addValues(opening, linksOf(conditions[o], opening), plan.driven[o].count, plan);
  }
  addZouHe(lattice, conditions, copies, plan);
  const std::vector<std::size_t> kept = keepLinks(
      lattice.order, walls.scheme != WallScheme::Halfway, lattice.info.velocities.size(), plan);
  plan.stencils = planStencils(lattice, walls, plan.links, kept);
  return plan;
}

namespace {

// Appends the links of one opening, in chunks.
void addFlowLinks(std::span<const IncomingLink> links, std::uint32_t opening, OutletPlan& plan) {
  const auto first = static_cast<std::uint32_t>(plan.links.size());
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].opening == opening) plan.links.push_back(static_cast<std::uint32_t>(k));
  const auto end = static_cast<std::uint32_t>(plan.links.size());
  const auto outlet = static_cast<std::uint32_t>(plan.outlets.size());
  for (std::uint32_t at = first; at < end; at += outletChunk)
    plan.chunks.push_back({at, std::min(outletChunk, end - at), outlet});
}

}  // namespace

OutletPlan planOutlets(const std::vector<Condition>& conditions,
                       std::span<const IncomingLink> links, std::span<const DrivenOpening> driven,
                       const model::Scales& scales, int longest) {
  OutletPlan plan;
  plan.meanGain = 1.0 / (meanCrossings * std::sqrt(3.0) * longest);
  for (std::size_t o = 0; o < conditions.size(); ++o) {
    if (prescribesPressure(conditions[o])) plan.prescribedPressures.push_back(driven[o].first);
    std::optional<Outlet> outlet = outletOf(conditions[o], scales);
    if (!outlet) continue;
    outlet->coefficient = driven[o].first;
    outlet->opening = static_cast<std::uint32_t>(o);
    addFlowLinks(links, outlet->opening, plan);
    plan.outlets.push_back(*outlet);
    const double start = 3.0 * prescriptionOf(conditions[o]).pressure / scales.pressure();
    plan.states.push_back({start, start, 0.0, 0.0});
  }
  return plan;
}

}  // namespace tessera::solver::boundary
