// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/paper_charts.hpp"

#include <algorithm>

#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/markup.hpp"
#include "tests/bench/paper_measure.hpp"

namespace tessera::paper {

using namespace tessera::picture;

Chart newChart(const std::string& title, const std::string& x, const std::string& y) {
  Chart chart;
  chart.title = title;
  chart.xCaption = x;
  chart.yCaption = y;
  return chart;
}

Curve& curveOf(Chart& chart, std::size_t kernel, const std::string& name, bool dots) {
  const Colour colour = curveColour(kernel);
  const auto found =
      std::find_if(chart.curves.begin(), chart.curves.end(), [&](const Curve& curve) {
        return curve.name == name && curve.dots == dots && curve.colour == colour;
      });
  if (found != chart.curves.end()) return *found;
  Curve curve;
  curve.name = name;
  curve.colour = colour;
  curve.dots = dots;
  chart.curves.push_back(curve);
  return chart.curves.back();
}

void writeChart(const Chart& chart, const std::filesystem::path& path) {
  constexpr double width = 1000.0, height = 520.0;
  Drawing drawing{width, height, {}};
  drawing.rectangle({0.0, 0.0}, width, height, white);
  drawChart(chart, {16.0, 12.0}, width - 32.0, height - 24.0, drawing);
  writeText(path, toSvg(drawing, chart.title));
}

}  // namespace tessera::paper
