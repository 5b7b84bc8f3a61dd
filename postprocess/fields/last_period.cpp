// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/last_period.hpp"
#include "pipelines/stage/text.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::postprocess::fields {

using results::OpeningSummary;
using results::Results;

namespace {

std::optional<std::size_t> columnThatBegins(const results::Monitor& monitor,
                                            const std::string& name) {
  for (std::size_t c = 0; c < monitor.columns.size(); ++c)
    if (monitor.columns[c].starts_with(name)) return c;
  return std::nullopt;
}

// Linear interpolation between two rows.
double between(const std::vector<double>& earlier, const std::vector<double>& later,
               std::size_t time, std::size_t value, double moment) {
  const double part = (moment - earlier[time]) / (later[time] - earlier[time]);
  return earlier[value] + part * (later[value] - earlier[value]);
}

}  // namespace

PeriodCourse lastPeriod(const Results& results, const std::string& column) {
  const auto value = columnThatBegins(results.monitor, column);
  const auto time = columnThatBegins(results.monitor, "time");
  const auto& rows = results.monitor.rows;
  if (!results.period || !value || !time || rows.empty()) return {};
  const double begin = rows.back()[*time] - *results.period;
  // A row at the start up to rounding is the start.
  const double rounding = 1e-9 * *results.period;
  const auto inside = std::find_if(rows.begin(), rows.end(),
                                   [&](const auto& row) { return row[*time] > begin + rounding; });
  constexpr std::ptrdiff_t fewest = 4;
  if (inside == rows.begin() || rows.end() - inside < fewest) return {};
  const double first = between(*(inside - 1), *inside, *time, *value, begin);
  PeriodCourse course{{begin}, {first}};
  for (auto row = inside; row != rows.end(); ++row) {
    course.time.push_back((*row)[*time]);
    course.value.push_back((*row)[*value]);
  }
  return course;
}

results::OverPeriod overPeriod(const PeriodCourse& course) {
  double integral = 0.0;
  for (std::size_t i = 1; i < course.time.size(); ++i)
    integral +=
        0.5 * (course.value[i - 1] + course.value[i]) * (course.time[i] - course.time[i - 1]);
  const auto [least, largest] = std::minmax_element(course.value.begin(), course.value.end());
  return {integral / (course.time.back() - course.time.front()), *least, *largest};
}

std::optional<results::OverPeriod> overPeriod(const Results& results, const std::string& column) {
  const PeriodCourse course = lastPeriod(results, column);
  if (course.time.empty()) return std::nullopt;
  return overPeriod(course);
}

std::vector<OpeningSummary> openingsOverPeriod(const Results& results) {
  std::vector<OpeningSummary> openings = results.openings;
  for (OpeningSummary& opening : openings)
    if (const auto flow = overPeriod(results, fmt::format("flow_rate_{}[", opening.id)))
      opening.flowRate = flow->mean;
  return openings;
}

std::optional<double> massResidualOverPeriod(const Results& results) {
  double sum = 0.0, largest = 0.0;
  for (const OpeningSummary& opening : results.openings) {
    const auto flow = overPeriod(results, fmt::format("flow_rate_{}[", opening.id));
    if (!flow) return std::nullopt;
    sum += flow->mean;
    largest = std::max(largest, std::abs(flow->mean));
  }
  if (!(largest > 0.0)) return std::nullopt;
  return std::abs(sum) / largest;
}

}  // namespace tessera::postprocess::fields
