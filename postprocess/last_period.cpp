// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/last_period.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

std::optional<std::size_t> columnThatBegins(const Monitor& monitor, const std::string& name) {
  for (std::size_t c = 0; c < monitor.columns.size(); ++c)
    if (monitor.columns[c].starts_with(name)) return c;
  return std::nullopt;
}

}  // namespace

std::vector<double> lastPeriod(const Results& results, const std::string& column) {
  const auto value = columnThatBegins(results.monitor, column);
  const auto time = columnThatBegins(results.monitor, "time");
  if (!results.period || !value || !time || results.monitor.rows.empty()) return {};
  const double begin = results.monitor.rows.back()[*time] - *results.period;
  std::vector<double> values;
  for (const auto& row : results.monitor.rows)
    if (row[*time] > begin * (1.0 + 1e-12)) values.push_back(row[*value]);
  constexpr std::size_t fewest = 4;
  return values.size() < fewest ? std::vector<double>{} : values;
}

std::optional<OverPeriod> overPeriod(const Results& results, const std::string& column) {
  const auto values = lastPeriod(results, column);
  if (values.empty()) return std::nullopt;
  double sum = 0.0;
  for (const double value : values) sum += value;
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return OverPeriod{sum / static_cast<double>(values.size()), *least, *largest};
}

std::vector<OpeningSummary> openingsOverPeriod(const Results& results) {
  std::vector<OpeningSummary> openings = results.openings;
  for (OpeningSummary& opening : openings)
    if (const auto flow = overPeriod(results, "flow_rate_" + std::to_string(opening.id) + "["))
      opening.flowRate = flow->mean;
  return openings;
}

std::optional<double> massResidualOverPeriod(const Results& results) {
  double sum = 0.0, largest = 0.0;
  for (const OpeningSummary& opening : results.openings) {
    const auto flow = overPeriod(results, "flow_rate_" + std::to_string(opening.id) + "[");
    if (!flow) return std::nullopt;
    sum += flow->mean;
    largest = std::max(largest, std::abs(flow->mean));
  }
  if (!(largest > 0.0)) return std::nullopt;
  return std::abs(sum) / largest;
}

}  // namespace tessera
