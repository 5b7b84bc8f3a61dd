// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compute_results.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "postprocess/cycle_shear.hpp"
#include "postprocess/opening_flow.hpp"
#include "postprocess/permeability.hpp"
#include "postprocess/wall_shear.hpp"

namespace tessera {

namespace {

std::vector<PlaneSummary> planeSummaries(const std::vector<Plane>& planes, const NodeLookup& lookup,
                                         const Fields& fields) {
  std::vector<PlaneSummary> summaries;
  for (const Plane& plane : planes) {
    const auto summary = planeFlow(plane, lookup, fields);
    if (!summary)
      fail(ExitCode::Usage, "plane \"" + plane.name +
                                "\": its point does not lie in the fluid; give a point inside the "
                                "vessel or pore, in metres or with units, in the world frame");
    summaries.push_back(*summary);
  }
  return summaries;
}

double maximalVelocity(const Fields& fields) {
  double largest = 0.0;
  for (const auto& velocity : fields.velocity) {
    double square = 0.0;
    for (const float component : velocity)
      square += static_cast<double>(component) * static_cast<double>(component);
    largest = std::max(largest, square);
  }
  return std::sqrt(largest) * fields.velocityFactor;
}

Monitor monitorOf(const Fields& fields) {
  Monitor monitor{fields.monitorColumns, {}};
  const std::size_t width = fields.monitorColumns.size();
  for (std::size_t start = 0; width > 0 && start + width <= fields.monitorRows.size();
       start += width) {
    const auto row = fields.monitorRows.begin() + static_cast<std::ptrdiff_t>(start);
    monitor.rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(width));
  }
  return monitor;
}

std::string percent(double part) {
  const double rounded = std::round(1000.0 * part) / 10.0;
  std::string text = std::to_string(rounded);
  return text.substr(0, text.find('.') + 2) + " %";
}

void warnAboutFlow(Results& results) {
  double largest = 0.0;
  for (const OpeningSummary& opening : results.openings)
    largest = std::max(largest, std::abs(opening.flowRate));
  if (results.massResidual > 1e-3)
    results.warnings.push_back("the flow rates do not balance: mass residual " +
                               percent(results.massResidual) +
                               "; let the run converge further before using its figures");
  for (const OpeningSummary& opening : results.openings) {
    if (!opening.flowRateInside) continue;
    const double difference = std::abs(*opening.flowRateInside - opening.flowRate);
    if (difference > 0.05 * largest)
      results.warnings.push_back("opening " + std::to_string(opening.id) +
                                 ": the flow through a plane just inside differs by " +
                                 percent(difference / largest) +
                                 " of the largest flow rate; the vessel is coarse or "
                                 "strongly curved there, or the run has not converged");
  }
}

void warnAboutRun(Results& results, std::size_t unmeasured, std::size_t triangles) {
  if (!results.converged)
    results.warnings.push_back(
        "the run stopped at its last step before it met the convergence "
        "rule; continue it with more steps");
  if (results.machMax > 0.3)
    results.warnings.push_back(
        "the largest Mach number is above 0.3: errors of compressibility are "
        "not small; lower velocity_scale in the case");
  if (unmeasured > 0)
    results.warnings.push_back(std::to_string(unmeasured) + " of " + std::to_string(triangles) +
                               " wall triangles have no fluid near them and are left out");
}

void addWall(Results& results, const NodeLookup& lookup, const Fields& fields) {
  const Frame& frame = lookup.geometry.frame;
  const WallSurface wall = wallSurface(lookup.geometry);
  const std::vector<StressAtWall> stress = stressOnSurface(lookup, fields, wall);
  results.wall = wallShear(wall, stress, frame);
  results.shear = shearStatistics(results.wall);
  if (fields.means) results.cycle = cycleShear(lookup, fields, wall, stress);
  results.forces = wallForces(wall, stress, frame, lookup.geometry.wallNames);
  warnAboutRun(results, stress.size() - results.wall.triangle.size(), stress.size());
}

void describeRun(Results& results, const Fields& fields, const TiledGeometry& geometry) {
  results.step = fields.step;
  results.time = fields.time;
  results.converged = fields.converged;
  results.machMax = fields.machMax;
  results.tau = fields.tau;
  results.density = fields.density;
  results.kinematicViscosity = fields.kinematicViscosity;
  results.largestViscosity = fields.largestViscosity;
  results.fluidModel = fields.fluidModel;
  if (fields.smagorinsky > 0.0) results.fluidModel += ", smagorinsky";
  results.variant = fields.variant;
  results.nodes = geometry.nodes;
  results.spacing = geometry.frame.spacing;
  results.fluidNodes = geometry.fluidNodes;
  results.tiles = geometry.tiles();
}

}  // namespace

Results computeResults(const Fields& fields, const TiledGeometry& geometry,
                       const std::vector<Plane>& planes) {
  const NodeLookup lookup(geometry);
  Results results;
  describeRun(results, fields, geometry);
  results.planes = planeSummaries(planes, lookup, fields);
  results.openings = openingSummaries(lookup, fields);
  results.massResidual =
      results.openings.empty() ? fields.massResidual : massResidual(results.openings);
  results.pressureDrop = pressureDrop(results.openings);
  results.velocityMax = maximalVelocity(fields);
  warnAboutFlow(results);
  addWall(results, lookup, fields);
  results.permeability = permeability(lookup, fields, results.openings);
  results.monitor = monitorOf(fields);
  return results;
}

}  // namespace tessera
