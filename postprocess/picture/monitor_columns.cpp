// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/monitor_columns.hpp"

#include <cstdlib>

namespace tessera::postprocess::picture {
namespace {

std::string openingName(const results::Results& results, int id) {
  for (const results::OpeningSummary& opening : results.openings)
    if (opening.id == id && !opening.name.empty()) return opening.name;
  return "opening " + std::to_string(id);
}

}  // namespace

std::vector<double> columnOf(const results::Monitor& monitor, std::size_t c) {
  std::vector<double> column;
  column.reserve(monitor.rows.size());
  for (const auto& row : monitor.rows) column.push_back(row[c]);
  return column;
}

std::vector<MonitorSeries> openingSeries(const results::Results& results,
                                         const std::string& prefix) {
  const results::Monitor& monitor = results.monitor;
  std::vector<MonitorSeries> series;
  for (std::size_t c = 0; c < monitor.columns.size(); ++c)
    if (monitor.columns[c].starts_with(prefix))
      series.push_back({openingName(results, std::atoi(monitor.columns[c].c_str() + prefix.size())),
                        columnOf(monitor, c)});
  return series;
}

std::vector<MonitorSeries> oneSeries(const results::Results& results, const std::string& beginning,
                                     const std::string& name) {
  const results::Monitor& monitor = results.monitor;
  for (std::size_t c = 0; c < monitor.columns.size(); ++c)
    if (monitor.columns[c].starts_with(beginning)) return {{name, columnOf(monitor, c)}};
  return {};
}

}  // namespace tessera::postprocess::picture
