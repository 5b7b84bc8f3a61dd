// SPDX-License-Identifier: GPL-3.0-or-later
// Line charts (frame, ticks, grid, curves, legend) and colour bars.
#pragma once

#include <string>
#include <vector>

#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

struct Curve {
  std::string name;  // empty: not in the legend
  std::vector<double> x;
  std::vector<double> y;  // values not representable on a logarithmic axis are skipped
  Colour colour;
  bool dots = false;  // dots instead of a line
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

struct ColourBar {
  ColourScale scale;
  std::string caption;  // "wall shear stress [Pa]"
  Point corner;         // top left of the bar
  double width = 16.0;
  double height = 300.0;
  bool openBelow = false;  // values beyond an end exist: drawn pointed
  bool openAbove = false;
};

// From the left edge of the bar to the right edge of its caption, in drawing units.
double colourBarWidth(const ColourBar& bar);

// Adds bar, ticks with numbers to its right, those of both ends among them, and a caption reading
// upwards.
void drawColourBar(const ColourBar& bar, Drawing& drawing);

}  // namespace tessera::picture
