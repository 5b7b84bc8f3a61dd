// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/monitor_picture.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/colour_map.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/picture/monitor_columns.hpp"

namespace tessera::postprocess::picture {

using tessera::picture::pageWidth;

namespace {

// Seconds where the monitor has them, else steps.
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
  if (pressure.empty() && small.empty()) return std::nullopt;
  tessera::picture::Drawing drawing{pageWidth, tessera::picture::pageHeight, {}};
  drawing.rectangle({0.0, 0.0}, pageWidth, tessera::picture::pageHeight, tessera::picture::white);
  tessera::picture::drawTitle("Monitors \u00b7 " + results.title,
                              tessera::picture::formatCount(results.monitor.rows.size()) +
                                  " rows recorded while the run went on",
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

}  // namespace tessera::postprocess::picture
