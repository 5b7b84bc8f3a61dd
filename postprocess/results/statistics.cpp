// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/results/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::postprocess::results {

ShearStatistics areaStatistics(const std::vector<double>& values, const std::vector<double>& area) {
  ShearStatistics statistics;
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < values.size(); ++t)
    if (!std::isnan(values[t])) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  double weighted = 0.0;
  for (const std::size_t t : order) {
    statistics.area += area[t];
    weighted += area[t] * values[t];
  }
  if (!(statistics.area > 0.0)) return statistics;
  statistics.mean = weighted / statistics.area;
  statistics.max = values[order.back()];
  const auto percentile = [&](double part) {
    double below = 0.0;
    for (const std::size_t t : order) {
      below += area[t];
      if (below >= part * statistics.area) return values[t];
    }
    return statistics.max;
  };
  statistics.p01 = percentile(0.01);
  statistics.p05 = percentile(0.05);
  statistics.p25 = percentile(0.25);
  statistics.p50 = percentile(0.50);
  statistics.p75 = percentile(0.75);
  statistics.p95 = percentile(0.95);
  statistics.p99 = percentile(0.99);
  return statistics;
}

}  // namespace tessera::postprocess::results
