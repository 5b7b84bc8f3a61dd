// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/force_series.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::CoefficientCourse;
using results::CoefficientMoment;
using results::CourseOfCoefficient;

namespace {

std::optional<std::size_t> columnNamed(const results::Monitor& monitor, const std::string& name) {
  const auto found = std::find(monitor.columns.begin(), monitor.columns.end(), name);
  if (found == monitor.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - monitor.columns.begin());
}

// Columns of the force on a wall; empty if the monitor lacks one.
std::vector<std::size_t> forceColumns(const results::Monitor& monitor, std::size_t label) {
  std::vector<std::size_t> columns;
  for (const char axis : {'x', 'y', 'z'})
    if (const auto column = columnNamed(monitor, fmt::format("force_{}_{}[N]", label, axis)))
      columns.push_back(*column);
  if (columns.size() < 3) columns.clear();
  return columns;
}

// A signal in time between two moments.
struct Signal {
  std::vector<double> time, value;
};

Signal signalOf(const std::vector<CoefficientMoment>& series, bool lift) {
  Signal signal;
  for (const CoefficientMoment& at : series) {
    signal.time.push_back(at.time);
    signal.value.push_back(lift ? *at.lift : at.drag);
  }
  return signal;
}

double valueAt(const Signal& signal, double time) {
  const auto next = std::lower_bound(signal.time.begin(), signal.time.end(), time);
  if (next == signal.time.begin()) return signal.value.front();
  if (next == signal.time.end()) return signal.value.back();
  const auto k = static_cast<std::size_t>(next - signal.time.begin());
  const double part = (time - signal.time[k - 1]) / (signal.time[k] - signal.time[k - 1]);
  return signal.value[k - 1] + part * (signal.value[k] - signal.value[k - 1]);
}

// Peak of the parabola through three rows at equal distances.
double peakNear(const Signal& signal, std::size_t k) {
  if (k == 0 || k + 1 >= signal.value.size()) return signal.value[k];
  const double before = signal.value[k - 1], at = signal.value[k], after = signal.value[k + 1];
  const double curvature = before - 2.0 * at + after;
  const double slope = 0.5 * (after - before);
  const bool isPeak = (at - before) * (after - at) <= 0.0 && curvature != 0.0;
  return isPeak ? at - 0.5 * slope * slope / curvature : at;
}

CourseOfCoefficient courseOver(const Signal& signal, double from, double to) {
  CourseOfCoefficient course;
  double integral = 0.0, time = from, value = valueAt(signal, from);
  course.least = course.largest = value;
  const auto add = [&](double nextTime, double nextValue) {
    integral += 0.5 * (value + nextValue) * (nextTime - time);
    time = nextTime;
    value = nextValue;
  };
  for (std::size_t k = 0; k < signal.time.size(); ++k) {
    if (signal.time[k] <= from || signal.time[k] >= to) continue;
    add(signal.time[k], signal.value[k]);
    course.least = std::min(course.least, peakNear(signal, k));
    course.largest = std::max(course.largest, peakNear(signal, k));
  }
  const double last = valueAt(signal, to);
  add(to, last);
  course.least = std::min(course.least, last);
  course.largest = std::max(course.largest, last);
  course.mean = integral / (to - from);
  course.amplitude = 0.5 * (course.largest - course.least);
  return course;
}

// Upward passages through the middle of the last half; each after the signal was well below it.
std::vector<double> passages(const Signal& signal) {
  const auto half = signal.value.begin() + static_cast<std::ptrdiff_t>(signal.value.size() / 2);
  const auto [low, high] = std::minmax_element(half, signal.value.end());
  const double middle = 0.5 * (*low + *high), depth = 0.125 * (*high - *low);
  std::vector<double> found;
  bool wasBelow = false;
  for (std::size_t k = 1; k < signal.value.size(); ++k) {
    const double before = signal.value[k - 1] - middle, after = signal.value[k] - middle;
    wasBelow = wasBelow || before < -depth;
    if (!wasBelow || before >= 0.0 || after < 0.0) continue;
    found.push_back(signal.time[k - 1] +
                    (signal.time[k] - signal.time[k - 1]) * before / (before - after));
    wasBelow = false;
  }
  return found;
}

// The passages between the last periods that agree; fewer than two: none do.
std::vector<double> steadyPassages(const Signal& signal) {
  std::vector<double> all = passages(signal);
  if (all.size() < 3) return {};
  const auto heightOf = [&](std::size_t k) {
    return courseOver(signal, all[k], all[k + 1]).amplitude;
  };
  const auto agree = [](double a, double b) { return std::abs(a - b) <= 0.05 * std::abs(b); };
  const std::size_t last = all.size() - 2;
  const double length = all[last + 1] - all[last], height = heightOf(last);
  std::size_t first = last;
  while (first > 0 && agree(all[first] - all[first - 1], length) &&
         agree(heightOf(first - 1), height))
    --first;
  if (first == last) return {};
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()};
}

// Whether a signal oscillates by more than rounding and slow drift.
bool oscillates(const Signal& signal, const std::vector<double>& at, double scale) {
  return at.size() >= 2 && courseOver(signal, at.front(), at.back()).amplitude > 1e-4 * scale;
}

}  // namespace

std::vector<CoefficientMoment> coefficientSeries(const results::Monitor& monitor,
                                                 const std::vector<results::WallForce>& forces,
                                                 double density, const ForceReference& reference) {
  std::vector<std::vector<std::size_t>> columns;
  for (const std::size_t label : bodyLabels(forces, reference)) {
    columns.push_back(forceColumns(monitor, label));
    if (columns.back().empty()) return {};
  }
  const auto time = columnNamed(monitor, "time[s]");
  if (!time) return {};
  const double one = unitForce(density, reference);
  const auto across = liftDirection(reference);
  std::vector<CoefficientMoment> series;
  for (const std::vector<double>& row : monitor.rows) {
    Double3 force{};
    for (const auto& of : columns) force = force + Double3{row[of[0]], row[of[1]], row[of[2]]};
    CoefficientMoment at{row[*time], dot(force, reference.flow) / one, std::nullopt};
    if (across) at.lift = dot(force, *across) / one;
    series.push_back(at);
  }
  return series;
}

std::optional<CoefficientCourse> coefficientCourse(const std::vector<CoefficientMoment>& series,
                                                   const ForceReference& reference) {
  if (series.size() < 2) return std::nullopt;
  const Signal drag = signalOf(series, false);
  const bool hasLift = series.front().lift.has_value();
  const Signal lift = hasLift ? signalOf(series, true) : Signal{};
  const double scale = std::abs(drag.value.back());
  CoefficientCourse course;
  std::vector<double> at = hasLift ? steadyPassages(lift) : std::vector<double>{};
  if (!hasLift || !oscillates(lift, at, scale)) {
    at = steadyPassages(drag);
    if (!oscillates(drag, at, scale)) at.clear();
  }
  course.to = at.empty() ? series.back().time : at.back();
  course.from = at.empty() ? series[series.size() - 1 - (series.size() + 9) / 10].time : at.front();
  course.periods = at.empty() ? 0 : at.size() - 1;
  if (!at.empty()) {
    course.period = (course.to - course.from) / static_cast<double>(course.periods);
    if (reference.length > 0.0)
      course.strouhal = reference.length / (reference.velocity * *course.period);
  }
  course.drag = courseOver(drag, course.from, course.to);
  if (hasLift) course.lift = courseOver(lift, course.from, course.to);
  return course;
}

}  // namespace tessera::postprocess::quantity
