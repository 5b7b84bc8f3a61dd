// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::picture {

namespace {

struct MonitorSeries {
  std::string name;           // opening or quantity
  std::vector<double> value;  // SI, one per row
};

std::string openingName(const results::Results& results, int id) {
  for (const results::OpeningSummary& opening : results.openings)
    if (opening.id == id && !opening.name.empty()) return opening.name;
  return fmt::format("opening {}", id);
}

// Column c of every row.
std::vector<double> columnOf(const results::Monitor& monitor, std::size_t c) {
  std::vector<double> column;
  column.reserve(monitor.rows.size());
  for (const auto& row : monitor.rows) column.push_back(row[c]);
  return column;
}

// "flow_rate_", "pressure_": one series per opening, under its name.
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

// First column that begins with `beginning`, under `name`; empty if none.
std::vector<MonitorSeries> oneSeries(const results::Results& results, const std::string& beginning,
                                     const std::string& name) {
  const results::Monitor& monitor = results.monitor;
  for (std::size_t c = 0; c < monitor.columns.size(); ++c)
    if (monitor.columns[c].starts_with(beginning)) return {{name, columnOf(monitor, c)}};
  return {};
}

using results::Results;
using tessera::picture::Chart;
using tessera::picture::curveColour;
using tessera::picture::pageWidth;

using Column = std::vector<double>;

struct Watched {
  std::vector<MonitorSeries> series;
  std::string unit;  // SI
  std::string title;
  std::string quantity;
};

// Flow rates; without openings the kinetic energy.
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

// Change since the same moment of the period before (linear between rows), relative to the largest
// value of the run. NaN in the first period.
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
                                  : "stopped after " + steps + "; the case has no convergence rule";
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

using tessera::picture::pageWidth;

namespace {

// Seconds if the monitor has them, otherwise steps.
struct Abscissa {
  std::vector<double> value;
  std::string caption;
};

Abscissa abscissaOf(const results::Results& results) {
  const auto time = oneSeries(results, "time", "time");
  if (time.empty()) return {columnOf(results.monitor, 0), "time step"};
  Abscissa abscissa{time.front().value, ""};
  const tessera::picture::DisplayUnit unit =
      tessera::picture::displayUnit("s", abscissa.value.back());
  for (double& t : abscissa.value) t *= unit.factor;
  abscissa.caption = "time [" + unit.name + ']';
  return abscissa;
}

// siUnit empty: a plain number.
tessera::picture::Chart chartOf(const std::string& title, const std::string& quantity,
                                const std::string& siUnit, const Abscissa& abscissa,
                                const std::vector<MonitorSeries>& series) {
  double largest = 0.0;
  for (const MonitorSeries& s : series)
    for (double value : s.value)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const tessera::picture::DisplayUnit unit = siUnit.empty()
                                                 ? tessera::picture::DisplayUnit{}
                                                 : tessera::picture::displayUnit(siUnit, largest);
  tessera::picture::Chart chart;
  chart.title = title;
  chart.xCaption = abscissa.caption;
  chart.yCaption = unit.name.empty() ? quantity : quantity + " [" + unit.name + ']';
  for (std::size_t c = 0; c < series.size(); ++c) {
    tessera::picture::Curve curve{series.size() > 1 ? series[c].name : "", abscissa.value,
                                  series[c].value, tessera::picture::curveColour(c)};
    for (double& y : curve.y) y *= unit.factor;
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

// Drag and lift at each row; empty without coefficients.
std::vector<MonitorSeries> coefficientSeries(const results::Results& results) {
  MonitorSeries drag{"drag", {}}, lift{"lift", {}};
  for (const results::CoefficientMoment& at : results.coefficientSeries) {
    drag.value.push_back(at.drag);
    if (at.lift) lift.value.push_back(*at.lift);
  }
  if (drag.value.empty()) return {};
  if (lift.value.empty()) return {drag};
  return {drag, lift};
}

}  // namespace

std::optional<tessera::picture::Drawing> drawMonitors(const results::Results& results) {
  if (results.monitor.rows.size() < 2) return std::nullopt;
  const Abscissa abscissa = abscissaOf(results);
  std::vector<tessera::picture::Chart> small;
  const auto pressure = openingSeries(results, "pressure_");
  const auto energy = oneSeries(results, "kinetic_energy", "kinetic energy");
  const auto mach = oneSeries(results, "mach_max", "Mach");
  if (!energy.empty()) small.push_back(chartOf("Kinetic energy", "energy", "J", abscissa, energy));
  if (!mach.empty())
    small.push_back(chartOf("Largest Mach number", "Mach number", "", abscissa, mach));
  const auto coefficients = coefficientSeries(results);
  if (!coefficients.empty())
    small.push_back(chartOf("Force coefficients", "coefficient", "", abscissa, coefficients));
  if (pressure.empty() && small.empty()) return std::nullopt;
  tessera::picture::Drawing drawing{pageWidth, tessera::picture::pageHeight, {}};
  drawing.rectangle({0.0, 0.0}, pageWidth, tessera::picture::pageHeight, tessera::picture::white);
  tessera::picture::drawTitle(
      "Monitors \u00b7 " + results.title,
      tessera::picture::formatCount(results.monitor.rows.size()) + " rows recorded during the run",
      drawing);
  double top = 92.0;
  if (!pressure.empty()) {
    tessera::picture::drawChart(
        chartOf("Mean pressure of the openings, gauge", "pressure", "Pa", abscissa, pressure),
        {24.0, top}, pageWidth - 48.0, 300.0, drawing);
    top += 310.0;
  }
  const double width =
      (pageWidth - 48.0) / static_cast<double>(std::max<std::size_t>(small.size(), 1));
  for (std::size_t i = 0; i < small.size(); ++i)
    tessera::picture::drawChart(small[i], {24.0 + width * static_cast<double>(i), top}, width,
                                300.0, drawing);
  if (pressure.empty()) drawing.height = 420.0;
  return drawing;
}

namespace {

// Columns "KIND_NAME_QUANTITY", one series per name, at most `mostCurves`.
constexpr std::size_t mostCurves = 8;
std::vector<MonitorSeries> placeSeries(const results::Results& results, const std::string& kind,
                                       const std::string& quantity) {
  const results::Monitor& monitor = results.monitor;
  std::vector<MonitorSeries> series;
  for (std::size_t c = 0; c < monitor.columns.size() && series.size() < mostCurves; ++c) {
    const std::string& column = monitor.columns[c];
    if (!column.starts_with(kind) || !column.ends_with(quantity)) continue;
    series.push_back({column.substr(kind.size(), column.size() - kind.size() - quantity.size()),
                      columnOf(monitor, c)});
  }
  return series;
}

// Magnitudes of the velocities at the probes.
std::vector<MonitorSeries> probeSpeeds(const results::Results& results) {
  std::vector<MonitorSeries> speed = placeSeries(results, "probe_", "_velocity_x[m/s]");
  const auto y = placeSeries(results, "probe_", "_velocity_y[m/s]");
  const auto z = placeSeries(results, "probe_", "_velocity_z[m/s]");
  for (std::size_t k = 0; k < speed.size(); ++k)
    for (std::size_t r = 0; k < y.size() && k < z.size() && r < speed[k].value.size(); ++r)
      speed[k].value[r] = std::hypot(speed[k].value[r], y[k].value[r], z[k].value[r]);
  return speed;
}

// A page with its titles and room for so many rows of charts.
tessera::picture::Drawing pageOfRows(std::size_t rows, const std::string& title,
                                     const std::string& subtitle) {
  tessera::picture::Drawing drawing{pageWidth, 92.0 + 310.0 * static_cast<double>(rows) + 8.0, {}};
  drawing.rectangle({0.0, 0.0}, pageWidth, drawing.height, tessera::picture::white);
  tessera::picture::drawTitle(title, subtitle, drawing);
  return drawing;
}

// Charts of the whole width below each other.
tessera::picture::Drawing stacked(const std::string& title, const std::string& subtitle,
                                  const std::vector<tessera::picture::Chart>& charts) {
  tessera::picture::Drawing drawing = pageOfRows(charts.size(), title, subtitle);
  for (std::size_t i = 0; i < charts.size(); ++i)
    tessera::picture::drawChart(charts[i], {24.0, 92.0 + 310.0 * static_cast<double>(i)},
                                pageWidth - 48.0, 300.0, drawing);
  return drawing;
}

}  // namespace

std::optional<tessera::picture::Drawing> drawPlaces(const results::Results& results) {
  if (results.monitor.rows.size() < 2) return std::nullopt;
  const Abscissa abscissa = abscissaOf(results);
  std::vector<tessera::picture::Chart> charts;
  // A single place has no legend: its name is in the title.
  const auto add = [&](const std::string& title, const std::string& kind,
                       const std::string& quantity, const std::string& unit,
                       const std::vector<MonitorSeries>& series) {
    if (series.empty()) return;
    charts.push_back(
        chartOf(series.size() > 1 ? title + kind + 's' : title + kind + ' ' + series.front().name,
                quantity, unit, abscissa, series));
  };
  add("Flow rate through the ", "station", "flow rate", "m3/s",
      placeSeries(results, "station_", "_flow_rate[m3/s]"));
  add("Mean pressure, gauge, of the ", "station", "pressure", "Pa",
      placeSeries(results, "station_", "_pressure[Pa]"));
  add("Pressure, gauge, at the ", "probe", "pressure", "Pa",
      placeSeries(results, "probe_", "_pressure[Pa]"));
  add("Velocity at the ", "probe", "velocity", "m/s", probeSpeeds(results));
  if (charts.empty()) return std::nullopt;
  return stacked(
      "Probes and stations \u00b7 " + results.title,
      tessera::picture::formatCount(results.monitor.rows.size()) + " rows recorded during the run",
      charts);
}

namespace {

// One curve per opening of a list of SeriesMoment.
std::vector<MonitorSeries> openingsOverTime(const results::Results& results,
                                            std::vector<double> results::SeriesMoment::*list) {
  std::vector<MonitorSeries> curves;
  for (const results::OpeningSummary& opening : results.openings)
    curves.push_back({openingName(results, opening.id), {}});
  for (const results::SeriesMoment& moment : results.series)
    for (std::size_t k = 0; k < curves.size() && k < (moment.*list).size(); ++k)
      curves[k].value.push_back((moment.*list)[k]);
  return curves;
}

std::vector<tessera::picture::Chart> chartsOverTime(const results::Results& results) {
  Abscissa abscissa;
  MonitorSeries mean{"mean", {}}, high{"99 % of the area below", {}}, fastest{"", {}};
  bool wall = true;
  for (const results::SeriesMoment& moment : results.series) {
    abscissa.value.push_back(moment.time);
    fastest.value.push_back(moment.velocityMax);
    wall = wall && moment.shear;
    mean.value.push_back(moment.shear ? moment.shear->mean : 0.0);
    high.value.push_back(moment.shear ? moment.shear->p99 : 0.0);
  }
  const auto unit = tessera::picture::displayUnit("s", abscissa.value.back());
  for (double& t : abscissa.value) t *= unit.factor;
  abscissa.caption = "time [" + unit.name + ']';
  std::vector<tessera::picture::Chart> charts;
  if (!results.openings.empty()) {
    charts.push_back(chartOf("Flow rate out of the fluid", "flow rate", "m3/s", abscissa,
                             openingsOverTime(results, &results::SeriesMoment::flowRate)));
    charts.push_back(chartOf("Mean pressure of the openings, gauge", "pressure", "Pa", abscissa,
                             openingsOverTime(results, &results::SeriesMoment::pressure)));
  }
  if (wall)
    charts.push_back(
        chartOf("Wall shear stress", "wall shear stress", "Pa", abscissa, {mean, high}));
  charts.push_back(chartOf("Largest velocity", "velocity", "m/s", abscissa, {fastest}));
  return charts;
}

}  // namespace

std::optional<tessera::picture::Drawing> drawSeries(const results::Results& results) {
  if (results.series.size() < 2) return std::nullopt;
  const std::vector<tessera::picture::Chart> charts = chartsOverTime(results);
  // Those of the openings, with their names, above each other; the last two side by side.
  const std::size_t wide = charts.size() > 2 ? 2 : 0;
  tessera::picture::Drawing drawing =
      pageOfRows(wide + 1, "Over time \u00b7 " + results.title,
                 tessera::picture::formatCount(results.series.size()) + " moments");
  const double whole = pageWidth - 48.0;
  const double part = whole / static_cast<double>(charts.size() - wide);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const tessera::picture::Point corner{
        24.0 + (i < wide ? 0.0 : part * static_cast<double>(i - wide)),
        92.0 + 310.0 * static_cast<double>(std::min(i, wide))};
    tessera::picture::drawChart(charts[i], corner, i < wide ? whole : part, 300.0, drawing);
  }
  return drawing;
}

}  // namespace tessera::postprocess::picture
