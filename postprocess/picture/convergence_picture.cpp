// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/convergence_picture.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/colour_map.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/picture/annotate.hpp"

namespace tessera {
namespace {

using Column = std::vector<double>;

Column columnOf(const Monitor& monitor, std::size_t c) {
  Column column;
  column.reserve(monitor.rows.size());
  for (const auto& row : monitor.rows) column.push_back(row[c]);
  return column;
}

struct Watched {
  std::vector<std::string> names;
  std::vector<Column> columns;
  std::string unit;  // SI
  std::string title;
  std::string quantity;
};

std::string openingName(const Results& results, int id) {
  for (const OpeningSummary& opening : results.openings)
    if (opening.id == id && !opening.name.empty()) return opening.name;
  return "opening " + std::to_string(id);
}

// The flow rates; without openings the kinetic energy.
Watched watchedOf(const Results& results) {
  const Monitor& monitor = results.monitor;
  const std::string flowRate = "flow_rate_";
  Watched watched{{}, {}, "m3/s", "Flow rate out of the fluid", "flow rate"};
  for (std::size_t c = 0; c < monitor.columns.size(); ++c)
    if (monitor.columns[c].starts_with(flowRate)) {
      const int id = std::atoi(monitor.columns[c].c_str() + flowRate.size());
      watched.names.push_back(openingName(results, id));
      watched.columns.push_back(columnOf(monitor, c));
    }
  for (std::size_t c = 0; c < monitor.columns.size() && watched.columns.empty(); ++c)
    if (monitor.columns[c].starts_with("kinetic_energy"))
      watched = {{"kinetic energy"}, {columnOf(monitor, c)}, "J", "Kinetic energy", "energy"};
  return watched;
}

double largestOf(const std::vector<Column>& columns, std::size_t row) {
  double largest = 0.0;
  for (const Column& column : columns) largest = std::max(largest, std::abs(column[row]));
  return largest;
}

Column massResidual(const std::vector<Column>& flowRates, std::size_t rows) {
  Column residual(rows, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (const Column& column : flowRates) sum += column[r];
    const double largest = largestOf(flowRates, r);
    residual[r] = largest > 0.0 ? std::abs(sum) / largest : 0.0;
  }
  return residual;
}

Column relativeChange(const std::vector<Column>& columns, std::size_t rows) {
  Column change(rows, 0.0);
  for (std::size_t r = 1; r < rows; ++r) {
    double most = 0.0;
    for (const Column& column : columns) most = std::max(most, std::abs(column[r] - column[r - 1]));
    const double largest = largestOf(columns, r);
    change[r] = largest > 0.0 ? most / largest : 0.0;
  }
  return change;
}

Chart watchedChart(const Watched& watched, const Column& steps) {
  double largest = 0.0;
  for (std::size_t r = 0; r < steps.size(); ++r)
    largest = std::max(largest, largestOf(watched.columns, r));
  const DisplayUnit unit = displayUnit(watched.unit, largest);
  Chart chart;
  chart.title = watched.title;
  chart.xCaption = "time step";
  chart.yCaption = watched.quantity + " [" + unit.name + "]";
  for (std::size_t c = 0; c < watched.columns.size(); ++c) {
    Curve curve{watched.names[c], steps, watched.columns[c], curveColour(c)};
    for (double& y : curve.y) y *= unit.factor;
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

Chart residualChart(const Watched& watched, const Column& steps) {
  Chart chart;
  chart.title = "Residuals";
  chart.xCaption = "time step";
  chart.yCaption = "relative";
  chart.logarithmic = true;
  chart.curves.push_back({"change since the row before", steps,
                          relativeChange(watched.columns, steps.size()), curveColour(0)});
  if (watched.columns.size() > 1)
    chart.curves.push_back(
        {"mass residual", steps, massResidual(watched.columns, steps.size()), curveColour(1)});
  return chart;
}

}  // namespace

std::optional<Drawing> drawConvergence(const Results& results) {
  const Monitor& monitor = results.monitor;
  if (monitor.rows.size() < 2 || monitor.columns.empty()) return std::nullopt;
  const Watched watched = watchedOf(results);
  if (watched.columns.empty()) return std::nullopt;
  const Column steps = columnOf(monitor, 0);
  Drawing drawing{pageWidth, pageHeight, {}};
  drawing.rectangle({0.0, 0.0}, pageWidth, pageHeight, white);
  drawTitle("Convergence \u00b7 " + results.title,
            (results.converged ? "converged after " : "stopped, not converged, after ") +
                formatCount(results.step) + " steps",
            drawing);
  drawChart(watchedChart(watched, steps), {24.0, 92.0}, pageWidth - 48.0, 300.0, drawing);
  drawChart(residualChart(watched, steps), {24.0, 402.0}, pageWidth - 48.0, 300.0, drawing);
  return drawing;
}

}  // namespace tessera
