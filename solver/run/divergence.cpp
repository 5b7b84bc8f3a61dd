// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "preprocess/geometry/finer_spacing.hpp"

namespace tessera::solver::run {

namespace {

constexpr double speedLimit = 0.4;
constexpr double densityLowest = 0.5;
constexpr double densityHighest = 2.0;
constexpr double nearOpening = 6.0;  // nodes
constexpr double nearWall = 2.5;

// Opening and wall nearest to a location.
struct Surroundings {
  std::optional<std::size_t> opening;
  double openingDistance = std::numeric_limits<double>::max();  // nodes
  double wallDistance = std::numeric_limits<double>::max();
};

// Distance of an opening; 0 when values that are not numbers have reached it.
double distanceTo(const tiles::OpeningLink& link, const DivergenceLocation::Found& place) {
  bool reached = !place.numbers;
  for (std::size_t a = 0; a < 3; ++a)
    reached = reached && link.position[a] >= place.low[a] - 1.0 &&
              link.position[a] <= place.high[a] + 1.0;
  return reached ? 0.0 : length(link.position - place.position);
}

Surroundings surroundingsOf(const DivergenceLocation::Found& place,
                            const tiler::TiledGeometry& geometry, const tiles::TileOrder& order,
                            comm::Ranks& ranks) {
  Surroundings out;
  for (const tiles::OpeningLink& link : order.openingLinks) {
    const double away = distanceTo(link, place);
    if (away >= out.openingDistance) continue;
    out.openingDistance = away;
    out.opening = link.opening;
  }
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    for (std::uint64_t b = geometry.boundaryStart[t]; b < geometry.boundaryStart[t + 1]; ++b) {
      const Int3 node = geometry.nodeOf(t, geometry.boundaryLocal[b]);
      out.wallDistance = std::min(
          out.wallDistance,
          length(Double3{double(node[0]), double(node[1]), double(node[2])} - place.position));
    }
  out.wallDistance = -comm::largestOf(ranks, -out.wallDistance);
  return out;
}

std::string placeText(const DivergenceLocation::Found& place, const Surroundings& around,
                      const tiler::TiledGeometry& geometry) {
  const Double3 world = geometry.frame.toWorld(place.position);
  std::string out =
      fmt::format(" {} node ({:.0f}, {:.0f}, {:.0f}), ({:.4g}, {:.4g}, {:.4g}) mm",
                  place.numbers ? "at" : "around", place.position[0], place.position[1],
                  place.position[2], 1e3 * world[0], 1e3 * world[1], 1e3 * world[2]);
  if (around.opening && around.openingDistance <= nearOpening)
    out += ", next to " + boundary::labelOf(geometry.openings[*around.opening]);
  else if (around.wallDistance <= nearWall)
    out += ", next to a wall";
  else if (around.wallDistance < std::numeric_limits<double>::max())
    out += fmt::format(", in the flow, {:.0f} nodes from the nearest wall", around.wallDistance);
  return out;
}

std::string whatText(const std::optional<DivergenceLocation::Found>& place) {
  if (!place) return "to values that are not numbers everywhere";
  if (!place->numbers) return "to values that are not numbers";
  return fmt::format("velocity {:.3g} and density {:.3g} in lattice units", place->speed,
                     place->density);
}

bool turnedBack(const DivergedRun& diverged, std::size_t opening) {
  const cases::SolverCase& run = diverged.run;
  if (boundary::prescribesVelocity(run.openings[opening]) || !diverged.lastGood) return false;
  double largest = 0.0;
  for (double rate : diverged.lastGood->flowRate) largest = std::max(largest, std::abs(rate));
  return diverged.lastGood->flowRate[opening] < -0.02 * largest;
}

// Likely cause and what to do about it.
std::string causeText(const DivergedRun& diverged,
                      const std::optional<DivergenceLocation::Found>& place,
                      const Surroundings& around) {
  const cases::RunNumbers numbers =
      cases::runNumbers(diverged.run, diverged.lattice, diverged.geometry);
  const bool atOpening = around.opening && around.openingDistance <= nearOpening;
  const std::string finer = "use a finer spacing, a smaller lattice_velocity or a longer ramp";
  const std::string works =
      cases::adviceThatWorks(diverged.run, numbers.velocity, {numbers.spacing, numbers.periodic});
  if (atOpening && turnedBack(diverged, *around.opening))
    return "fluid came back in through this pressure opening; give the vessel more length before "
           "it (tessera-preprocess --extend 5), or " +
           finer;
  const std::string eddies = cases::eddyAdvice(diverged.run);
  if (numbers.tau < 0.52 && !eddies.empty())
    return fmt::format(
               "relaxation time tau = {:.4f} is too small for a grid Reynolds number of {:.3g}; ",
               numbers.tau, numbers.gridReynolds) +
           eddies +
           fmt::format(", or use a finer spacing, half of it gives tau = {:.4f}",
                       0.5 + 2.0 * (numbers.tau - 0.5));
  if (numbers.tau < 0.52)
    return fmt::format(
               "relaxation time tau = {:.4f} is too small for a grid Reynolds number of {:.3g}; ",
               numbers.tau, numbers.gridReynolds) +
           "use a finer spacing, " +
           fmt::format("half of it gives tau = {:.4f} at the same lattice_velocity",
                       0.5 + 2.0 * (numbers.tau - 0.5));
  if (numbers.mach > 0.2)
    return fmt::format("the expected velocity of Mach {:.2f} is too high; ", numbers.mach) + works +
           ", or use a finer spacing";
  if (diverged.now.step <= 2 * diverged.rampSteps)
    return fmt::format("the flow was still being started, over {} steps; {}", diverged.rampSteps,
                       finer);
  if (atOpening)
    return "the density at this opening" +
           (place && place->numbers ? fmt::format(" is {:.3g}", place->density)
                                    : std::string(" is far from 1")) +
           ", so its condition exceeds what the spacing resolves; " + finer;
  if (place && place->numbers && numbers.velocity > 0.0 &&
      place->speed > 3.0 * numbers.mach / std::sqrt(3.0))
    return fmt::format("the flow is {:.1f} times as fast there as the openings suggest; ",
                       place->speed * std::sqrt(3.0) / numbers.mach) +
           finer;
  return "velocities exceed what spacing and time step resolve; " + finer;
}

// Cause and remedy of a run that was continued with smaller steps and more stable collisions.
std::string spacingText(const DivergedRun& diverged) {
  const cases::RunNumbers numbers =
      cases::runNumbers(diverged.run, diverged.lattice, diverged.geometry);
  std::string tried;
  std::uint64_t refinement = 1;
  for (const file::Recovery& recovery : diverged.recoveries) {
    tried += tried.empty() ? "" : ", then ";
    tried += recovery.refinement > refinement ? "half the time step" : recovery.variant;
    refinement = recovery.refinement;
  }
  const double finer = cases::steadierSpacing(numbers);
  return fmt::format(
      "the spacing is too coarse for this flow: it diverged also with {} (now tau {:.4f}, grid "
      "Reynolds number {:.3g}); use tessera-preprocess {}, which divides the grid Reynolds number "
      "by "
      "{:.3g}",
      tried, numbers.tau, numbers.gridReynolds, preprocess::geometry::spacingOption(finer),
      numbers.spacing / finer);
}

}  // namespace

bool hasDiverged(const backend::GlobalSample& nodes) {
  return !(nodes.speedMax < speedLimit && nodes.densityMin > densityLowest &&
           nodes.densityMax < densityHighest);
}

bool mayDiverge(const backend::GlobalSample& nodes) {
  return nodes.speedMax > 0.6 * speedLimit || nodes.densityMin < 0.7 || nodes.densityMax > 1.4;
}

void DivergenceLocation::add(const Int3& node, double r, const std::array<double, 3>& u) {
  ++nodes_;
  const Double3 position{double(node[0]), double(node[1]), double(node[2])};
  const double speed = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  if (!std::isfinite(speed) || !std::isfinite(r)) {
    if (notNumbers_++ == 0) low_ = high_ = position;
    for (std::size_t a = 0; a < 3; ++a) {
      sum_[a] += position[a];
      low_[a] = std::min(low_[a], position[a]);
      high_[a] = std::max(high_[a], position[a]);
    }
    return;
  }
  const double out = std::max(speed / speedLimit, r > 0.0 ? r : -2.0 * r);
  // The lowest of equals, so that the order of calls does not matter.
  if (out < worst_ || (out == worst_ && furthest_.position < position)) return;
  worst_ = out;
  furthest_ = {position, true, position, position, speed, 1.0 + r};
}

void DivergenceLocation::add(const DivergenceLocation& other) {
  nodes_ += other.nodes_;
  if (other.notNumbers_ > 0) {
    if (notNumbers_ == 0) low_ = other.low_, high_ = other.high_;
    notNumbers_ += other.notNumbers_;
    for (std::size_t a = 0; a < 3; ++a) {
      sum_[a] += other.sum_[a];
      low_[a] = std::min(low_[a], other.low_[a]);
      high_[a] = std::max(high_[a], other.high_[a]);
    }
  }
  if (other.worst_ < worst_ ||
      (other.worst_ == worst_ && furthest_.position < other.furthest_.position))
    return;
  worst_ = other.worst_;
  furthest_ = other.furthest_;
}

std::optional<DivergenceLocation::Found> DivergenceLocation::found() const {
  if (10 * notNumbers_ >= 9 * nodes_) return std::nullopt;
  if (notNumbers_ == 0) return furthest_;
  Found middle;
  middle.numbers = false;
  middle.low = low_;
  middle.high = high_;
  for (std::size_t a = 0; a < 3; ++a) middle.position[a] = sum_[a] / double(notNumbers_);
  return middle;
}

DivergenceLocation divergenceLocation(Simulation& simulation) {
  const tiler::TiledGeometry& geometry = simulation.tiles().geometry;
  DivergenceLocation own;
  simulation.observe([&](std::size_t t, const float* values) {
    for (std::size_t l = 0; l < tiler::tileNodes; ++l) {
      if (geometry.nodeType[t * tiler::tileNodes + l] ==
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const auto at = [&](std::size_t e) {
        return static_cast<double>(values[tiler::tileNodes * e + l]);
      };
      own.add(geometry.nodeOf(t, static_cast<int>(l)), at(0), {at(1), at(2), at(3)});
    }
  });
  DivergenceLocation all;
  for (const DivergenceLocation& each : stage::gatherValues<DivergenceLocation>(
           *simulation.setup().ranks, std::span<const DivergenceLocation>(&own, 1)))
    all.add(each);
  return all;
}

std::string divergenceFound(const DivergedRun& diverged,
                            const std::optional<DivergenceLocation::Found>& place) {
  std::string where;
  if (place)
    where =
        placeText(*place, surroundingsOf(*place, diverged.geometry, diverged.order, diverged.ranks),
                  diverged.geometry);
  return fmt::format("the run diverged before step {}: {}{}", diverged.now.step, whatText(place),
                     where);
}

std::string divergenceText(const DivergedRun& diverged,
                           const std::optional<DivergenceLocation::Found>& place) {
  Surroundings around;
  if (place) around = surroundingsOf(*place, diverged.geometry, diverged.order, diverged.ranks);
  return fmt::format(
      "{}; likely cause: {}", divergenceFound(diverged, place),
      diverged.recoveries.empty() ? causeText(diverged, place, around) : spacingText(diverged));
}

}  // namespace tessera::solver::run
