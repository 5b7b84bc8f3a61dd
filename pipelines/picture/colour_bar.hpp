// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a coloured picture.
#pragma once

#include <string>

#include "pipelines/picture/colour_map.hpp"
#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

struct ColourBar {
  ColourScale scale;
  std::string caption;  // "wall shear stress [Pa]"
  Point corner;         // top left of the bar
  double width = 16.0;
  double height = 300.0;
  bool openBelow = false;  // values beyond an end exist: drawn as a point
  bool openAbove = false;
};

// Adds bar, ticks with numbers to its right, and the caption that reads upwards.
void drawColourBar(const ColourBar& bar, Drawing& drawing);

}  // namespace tessera::picture
