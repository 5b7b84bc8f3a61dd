// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/comparison_picture.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/image.hpp"
#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::compare {

using tessera::picture::Chart;
using tessera::picture::Curve;
using tessera::picture::curveColour;
using tessera::picture::Drawing;
using tessera::picture::Label;

namespace {

constexpr double pageWidth = 1040.0, margin = 20.0, titleHeight = 76.0, chartHeight = 270.0;
constexpr double pixelsAUnit = 2.0;
constexpr std::size_t timeColumn = 1;

Drawing pageWithTitle(const std::string& title, const std::string& subtitle, double height) {
  Drawing page{pageWidth, height, {}};
  page.rectangle({0.0, 0.0}, pageWidth, height, tessera::picture::white);
  page.add(Label{{margin + 4.0, 34.0},
                 title,
                 21.0,
                 tessera::picture::ink,
                 tessera::picture::Anchor::Start,
                 true});
  page.add(Label{{margin + 4.0, 56.0}, subtitle, 13.0, tessera::picture::softInk});
  return page;
}

// "flow_rate_1[m3/s]" -> "flow rate 1" and "m3/s".
std::pair<std::string, std::string> nameAndUnit(const std::string& column) {
  const std::size_t bracket = column.find('[');
  std::string name = column.substr(0, bracket);
  std::replace(name.begin(), name.end(), '_', ' ');
  if (bracket == std::string::npos) return {name, ""};
  return {name, column.substr(bracket + 1, column.find(']') - bracket - 1)};
}

std::vector<const RunSummary*> runsWithMonitor(const Comparison& comparison) {
  std::vector<const RunSummary*> runs;
  for (const RunSummary& run : comparison.runs)
    if (run.monitor.rows.size() > 1 && run.monitor.columns.size() > timeColumn)
      runs.push_back(&run);
  return runs;
}

std::vector<double> columnOf(const results::Monitor& monitor, std::size_t column) {
  std::vector<double> values;
  for (const auto& row : monitor.rows) values.push_back(row[column]);
  return values;
}

void scaleBy(std::vector<double>& values, double factor) {
  for (double& value : values) value *= factor;
}

double largestOf(const std::vector<Curve>& curves, std::vector<double> Curve::*axis) {
  double largest = 0.0;
  for (const Curve& curve : curves)
    for (const double value : curve.*axis)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

// Scales an axis to a unit with short numbers; returns its caption.
std::string rescale(std::vector<Curve>& curves, std::vector<double> Curve::*axis,
                    const std::string& unit) {
  if (unit.empty()) return "";
  const double largest = largestOf(curves, axis);
  tessera::picture::DisplayUnit shown = tessera::picture::displayUnit(unit, largest);
  // Without a smaller unit the power of ten goes into the caption.
  if (largest * shown.factor > 0.0 && largest * shown.factor < 1e-2) {
    const int power = static_cast<int>(std::floor(std::log10(largest * shown.factor)));
    shown = {shown.factor * std::pow(10.0, -power),
             tessera::picture::powerOfTen(power) + " " + shown.name};
  }
  for (Curve& curve : curves) scaleBy(curve.*axis, shown.factor);
  return " [" + shown.name + "]";
}

Chart monitorChart(const std::vector<const RunSummary*>& runs, const std::string& column) {
  Chart chart;
  for (std::size_t r = 0; r < std::min(runs.size(), mostCurves); ++r) {
    const results::Monitor& monitor = runs[r]->monitor;
    const auto found = std::find(monitor.columns.begin(), monitor.columns.end(), column);
    if (found == monitor.columns.end()) continue;
    const auto index = static_cast<std::size_t>(found - monitor.columns.begin());
    chart.curves.push_back(
        {runs[r]->name, columnOf(monitor, timeColumn), columnOf(monitor, index), curveColour(r)});
  }
  const auto [name, unit] = nameAndUnit(column);
  chart.yCaption = name + rescale(chart.curves, &Curve::y, unit);
  chart.xCaption = "time" + rescale(chart.curves, &Curve::x, "s");
  return chart;
}

// Columns drawn; densities serve troubleshooting and are in the tables only.
std::vector<std::string> drawnColumns(const results::Monitor& monitor) {
  std::vector<std::string> columns;
  for (std::size_t c = timeColumn + 1; c < monitor.columns.size(); ++c)
    if (!monitor.columns[c].starts_with("density_")) columns.push_back(monitor.columns[c]);
  return columns;
}

// One legend above all charts.
void drawLegend(const std::vector<const RunSummary*>& runs, Drawing& page) {
  double x = margin + 4.0;
  const double column = (pageWidth - 2.0 * margin) / static_cast<double>(mostCurves);
  for (std::size_t r = 0; r < std::min(runs.size(), mostCurves); ++r, x += column) {
    page.add(
        tessera::picture::Stroke{{{x, titleHeight}, {x + 18.0, titleHeight}}, curveColour(r), 2.6});
    page.add(Label{
        {x + 24.0, titleHeight + 4.0}, runs[r]->name.substr(0, 18), 12.0, tessera::picture::ink});
  }
}

void withoutNames(Chart& chart) {
  for (Curve& curve : chart.curves) curve.name.clear();
}

bool belongsToStudy(const ComparedQuantity& quantity) {
  return quantity.convergence && quantity.convergence->approach == Approach::Monotone &&
         *quantity.convergence->extrapolated != 0.0;
}

// f_0 + a h^p from spacing 0 to the coarsest, divided by f_0.
Curve fittedCurve(const Comparison& comparison, const ComparedQuantity& quantity,
                  tessera::picture::Colour colour) {
  const double f0 = *quantity.convergence->extrapolated, p = *quantity.convergence->order;
  const double finest = comparison.runs[comparison.meshStudy[0]].spacing;
  const double coarsest = comparison.runs[comparison.meshStudy.back()].spacing;
  const double a = (*quantity.value[comparison.meshStudy[0]] - f0) / std::pow(finest, p);
  Curve curve{quantity.name + " p=" + tessera::picture::formatNumber(p, 2), {}, {}, colour};
  constexpr int pieces = 48;
  for (int i = 0; i <= pieces; ++i) {
    const double h = coarsest * i / pieces;
    curve.x.push_back(h);
    curve.y.push_back(1.0 + a * std::pow(h, p) / f0);
  }
  return curve;
}

Curve foundDots(const Comparison& comparison, const ComparedQuantity& quantity,
                tessera::picture::Colour colour) {
  Curve dots{"", {}, {}, colour, true};
  for (const std::size_t run : comparison.meshStudy) {
    dots.x.push_back(comparison.runs[run].spacing);
    dots.y.push_back(*quantity.value[run] / *quantity.convergence->extrapolated);
  }
  return dots;
}

void writeBoth(const Drawing& drawing, const std::filesystem::path& folder, const std::string& name,
               const std::string& title) {
  tessera::picture::Image image(static_cast<int>(drawing.width * pixelsAUnit),
                                static_cast<int>(drawing.height * pixelsAUnit),
                                tessera::picture::white);
  tessera::picture::paint(drawing, pixelsAUnit, image);
  tessera::picture::writePng(folder / (name + ".png"), image);
  stage::writeTextAtomically(folder / (name + ".svg"), tessera::picture::toSvg(drawing, title));
}

}  // namespace

std::optional<Drawing> drawMonitors(const Comparison& comparison) {
  const auto runs = runsWithMonitor(comparison);
  if (runs.size() < 2) return std::nullopt;
  const std::vector<std::string> columns = drawnColumns(runs.front()->monitor);
  const std::size_t charts = std::min(columns.size(), mostCharts);
  const double rows = std::ceil(static_cast<double>(charts) / 2.0);
  std::string subtitle =
      fmt::format("{} of {} runs", std::min(runs.size(), mostCurves), comparison.runs.size());
  if (columns.size() > charts) subtitle += fmt::format(", the first {} quantities", charts);
  Drawing page =
      pageWithTitle("Monitors", subtitle, titleHeight + margin + rows * chartHeight + margin);
  drawLegend(runs, page);
  const double width = (pageWidth - 2.0 * margin) / 2.0;
  for (std::size_t c = 0; c < charts; ++c) {
    Chart chart = monitorChart(runs, columns[c]);
    withoutNames(chart);
    const tessera::picture::Point corner{
        margin + width * static_cast<double>(c % 2),
        titleHeight + margin + chartHeight * static_cast<double>(c / 2)};
    tessera::picture::drawChart(chart, corner, width, chartHeight, page);
  }
  return page;
}

std::optional<Drawing> drawMeshConvergence(const Comparison& comparison) {
  Chart chart;
  std::vector<std::string> names;
  for (const ComparedQuantity* quantity : headlines(comparison)) {
    if (!belongsToStudy(*quantity) || names.size() == mostCurves) continue;
    const tessera::picture::Colour colour = curveColour(names.size());
    chart.curves.push_back(fittedCurve(comparison, *quantity, colour));
    names.push_back(chart.curves.back().name);
    chart.curves.back().name.clear();
    chart.curves.push_back(foundDots(comparison, *quantity, colour));
  }
  if (names.empty()) return std::nullopt;
  chart.yCaption = "value / Richardson's value";
  chart.xCaption = "node spacing" + rescale(chart.curves, &Curve::x, "m");
  const double legend = 20.0 * static_cast<double>(names.size());
  Drawing page = pageWithTitle("Mesh convergence",
                               "dots: runs; curves: f0 + a h^p through them, p the observed order",
                               titleHeight + legend + 460.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double y = titleHeight + 6.0 + 20.0 * static_cast<double>(i);
    page.add(
        tessera::picture::Stroke{{{margin + 4.0, y}, {margin + 22.0, y}}, curveColour(i), 2.6});
    page.add(Label{{margin + 28.0, y + 4.0}, names[i], 12.0, tessera::picture::ink});
  }
  tessera::picture::drawChart(chart, {margin, titleHeight + legend}, pageWidth - 2.0 * margin,
                              440.0, page);
  return page;
}

void writeComparisonPictures(const Comparison& comparison, const std::filesystem::path& folder) {
  if (const auto monitors = drawMonitors(comparison))
    writeBoth(*monitors, folder, "monitors", "Monitors of the runs over time");
  if (const auto mesh = drawMeshConvergence(comparison))
    writeBoth(*mesh, folder, "mesh_convergence", "Values over the node spacing");
}

}  // namespace tessera::postprocess::compare
