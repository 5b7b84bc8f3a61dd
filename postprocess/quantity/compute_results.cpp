// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/compute_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/quantity/cycles.hpp"
#include "postprocess/quantity/expected_error.hpp"
#include "postprocess/quantity/force_series.hpp"
#include "postprocess/quantity/medium_profiles.hpp"
#include "postprocess/quantity/opening_flow.hpp"
#include "postprocess/quantity/permeability.hpp"
#include "postprocess/quantity/pressure_ratio.hpp"
#include "postprocess/quantity/result_functions.hpp"
#include "postprocess/quantity/stations.hpp"
#include "postprocess/quantity/wall_curvature.hpp"
#include "postprocess/quantity/wall_forces.hpp"
#include "postprocess/quantity/wall_shear.hpp"
#include "preprocess/geometry/finer_spacing.hpp"
#include "preprocess/geometry/resolving_spacing.hpp"

namespace tessera::postprocess::quantity {

using fields::NodeLookup;
using results::Results;
using solver::file::Fields;

namespace {

results::Monitor monitorOf(const Fields& fields) {
  results::Monitor monitor{fields.monitorColumns, {}};
  const std::size_t width = fields.monitorColumns.size();
  for (std::size_t start = 0; width > 0 && start + width <= fields.monitorRows.size();
       start += width) {
    const auto row = fields.monitorRows.begin() + static_cast<std::ptrdiff_t>(start);
    monitor.rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(width));
  }
  return monitor;
}

std::string percent(double part) {
  return fmt::format("{:.1f} %", std::round(1000.0 * part) / 10.0);
}

// Mass residual of a converged run relative to the largest flow rate: walls keep mass to round-off.
double largestResidual(bool periodic) {
  return periodic ? 1e-2 : 1e-3;
}

// m3/s; for pulsatile runs over the last period, which may end at rest.
double largestFlowRate(const Results& results) {
  double largest = 0.0;
  for (const results::OpeningSummary& opening : results.openings)
    largest = std::max(largest, std::abs(opening.flowRate));
  if (results.cycleFlow)
    for (const results::CycleFlow::AtOpening& opening : results.cycleFlow->openings)
      largest =
          std::max({largest, std::abs(opening.flowRate.least), std::abs(opening.flowRate.largest)});
  return largest;
}

// Largest minus smallest density. Velocities along a vessel differ as much, because mass is
// conserved.
constexpr double largestDensityDifference = 0.03;

void warnAboutDensity(Results& results, const Fields& fields) {
  const double difference = fields.densityRange[1] - fields.densityRange[0];
  // Velocities of the incompressible equilibrium do not depend on the density.
  const bool incompressible = fields.variant.find(" incompressible") != std::string::npos;
  if (incompressible || difference <= largestDensityDifference) return;
  results.warnings.push_back(
      fmt::format("the density of the lattice fluid varies by {} in space{}, and velocities with "
                  "it, unlike in the real "
                  "fluid; use a smaller lattice_velocity, time_step or tau in the case (the "
                  "variation decreases with the "
                  "square of the time step)",
                  percent(difference), results.period ? " at the end of the run" : ""));
}

void warnAboutFlow(Results& results) {
  const double largest = largestFlowRate(results);
  // At one moment of a pulsatile run the storage of a slightly compressible fluid is not an error.
  const double residual = fields::massResidualOverPeriod(results).value_or(results.massResidual);
  if (residual > largestResidual(results.period.has_value()))
    results.warnings.push_back(fmt::format(
        "the flow rates do not balance{}: mass residual {}; let the run converge further "
        "before using its results",
        results.period ? " over the last period" : "", percent(residual)));
  for (const results::OpeningSummary& opening : results.openings) {
    if (!opening.flowRateInside) continue;
    const double difference = std::abs(*opening.flowRateInside - opening.flowRate);
    if (difference > 0.05 * largest)
      results.warnings.push_back(fmt::format(
          "opening {}: the flow through a plane just inside differs by {} of the largest flow "
          "rate; the vessel is coarse or strongly curved there, or the run has not converged",
          opening.id, percent(difference / largest)));
  }
}

void warnAboutRun(Results& results, std::size_t unmeasured, std::size_t triangles) {
  if (!results.recovered.empty())
    results.warnings.push_back(
        "the run diverged and continued with " + results.recovered +
        (results.recovered.find("cumulant") != std::string::npos
             ? "; its spacing does not resolve this flow: halve it, and compare"
             : "") +
        "; means and curves over that time mix both");
  if (results.convergenceAsked && !results.converged)
    results.warnings.push_back(
        "the run stopped at its last step before it met the convergence rule; continue it with "
        "more steps");
  if (results.machMax > 0.3)
    results.warnings.push_back(fmt::format(
        "the largest Mach number{} is above 0.3: compressibility errors are not small; lower "
        "lattice_velocity in the case",
        results.period ? " of the last period" : ""));
  if (unmeasured > 0)
    results.warnings.push_back(fmt::format(
        "{} of {} wall triangles have no fluid near them and are left out", unmeasured, triangles));
}

// Whether the pores are small beside the box between its openings. A channel is no medium, and a
// Reynolds number of its own is not one of pores: a plane one has a permeability of 0.083 H^2. Nor
// is a chip in 2D, through which a prescribed flow is driven.
bool isMedium(const Results& results) {
  constexpr double largestPore = 0.1;  // permeability^1/2 over the box's shortest side
  if (results.openings.empty()) return true;
  const bool driven =
      std::any_of(results.openings.begin(), results.openings.end(), [](const auto& opening) {
        return opening.kind == "velocity" || opening.kind == "flow-rate";
      });
  if (results.flat() && driven) return false;
  const Int3& n = results.nodes;
  const int shortest = results.flat() ? std::min(n[0], n[1]) : std::min({n[0], n[1], n[2]});
  return std::sqrt(results.permeability->value) < largestPore * shortest * results.spacing;
}

// Requires the permeability.
void addMedium(Results& results, const NodeLookup& lookup, const Fields& fields) {
  if (!results.permeability) return;
  results.permeability->medium = isMedium(results);
  if (!results.permeability->medium) return;
  results.velocityHistogram = velocityHistogram(lookup, fields, *results.permeability);
  results.layers = sampleLayers(lookup, fields, *results.permeability);
}

void warnAboutDarcy(Results& results) {
  if (!results.permeability || results.permeability->blocked || !results.permeability->inertial ||
      !results.permeability->medium)
    return;
  results.warnings.push_back(
      fmt::format("the pore Reynolds number {:f} is above 0.1: the permeability includes inertia "
                  "(Forchheimer); use a weaker driving force",
                  results.permeability->poreReynolds));
}

// Shortest period, s, of the waveforms of the case, as the solver counts it; that of the flow where
// the case cannot be read, and nothing where no opening swings.
std::optional<double> swingPeriod(const Fields& fields, std::optional<double> period) {
  if (!period) return std::nullopt;
  std::optional<double> shortest;
  try {
    for (stage::CaseTable opening :
         stage::CaseFile::parse(fields.caseText, "case").tables("opening"))
      if (opening.flag("periodic").value_or(false)) {
        const double one = opening.quantity("period", stage::Dimension::Time).value_or(*period);
        shortest = std::min(one, shortest.value_or(one));
      }
  } catch (const stage::StageError&) {
    return period;  // of another version
  }
  return shortest;
}

// Requires openings and period.
void warnAboutResolution(const tiler::TiledGeometry& geometry, const Fields& fields,
                         Results& results) {
  namespace lattice = preprocess::geometry;
  const double spacing = results.spacing;
  std::vector<lattice::Opening> openings;  // that are none by the case are left out
  for (const lattice::Opening& opening : geometry.openings)
    for (const results::OpeningSummary& summary : results.openings)
      if (summary.id == opening.id && summary.kind != "wall") openings.push_back(opening);
  lattice::LengthsToResolve lengths =
      lattice::sectionsToResolve(openings, geometry.throats, geometry.dimensions, spacing);
  if (const auto period = swingPeriod(fields, results.period))
    lengths.stokesLayer = std::sqrt(results.kinematicViscosity * *period / std::numbers::pi);
  const double finer = lattice::resolvingSpacing(
      lengths, spacing, lattice::axesToDivide(geometry.periodic, geometry.dimensions));
  const auto warn = [&](const std::string& section, double across) {
    if (across >= lattice::fewestNodesAcross * spacing) return;
    results.warnings.push_back(
        fmt::format("{} is only {:.1f} nodes across, and the flow there is coarse; "
                    "tessera-preprocess {} gives {}",
                    section, std::round(10.0 * across / spacing) / 10.0,
                    lattice::spacingOption(finer), stage::number(across / finer, 2)));
  };
  for (const lattice::Opening& opening : openings)
    warn(fmt::format("opening {}", opening.id),
         lattice::diameterOf(opening, geometry.dimensions, spacing));
  if (lengths.hasNarrowThroat()) warn("the narrowest throat", lengths.throat);
}

// Requires forces and monitor.
void addCoefficients(Results& results, const std::optional<ForceReference>& reference) {
  if (!reference) return;
  results.coefficients = forceCoefficients(results.forces, results.density, *reference);
  results.coefficientSeries =
      coefficientSeries(results.monitor, results.forces, results.density, *reference);
  results.coefficientCourse = coefficientCourse(results.coefficientSeries, *reference);
}

// Fields with means, and fields of a phase, whose case has a period.
bool isPulsatile(const Fields& fields) {
  if (fields.means) return true;
  try {
    return stage::CaseFile::parse(fields.caseText, "case").table("time").present();
  } catch (const stage::StageError&) {
    return false;
  }
}

void addWall(Results& results, const NodeLookup& lookup, const Fields& fields,
             const Request& request) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  WallSurface wall = wallSurface(lookup.geometry);
  // Errors of other walls scatter from node to node, and a cubic makes them ten times as large.
  if (fields.wallScheme != "multireflection")
    wall.nearEdge.clear();
  else if (!wall.fromVoxels)
    wall.curvature = wallCurvature(wall);
  const auto by = [&](bool parabola) {
    return stressOnSurface(lookup, fields, wall,
                           parabola ? Extrapolation::Parabola : Extrapolation::Line);
  };
  const bool pulsatile = isPulsatile(fields);
  const std::vector<StressAtWall> stress = by(pulsatile);
  results.wall = wallShear(wall, stress, frame);
  results.shear = shearStatistics(results.wall);
  results.expected.otherShear = shearStatistics(wallShear(wall, by(!pulsatile), frame));
  results.shearAway =
      statisticsAwayFromOpenings(results.wall, results.wall.triangleShear, results.openings);
  if (fields.means) {
    results.cycle = cycleShear(lookup, fields, wall, stress);
    results.tawssAway =
        statisticsAwayFromOpenings(results.wall, results.cycle->tawss, results.openings);
  }
  const std::vector<std::string>& names = lookup.geometry.wallNames;
  results.labelStatistics = statisticsByLabel(results.wall, results.cycle, names);
  results.momentsAbout = request.momentsAbout.value_or(fields.torqueAbout);
  results.forces = wallForces(wall, stress, frame, names, results.momentsAbout);
  addExchanged(fields, results.momentsAbout, results.forces);
  addCoefficients(results, request.reference ? request.reference : referenceOfCase(fields, names));
  warnAboutRun(results, stress.size() - results.wall.triangle.size(), stress.size());
}

// Whether the run has a convergence rule: a steady one if its case has `converged`, a pulsatile one
// always; not if the fields carry no readable case.
bool askedToConverge(const Fields& fields) {
  try {
    const stage::CaseFile read = stage::CaseFile::parse(fields.caseText, "case");
    return read.table("stop").has("converged") || read.table("time").present();
  } catch (const stage::StageError&) {
    return false;
  }
}

void describeRun(Results& results, const Fields& fields, const tiler::TiledGeometry& geometry,
                 const Request& request) {
  results.step = fields.step;
  results.time = fields.time;
  results.converged = fields.converged;
  results.convergenceAsked = fields.converged || fields.means || askedToConverge(fields);
  if (fields.means) {
    results.period =
        static_cast<double>(fields.means->lastStep - fields.means->firstStep) * fields.timeStep;
    results.cycleDistance = fields.means->distance;
  }
  results.machMax = fields.machMax;
  results.tau = fields.tau;
  results.density = fields.density;
  results.kinematicViscosity = fields.kinematicViscosity;
  results.largestViscosity = fields.largestViscosity;
  results.fluidModel = fields.fluidModel;
  if (fields.smagorinsky > 0.0) results.fluidModel += ", smagorinsky";
  results.variant = fields.variant;
  results.recovered = fields.recovered;
  results.usesMmHg = fields.caseText.find("mmHg") != std::string::npos;
  results.nodes = geometry.nodes;
  results.spacing = geometry.frame.spacing;
  results.space = geometry.frame.space;
  results.lengthUnit = request.lengthUnit.value_or(geometry.frame.lengthUnit);
  results.tableUnit = request.lengthUnit.value_or(stage::LengthUnit{});
  results.fluidNodes = geometry.fluidNodes;
  results.tiles = geometry.tiles();
}

// Sums over the nodes and results that need them.
void addSums(Results& results, const fields::NodeSums& sums, const NodeLookup& lookup,
             const Fields& fields) {
  results.velocityMax = sums.fastest;
  results.permeability = permeability(lookup, fields, sums, results.openings);
  addComputedResults(results, lookup, fields, sums);
}

void addOpenings(Results& results, const NodeLookup& lookup, const Fields& fields) {
  results.openings = openingSummaries(lookup, fields);
  results.massResidual =
      results.openings.empty() ? fields.massResidual : massResidual(results.openings);
  results.pressureDrop = pressureDrop(results.openings);
  results.resistance = resistance(results.openings);
}

// Stations for the pressure ratio along a vessel, where it means something and none were requested.
// Requires openings and wall.
void addStationsOfRatio(Results& results, const NodeLookup& lookup, const Fields& fields) {
  constexpr int stations = 50;
  if (!results.centrelines.empty() || !referenceOfRatios(results)) return;
  try {
    results.centrelines = stationsBetween(results.openings, stations, lookup, fields);
  } catch (const stage::StageError&) {
    // Openings that the fluid does not connect have no centreline.
  }
}

// Requires the openings.
void addCentrelines(Results& results, const NodeLookup& lookup, const Fields& fields,
                    const Request& request) {
  if (request.stations == 0) return;
  if (request.centreline.empty())
    results.centrelines = stationsBetween(results.openings, request.stations, lookup, fields);
  else
    results.centrelines = {stationsAlong(request.centreline, request.centrelineName,
                                         request.stations, lookup, fields)};
}

}  // namespace

Results computeResults(const Fields& fields, const tiler::TiledGeometry& geometry,
                       const Request& request) {
  const NodeLookup lookup(geometry);
  Results results;
  describeRun(results, fields, geometry, request);
  results.planes = planeSummaries(request.planes, lookup, fields, results.warnings);
  results.lines = lineProfiles(request.lines, lookup, fields, results.warnings);
  addOpenings(results, lookup, fields);
  addCentrelines(results, lookup, fields, request);
  results.monitor = monitorOf(fields);
  if (const auto mach = fields::overPeriod(results, "mach_max"))
    results.machMax = std::max(results.machMax, mach->largest);
  results.cycleFlow = cycleFlow(results);
  warnAboutFlow(results);
  warnAboutDensity(results, fields);
  warnAboutResolution(geometry, fields, results);
  addWall(results, lookup, fields, request);
  addSums(results, fields::nodeSums(fields), lookup, fields);
  addMedium(results, lookup, fields);
  warnAboutDarcy(results);
  if (!request.relativePressures) {
    addStationsOfRatio(results, lookup, fields);
    addPressureRatios(results);
  }
  addExpectedErrors(fields, geometry, results);
  return results;
}

}  // namespace tessera::postprocess::quantity
