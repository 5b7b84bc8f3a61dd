// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/node_limit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/numbers_apart.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/surface_plan.hpp"

namespace tessera::preprocess {

using geometry::Opening;
using lattice::LatticeChoice;
using lattice::SpacingRequest;
using stage::Dimension;

namespace {

double nodesAt(const FluidToFill& fluid, double spacing) {
  return fluid.size / std::pow(spacing, fluid.dimensions);
}

// A number of nodes for people: "214.3 million".
std::string countText(double nodes, int digits) {
  if (nodes < 1e6) return fmt::format("{:.0f}", nodes);
  return nodes < 1e9 ? stage::number(nodes / 1e6, digits) + " million"
                     : stage::number(nodes / 1e9, digits) + " billion";
}

// For --max-nodes: "2.2e9", at least that many.
std::string limitText(double nodes) {
  if (nodes < 1e6) return fmt::format("{:.0f}", std::ceil(nodes));
  const int power = static_cast<int>(std::floor(std::log10(nodes)));
  return fmt::format("{:g}e{}", std::ceil(nodes / std::pow(10.0, power - 1)) / 10.0, power);
}

bool fits(const LatticeChoice& lattice, const FluidToFill& fluid, double limit) {
  const double most = std::max({lattice.nodes[0], lattice.nodes[1], lattice.nodes[2]});
  return most <= lattice::maxNodesPerAxis && nodesAt(fluid, lattice.frame.spacing) <= limit;
}

// Smallest spacing within the limit that divides the periodic extents, otherwise of three digits.
std::optional<double> spacingWithin(const FluidToFill& fluid, double limit) {
  const Double3 extent = fluid.box.extent();
  const double least = std::max(std::pow(fluid.size / limit, 1.0 / fluid.dimensions),
                                fluid.box.longest() / lattice::maxNodesPerAxis);
  const auto axis = std::find(fluid.periodic.begin(), fluid.periodic.end(), true);
  if (axis == fluid.periodic.end()) {
    double spacing = lattice::roundedSpacing(least, true);
    while (nodesAt(fluid, spacing) > limit)
      spacing = lattice::roundedSpacing(1.001 * spacing, true);
    return spacing;
  }
  const double period = extent[static_cast<std::size_t>(axis - fluid.periodic.begin())];
  for (double nodes = std::floor(period / least); nodes >= 1.0; nodes -= 1.0)
    if (lattice::dividesPeriods(extent, period / nodes, fluid.periodic) &&
        nodesAt(fluid, period / nodes) <= limit)
      return period / nodes;
  return std::nullopt;
}

// Most nodes across the largest opening within the limit, up to the requested ones.
std::optional<LatticeChoice> latticeByLargest(SpacingRequest& request, const FluidToFill& fluid,
                                              double limit, double spacing) {
  constexpr std::int64_t fewest = 2, mostTries = 100;
  request.opening = "largest";
  const double radius = *decidingRadius(request, fluid.openings);
  const auto within = static_cast<std::int64_t>(2.0 * radius / spacing) + 1;
  request.across = std::min(*request.across, within);
  for (std::int64_t tries = 0; tries < mostTries && *request.across >= fewest; ++tries) {
    try {
      const LatticeChoice choice =
          lattice::chooseLattice(fluid.box, request, radius, fluid.periodic);
      if (fits(choice, fluid, limit)) return choice;
    } catch (const stage::StageError&) {  // does not divide another periodic extent
    }
    --*request.across;
  }
  return std::nullopt;
}

// "--across counts 16 nodes across opening 7 (opening7), 0.2 mm in diameter".
std::string acrossText(const SpacingRequest& request, const Opening& opening) {
  return fmt::format("--across counts {} across opening {} ({}), {} in diameter",
                     stage::plural(static_cast<std::uint64_t>(*request.across), "node"), opening.id,
                     opening.name, stage::formatQuantity(2.0 * opening.radius, Dimension::Length));
}

// Origin of the spacing.
std::string reasonOf(const SpacingRequest& request, const Opening* opening) {
  if (opening != nullptr) return "; " + acrossText(request, *opening);
  if (request.longest) return fmt::format(", with --longest {}", *request.longest);
  return request.spacing ? "" : ", with one node per voxel";
}

// Options within the limit, and one that raises it.
std::vector<std::string> alternativesTo(const SpacingRequest& request, const LatticeChoice& lattice,
                                        const FluidToFill& fluid, double limit) {
  const Opening* opening = decidingOpening(request, fluid.openings);
  const auto acrossIt = [&](double spacing) {
    if (opening == nullptr) return std::string();
    const double nodes = 2.0 * opening->radius / spacing;
    return fmt::format(" ({:.{}f} nodes across opening {})", nodes, nodes < 10.0 ? 1 : 0,
                       opening->id);
  };
  std::vector<std::string> list;
  const std::optional<double> spacing = spacingWithin(fluid, limit);
  if (spacing)
    list.push_back("--spacing " + stage::exactQuantity(*spacing, Dimension::Length, "mm") +
                   acrossIt(*spacing));
  if (spacing && !fluid.openings.empty()) {
    SpacingRequest byLargest;
    byLargest.across = request.across.value_or(std::int64_t{1} << 30);
    if (const auto choice = latticeByLargest(byLargest, fluid, limit, *spacing))
      list.push_back(
          fmt::format("--across largest={}{}", *byLargest.across, acrossIt(choice->frame.spacing)));
  }
  const double nodes = nodesAt(fluid, lattice.frame.spacing);
  if (fits(lattice, fluid, nodes)) list.push_back("--max-nodes " + limitText(nodes));
  return list;
}

}  // namespace

const Opening* decidingOpening(const SpacingRequest& request,
                               const std::vector<Opening>& openings) {
  if (!request.across || openings.empty()) return nullptr;
  const std::string& name = request.opening;
  for (const Opening& opening : openings)
    if (!name.empty() && refersTo(name, opening)) return &opening;
  const auto narrower = [](const Opening& a, const Opening& b) { return a.radius < b.radius; };
  if (name.empty() || name == "smallest")
    return &*std::min_element(openings.begin(), openings.end(), narrower);
  if (name == "largest" || name == "inlet")
    return &*std::max_element(openings.begin(), openings.end(), narrower);
  stage::fail(stage::ExitCode::Usage,
              fmt::format("--across {}={}: the geometry has no such opening; {}; expected one of "
                          "them, smallest, largest or inlet (the largest).",
                          name, *request.across, listOf(openings)));
}

std::optional<double> decidingRadius(const SpacingRequest& request,
                                     const std::vector<Opening>& openings) {
  const Opening* opening = decidingOpening(request, openings);
  return opening == nullptr ? std::nullopt : std::optional(opening->radius);
}

void logDecidingOpening(const SpacingRequest& request, const std::vector<Opening>& openings) {
  if (const Opening* opening = decidingOpening(request, openings))
    stage::logInfo(acrossText(request, *opening));
}

void requireFewerNodes(const PreprocessOptions& options, const LatticeChoice& lattice,
                       const FluidToFill& fluid) {
  const SpacingRequest& request = options.spacing;
  if (!request.across) requirePossible(lattice);
  if (!request.any() && !options.maxNodes) return;
  const double limit = options.maxNodes.value_or(defaultMaxNodes);
  const double nodes = nodesAt(fluid, lattice.frame.spacing);
  if (nodes <= limit) return;
  const auto [count, most] = stage::textsApart(nodes, limit, 4, countText);
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format("{}: a node spacing of {} makes about {} fluid nodes in {}, more than the {} of "
                  "--max-nodes{}; use {}.",
                  options.inputs.front().string(),
                  stage::formatQuantity(lattice.frame.spacing, Dimension::Length), count,
                  describeBox(lattice), most,
                  reasonOf(request, decidingOpening(request, fluid.openings)),
                  stage::enumeration(alternativesTo(request, lattice, fluid, limit), " or ")));
}

}  // namespace tessera::preprocess
