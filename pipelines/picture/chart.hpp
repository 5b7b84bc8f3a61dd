// SPDX-License-Identifier: GPL-3.0-or-later
// Line charts: frame, ticks, grid, curves named beside their ends or in a legend.
#pragma once

#include <string>
#include <vector>

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

struct Curve {
  std::string name;  // empty: not in the legend
  std::vector<double> x;
  std::vector<double> y;  // values that a logarithmic axis cannot show are left out
  Colour colour;
  bool dots = false;  // a dot at each value rather than a line through them
};

// A level drawn across the chart, such as a tolerance.
struct Level {
  std::string name;
  double y = 0.0;
};

struct Chart {
  std::string title;
  std::string xCaption;
  std::string yCaption;
  bool logarithmic = false;  // y axis
  std::vector<Curve> curves;
  std::vector<Level> levels;
};

// Draws into the rectangle, captions and legend included.
void drawChart(const Chart& chart, const Point& corner, double width, double height,
               Drawing& drawing);

}  // namespace tessera::picture
