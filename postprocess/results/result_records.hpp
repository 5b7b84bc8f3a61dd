// SPDX-License-Identifier: GPL-3.0-or-later
// Records of the groups of results, and functions used by descriptors.def.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::results {

struct StationOfLine {
  const Centreline* line;
  const Station* station;
};
struct PointOfLine {
  const LineProfile* line;
  const LinePoint* point;
};

// A record owned by the results.
template <class T>
ResultRecord recordOf(const T& data, std::vector<std::string> key = {}) {
  return {std::move(key), std::shared_ptr<const void>(std::shared_ptr<const void>(), &data)};
}
// A record that owns its data.
template <class T>
ResultRecord ownRecord(T data, std::vector<std::string> key = {}) {
  return {std::move(key), std::make_shared<const T>(std::move(data))};
}
template <class T>
std::vector<ResultRecord> each(const std::vector<T>& list) {
  std::vector<ResultRecord> records;
  for (const T& entry : list) records.push_back(recordOf(entry));
  return records;
}
template <class T>
std::vector<ResultRecord> each(const std::optional<T>& entry) {
  if (!entry) return {};
  return {recordOf(*entry)};
}
std::vector<ResultRecord> theRun(const Results& run);
// The run if it has a wall.
std::vector<ResultRecord> theWall(const Results& run);
// The run if it is of a medium with flow.
std::vector<ResultRecord> theMedium(const Results& run);
std::vector<ResultRecord> stationsOf(const std::vector<Centreline>& lines);
std::vector<ResultRecord> pointsOf(const std::vector<LineProfile>& lines);
std::vector<ResultRecord> openingsOf(const std::optional<CycleFlow>& cycle);
std::vector<ResultRecord> statisticsOfWall(const Results& run);
std::vector<ResultRecord> labelsOf(const Results& run);
std::vector<ResultRecord> forcesByName(const std::vector<WallForce>& forces);
std::vector<ResultRecord> runsOf(const std::optional<Forchheimer>& forchheimer);

template <class T>
std::optional<T> onlyIf(bool condition, const T& value) {
  return condition ? std::optional<T>(value) : std::nullopt;
}
template <class T>
std::optional<T> onlyIf(bool condition, const std::optional<T>& value) {
  return condition ? value : std::nullopt;
}

template <class T>
ResultValue asValue(const T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<std::int64_t>(value);
  else
    return value;
}
template <class T>
ResultValue asValue(const std::optional<T>& value) {
  return value ? asValue(*value) : ResultValue();
}

template <class T>
std::vector<double> column(const std::vector<T>& list, double T::*member) {
  std::vector<double> values;
  for (const T& entry : list) values.push_back(entry.*member);
  return values;
}

inline double inMilliDarcy(double squareMetres) {
  return 1e3 * squareMetres / Permeability::squareMetresADarcy;
}
std::array<Double3, 3> inMilliDarcy(std::array<Double3, 3> squareMetres);

constexpr double pascalsAMmHg = 133.322387415;  // as the case file reads it
inline double inMmHg(double pascals) {
  return pascals / pascalsAMmHg;
}
// Velocity along the driving force over its mean in the pores: ends of the histogram; part of the
// nodes where it is negative. Require the histogram.
double lowestVelocity(const Results& run);
double highestVelocity(const Results& run);
double shareAgainst(const Results& run);

// Whether the monitor has a whole period with a pressure drop.
inline bool hasPeriod(const Results& run) {
  return run.cycleFlow && run.cycleFlow->pressureDrop;
}
std::optional<double> dropOverPeriod(const Results& run, double OverPeriod::*member);
// Lowest pressure ratio of the outlets; over a period of their means.
std::optional<double> lowestRatio(const Results& run);
std::optional<double> lowestRatioOverPeriod(const Results& run);
std::optional<double> shearOverCycle(const Results& run, double ShearStatistics::*member);
std::optional<double> shearAway(const Results& run);
inline std::optional<double> shearOf(const std::optional<ShearStatistics>& shear,
                                     double ShearStatistics::*member) {
  return shear ? std::optional((*shear).*member) : std::nullopt;
}
std::optional<double> ofCourse(const std::optional<CourseOfCoefficient>& course,
                               double CourseOfCoefficient::*member);
std::optional<double> computedResult(const Results& run, std::string_view name);
std::size_t pointsInside(const LineProfile& line);
double peakVelocity(const LineProfile& line);

// Expected errors of results: of the whole run, of an opening, of the wall's shear.
template <auto Member>
std::optional<ExpectedError> errorOf(const void* /*record*/, const Results& run) {
  return run.expected.*Member;
}
std::optional<ExpectedError> errorOfFlow(const void* opening, const Results& run);
// That of a force is relative to its magnitude, of which the lift may be a small part.
std::optional<ExpectedError> errorOfLift(const void* coefficients, const Results& run);
std::optional<ExpectedError> errorOfFlowOverPeriod(const void* opening, const Results& run);
bool isShear(const WallStatistics& of);
bool isShear(const LabelStatistics& of);
// Part of the force of one wall among several, by momentum exchange, that its stress lacks, over
// the sum of its shear. Friction has its share of it. On walls of opposite curvature these cancel
// in the whole wall's shear.
double forceWithoutStress(const WallStatistics& of, const Results& run);
double forceWithoutStress(const LabelStatistics& of, const Results& run);
template <class Record, auto Member>
std::optional<ExpectedError> errorOnWall(const void* record, const Results& run) {
  const auto& of = *static_cast<const Record*>(record);
  if (!isShear(of) || !(run.expected.*Member)) return std::nullopt;
  ExpectedError error = *(run.expected.*Member);
  error.total += forceWithoutStress(of, run);
  return error;
}

// Notes of the console after a value.
std::string permeabilityNote(const Results& run);
std::string blockedNote(const Results& run);
std::string forchheimerNote(const Results& run);

}  // namespace tessera::postprocess::results
