// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/results/result_records.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pipelines/stage/text.hpp"
#include "pipelines/stage/vec3.hpp"
#include "postprocess/results/statistics.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::results {

std::vector<ResultRecord> theRun(const Results& run) {
  return {recordOf(run)};
}

std::vector<ResultRecord> theWall(const Results& run) {
  return run.wall.triangle.empty() ? std::vector<ResultRecord>() : theRun(run);
}

std::vector<ResultRecord> theMedium(const Results& run) {
  return run.velocityHistogram.empty() ? std::vector<ResultRecord>{} : theRun(run);
}

std::vector<ResultRecord> stationsOf(const std::vector<Centreline>& lines) {
  std::vector<ResultRecord> records;
  for (const Centreline& line : lines)
    for (const Station& station : line.stations)
      records.push_back(ownRecord(StationOfLine{&line, &station}));
  return records;
}

std::vector<ResultRecord> pointsOf(const std::vector<LineProfile>& lines) {
  std::vector<ResultRecord> records;
  for (const LineProfile& line : lines)
    for (const LinePoint& point : line.points)
      records.push_back(ownRecord(PointOfLine{&line, &point}));
  return records;
}

std::vector<ResultRecord> openingsOf(const std::optional<CycleFlow>& cycle) {
  return cycle ? each(cycle->openings) : std::vector<ResultRecord>();
}

std::vector<ResultRecord> statisticsOfWall(const Results& run) {
  std::vector<ResultRecord> records;
  for (const WallQuantity& quantity : wallQuantities()) {
    const std::vector<double>* values = quantity.values(run.wall, run.cycle);
    if (values == nullptr || !quantity.inSummary) continue;
    const bool isShear = values == &run.wall.triangleShear;
    records.push_back(ownRecord(
        WallStatistics{isShear ? run.shear : areaStatistics(*values, run.wall.triangleArea),
                       quantity.name},
        {keyOf(quantity.name, quantity.unit)}));
    const std::optional<ShearStatistics>* away = quantity.away(run);
    if (away != nullptr && *away)
      records.push_back(ownRecord(WallStatistics{**away, quantity.name},
                                  {keyOf(std::string(quantity.name) + "_away", quantity.unit)}));
  }
  return records;
}

std::vector<ResultRecord> labelsOf(const Results& run) {
  std::vector<ResultRecord> records;
  for (const LabelStatistics& label : run.labelStatistics)
    records.push_back(recordOf(label, {label.quantity, label.name}));
  return records;
}

std::vector<ResultRecord> forcesByName(const std::vector<WallForce>& forces) {
  std::vector<ResultRecord> records;
  for (const WallForce& force : forces) records.push_back(recordOf(force, {force.name}));
  return records;
}

std::vector<ResultRecord> runsOf(const std::optional<Forchheimer>& forchheimer) {
  return forchheimer ? each(forchheimer->runs) : std::vector<ResultRecord>();
}

std::array<Double3, 3> inMilliDarcy(std::array<Double3, 3> squareMetres) {
  for (Double3& row : squareMetres)
    for (double& value : row) value *= 1e3 / Permeability::squareMetresADarcy;
  return squareMetres;
}

std::optional<double> dropOverPeriod(const Results& run, double OverPeriod::*member) {
  return hasPeriod(run) ? std::optional((*run.cycleFlow->pressureDrop).*member) : std::nullopt;
}

namespace {

template <class Opening>
std::optional<double> lowestRatioOf(const std::vector<Opening>& openings) {
  std::optional<double> lowest;
  for (const Opening& opening : openings)
    if (opening.pressureRatio)
      lowest = std::min(lowest.value_or(*opening.pressureRatio), *opening.pressureRatio);
  return lowest;
}

}  // namespace

std::optional<double> lowestRatio(const Results& run) {
  return lowestRatioOf(run.openings);
}

std::optional<double> lowestRatioOverPeriod(const Results& run) {
  return run.cycleFlow ? lowestRatioOf(run.cycleFlow->openings) : std::nullopt;
}

std::optional<double> shearOverCycle(const Results& run, double ShearStatistics::*member) {
  if (!run.cycle) return std::nullopt;
  return areaStatistics(run.cycle->tawss, run.wall.triangleArea).*member;
}

std::optional<double> computedResult(const Results& run, std::string_view name) {
  const auto found = run.computed.find(name);
  return found != run.computed.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<double> shearAway(const Results& run) {
  return run.shearAway ? std::optional(run.shearAway->mean) : std::nullopt;
}

std::optional<double> ofCourse(const std::optional<CourseOfCoefficient>& course,
                               double CourseOfCoefficient::*member) {
  return course ? std::optional((*course).*member) : std::nullopt;
}

std::optional<ExpectedError> errorOfFlow(const void* opening, const Results& /*run*/) {
  return static_cast<const OpeningSummary*>(opening)->flowRateError;
}

std::optional<ExpectedError> errorOfLift(const void* coefficients, const Results& run) {
  const auto& of = *static_cast<const ForceCoefficients*>(coefficients);
  if (!run.expected.force || of.lift.value_or(0.0) == 0.0) return std::nullopt;
  const double share = std::hypot(of.drag, *of.lift) / std::abs(*of.lift);
  return ExpectedError{share * run.expected.force->total, share * run.expected.force->kept};
}

std::optional<ExpectedError> errorOfFlowOverPeriod(const void* opening, const Results& run) {
  for (const OpeningSummary& of : run.openings)
    if (of.id == static_cast<const CycleFlow::AtOpening*>(opening)->id) return of.flowRateError;
  return std::nullopt;
}

bool isShear(const WallStatistics& of) {
  return of.quantity == "wss" || of.quantity == "tawss";
}

bool isShear(const LabelStatistics& of) {
  return of.quantity.starts_with("wss[") || of.quantity.starts_with("tawss[");
}

double forceWithoutStress(const WallStatistics& /*of*/, const Results& /*run*/) {
  return 0.0;
}

double forceWithoutStress(const LabelStatistics& of, const Results& run) {
  const double shear = of.statistics.mean * of.statistics.area;
  if (run.forces.size() < 2 || !of.quantity.starts_with("wss[") || !(shear > 0.0)) return 0.0;
  for (const WallForce& force : run.forces) {
    const double parts = length(force.viscous) + length(force.pressure);
    if (force.label != of.label || !force.exchanged || !(parts > 0.0)) continue;
    const double missing = length(*force.exchanged - force.pressure - force.viscous);
    return missing * length(force.viscous) / parts / shear;
  }
  return 0.0;
}

std::size_t pointsInside(const LineProfile& line) {
  return static_cast<std::size_t>(
      std::count_if(line.points.begin(), line.points.end(), [](auto& p) { return p.inside; }));
}

double peakVelocity(const LineProfile& line) {
  double fastest = 0.0;
  for (const LinePoint& point : line.points) fastest = std::max(fastest, length(point.velocity));
  return fastest;
}

double lowestVelocity(const Results& run) {
  return run.velocityHistogram.front().velocity;
}

double highestVelocity(const Results& run) {
  return run.velocityHistogram.back().velocity;
}

double shareAgainst(const Results& run) {
  double share = 0.0;
  for (const VelocityBin& bin : run.velocityHistogram)
    if (bin.velocity < 0.0) share += bin.share;
  return share;
}

std::string permeabilityNote(const Results& run) {
  const Permeability& of = *run.permeability;
  return fmt::format("   {:.4g} mD, porosity {:.4f}, tortuosity {:.3f}", of.milliDarcy(),
                     of.porosity, of.tortuosity);
}

std::string blockedNote(const Results& run) {
  return fmt::format("    nothing passes, porosity {:.4f}", run.permeability->porosity);
}

std::string forchheimerNote(const Results& run) {
  const Forchheimer& of = *run.forchheimer;
  return fmt::format(", Forchheimer {:.4g} 1/m, times sqrt(k) {:.3f}", of.coefficient, of.inertia);
}

double largestReynolds(const Results& results) {
  double largest = 0.0;
  if (results.cycleFlow)
    for (const auto& opening : results.cycleFlow->openings)
      largest = std::max(largest, std::abs(opening.reynolds));
  else
    for (const auto& opening : results.openings)
      largest = std::max(largest, std::abs(opening.reynolds));
  return largest;
}

double largestVelocity(const Results& results) {
  if (!results.cycleFlow || !(results.time > 0.0)) return results.velocityMax;
  // Nodes per step from the period's largest Mach number u / c_s, c_s = 3^-1/2.
  const double timeStep = results.time / static_cast<double>(results.step);
  return results.machMax / std::sqrt(3.0) * results.spacing / timeStep;
}

double nodesAcross(const OpeningSummary& opening, const Results& results) {
  return (results.flat() ? opening.diameter : 2.0 * opening.radius) / results.spacing;
}

}  // namespace tessera::postprocess::results
