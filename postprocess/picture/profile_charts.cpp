// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/profile_charts.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/ticks.hpp"

namespace tessera::postprocess::picture {

using results::Results;
using tessera::picture::Chart;
using tessera::picture::Drawing;
using tessera::picture::formatNumber;

namespace {

constexpr double chartLeft = 24.0, chartTop = 92.0, chartHeight = 300.0;
constexpr double chartWidth = tessera::picture::pageWidth - 2.0 * chartLeft;

// Page of one or two charts below each other.
Drawing pageOf(const std::string& title, const std::string& subtitle,
               const std::vector<Chart>& charts) {
  Drawing drawing{
      tessera::picture::pageWidth, chartTop + 310.0 * static_cast<double>(charts.size()) + 8.0, {}};
  drawing.rectangle({0.0, 0.0}, drawing.width, drawing.height, tessera::picture::white);
  tessera::picture::drawTitle(title, subtitle, drawing);
  double top = chartTop;
  for (const Chart& chart : charts) {
    tessera::picture::drawChart(chart, {chartLeft, top}, chartWidth, chartHeight, drawing);
    top += 310.0;
  }
  return drawing;
}

// Values in the unit that suits the largest, and that unit.
std::string convert(const char* unit, std::vector<double>& values) {
  double largest = 0.0;
  for (double value : values) largest = std::max(largest, std::abs(value));
  const tessera::picture::DisplayUnit shown = tessera::picture::displayUnit(unit, largest);
  for (double& value : values) value *= shown.factor;
  return " [" + shown.name + "]";
}

}  // namespace

std::optional<Drawing> drawVelocityHistogram(const Results& results) {
  if (results.velocityHistogram.empty()) return std::nullopt;
  std::vector<double> velocity, density;
  double against = 0.0;
  for (const results::VelocityBin& bin : results.velocityHistogram) {
    velocity.push_back(bin.velocity);
    density.push_back(bin.density);
    if (bin.velocity < 0.0) against += bin.share;
  }
  Chart chart;
  chart.title = "Velocity along the driving force";
  chart.xCaption = "velocity over its mean in the pores";
  chart.yCaption = "probability density";
  chart.logarithmic = true;
  chart.curves.push_back({"", velocity, density, tessera::picture::curveColour(0)});
  const double mean = results.permeability->superficial / results.permeability->porosity;
  const tessera::picture::DisplayUnit unit = tessera::picture::displayUnit("m/s", mean);
  return pageOf("Velocities in the pores \u00b7 " + results.title,
                "mean " + formatNumber(mean * unit.factor, 3) + ' ' + unit.name + ", fastest " +
                    formatNumber(velocity.back(), 3) + " times as much; " +
                    formatNumber(100.0 * against, 2) + " % of the nodes against the flow",
                {chart});
}

std::optional<Drawing> drawAlongSample(const Results& results) {
  if (results.layers.size() < 2) return std::nullopt;
  std::vector<double> distance, potential, porosity;
  for (const results::SampleLayer& layer : results.layers) {
    distance.push_back(layer.distance);
    potential.push_back(layer.potential);
    porosity.push_back(layer.porosity);
  }
  Chart pressure, pores;
  pressure.title = "Pressure that drives the flow, mean over each layer";
  pressure.yCaption = "pressure" + convert("Pa", potential);
  pores.title = "Porosity of each layer";
  pores.yCaption = "porosity";
  pressure.xCaption = pores.xCaption = "distance along the sample" + convert("m", distance);
  pressure.curves.push_back({"", distance, potential, tessera::picture::curveColour(0)});
  pores.curves.push_back({"", distance, porosity, tessera::picture::curveColour(1)});
  const results::Permeability& of = *results.permeability;
  return pageOf("Along the sample \u00b7 " + results.title,
                "in layers of nodes across the driving force of " +
                    formatNumber(of.pressureGradient, 3) + " Pa/m; porosity " +
                    formatNumber(of.porosity, 3),
                {pressure, pores});
}

std::optional<Drawing> drawPressureRatio(const Results& results) {
  Chart chart;
  chart.title = "Pressure over that of the inlets";
  chart.yCaption = "pressure ratio";
  double longest = 0.0;
  for (const results::Centreline& line : results.centrelines)
    for (const results::Station& station : line.stations)
      longest = std::max(longest, station.distance);
  const tessera::picture::DisplayUnit unit = tessera::picture::displayUnit("m", longest);
  chart.xCaption = "distance along the centreline [" + unit.name + "]";
  double lowest = 1.0;
  for (const results::Centreline& line : results.centrelines) {
    tessera::picture::Curve curve{
        line.name, {}, {}, tessera::picture::curveColour(chart.curves.size())};
    for (const results::Station& station : line.stations) {
      if (!station.pressureRatio) continue;
      curve.x.push_back(station.distance * unit.factor);
      curve.y.push_back(*station.pressureRatio);
      lowest = std::min(lowest, *station.pressureRatio);
    }
    if (curve.x.size() > 1) chart.curves.push_back(std::move(curve));
  }
  if (chart.curves.empty()) return std::nullopt;
  return pageOf("Pressure ratio \u00b7 " + results.title,
                "mean pressure of cross-sections over that of the inlets, gauge; lowest " +
                    formatNumber(lowest, 3),
                {chart});
}

}  // namespace tessera::postprocess::picture
