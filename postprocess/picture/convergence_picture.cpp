// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/convergence_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/colour_map.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/picture/monitor_columns.hpp"

namespace tessera::postprocess::picture {

using results::Results;
using tessera::picture::Chart;
using tessera::picture::curveColour;
using tessera::picture::pageWidth;

namespace {

using Column = std::vector<double>;

struct Watched {
  std::vector<MonitorSeries> series;
  std::string unit;  // SI
  std::string title;
  std::string quantity;
};

// The flow rates; without openings the kinetic energy.
Watched watchedOf(const Results& results) {
  const auto flowRates = openingSeries(results, "flow_rate_");
  if (!flowRates.empty()) return {flowRates, "m3/s", "Flow rate out of the fluid", "flow rate"};
  return {oneSeries(results, "kinetic_energy", "kinetic energy"), "J", "Kinetic energy", "energy"};
}

double largestOf(const Watched& watched, std::size_t row) {
  double largest = 0.0;
  for (const MonitorSeries& s : watched.series) largest = std::max(largest, std::abs(s.value[row]));
  return largest;
}

double largestOf(const Watched& watched) {
  double largest = 0.0;
  for (std::size_t r = 0; r < watched.series.front().value.size(); ++r)
    largest = std::max(largest, largestOf(watched, r));
  return largest;
}

Column massResidual(const Watched& watched, std::size_t rows) {
  Column residual(rows, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (const MonitorSeries& s : watched.series) sum += s.value[r];
    const double largest = largestOf(watched, r);
    residual[r] = largest > 0.0 ? std::abs(sum) / largest : 0.0;
  }
  return residual;
}

Column changeSinceRowBefore(const Watched& watched, std::size_t rows) {
  Column change(rows, 0.0);
  for (std::size_t r = 1; r < rows; ++r) {
    double most = 0.0;
    for (const MonitorSeries& s : watched.series)
      most = std::max(most, std::abs(s.value[r] - s.value[r - 1]));
    const double largest = largestOf(watched, r);
    change[r] = largest > 0.0 ? most / largest : 0.0;
  }
  return change;
}

// Against the same moment of the period before, linear between its rows; in parts of the largest
// value of the run. Not a number in the first period.
Column changeSincePeriodBefore(const Watched& watched, const Column& time, double period) {
  Column change(time.size(), std::numeric_limits<double>::quiet_NaN());
  const double largest = largestOf(watched);
  for (std::size_t r = 0; r < time.size(); ++r) {
    const auto after = std::upper_bound(time.begin(), time.end(), time[r] - period);
    if (after == time.begin() || after == time.end() || !(largest > 0.0)) continue;
    const auto k = static_cast<std::size_t>(after - time.begin());
    const double part = (time[r] - period - time[k - 1]) / (time[k] - time[k - 1]);
    double most = 0.0;
    for (const MonitorSeries& s : watched.series) {
      const double before = (1.0 - part) * s.value[k - 1] + part * s.value[k];
      most = std::max(most, std::abs(s.value[r] - before));
    }
    change[r] = most / largest;
  }
  return change;
}

Chart watchedChart(const Watched& watched, const Column& steps) {
  const tessera::picture::DisplayUnit unit =
      tessera::picture::displayUnit(watched.unit, largestOf(watched));
  Chart chart;
  chart.title = watched.title;
  chart.xCaption = "time step";
  chart.yCaption = watched.quantity + " [" + unit.name + "]";
  for (std::size_t c = 0; c < watched.series.size(); ++c) {
    tessera::picture::Curve curve{watched.series[c].name, steps, watched.series[c].value,
                                  curveColour(c)};
    for (double& y : curve.y) y *= unit.factor;
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

Chart residualChart(const Results& results, const Watched& watched, const Column& steps) {
  Chart chart;
  chart.title = "Residuals";
  chart.xCaption = "time step";
  chart.yCaption = "relative";
  chart.logarithmic = true;
  const auto time = oneSeries(results, "time", "time");
  if (results.period && !time.empty())
    chart.curves.push_back({"change since the period before", steps,
                            changeSincePeriodBefore(watched, time.front().value, *results.period),
                            curveColour(0)});
  else
    chart.curves.push_back({"change since the row before", steps,
                            changeSinceRowBefore(watched, steps.size()), curveColour(0)});
  if (watched.series.size() > 1)
    chart.curves.push_back(
        {"mass residual", steps, massResidual(watched, steps.size()), curveColour(1)});
  return chart;
}

std::string subtitleOf(const Results& results) {
  const std::string steps = tessera::picture::formatCount(results.step) + " steps";
  if (results.converged) return "converged after " + steps;
  return results.convergenceAsked ? "stopped, not converged, after " + steps
                                  : "stopped after " + steps + "; the case has no rule to meet";
}

}  // namespace

std::optional<tessera::picture::Drawing> drawConvergence(const Results& results) {
  const results::Monitor& monitor = results.monitor;
  if (monitor.rows.size() < 2 || monitor.columns.empty()) return std::nullopt;
  const Watched watched = watchedOf(results);
  if (watched.series.empty()) return std::nullopt;
  const Column steps = columnOf(monitor, 0);
  tessera::picture::Drawing drawing{pageWidth, tessera::picture::pageHeight, {}};
  drawing.rectangle({0.0, 0.0}, pageWidth, tessera::picture::pageHeight, tessera::picture::white);
  tessera::picture::drawTitle("Convergence \u00b7 " + results.title, subtitleOf(results), drawing);
  tessera::picture::drawChart(watchedChart(watched, steps), {24.0, 92.0}, pageWidth - 48.0, 300.0,
                              drawing);
  tessera::picture::drawChart(residualChart(results, watched, steps), {24.0, 402.0},
                              pageWidth - 48.0, 300.0, drawing);
  return drawing;
}

}  // namespace tessera::postprocess::picture
