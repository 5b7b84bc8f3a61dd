// SPDX-License-Identifier: GPL-3.0-or-later
// Interactive view of a surface for an HTML page, offline: a decimated surface as base64 arrays and
// the script wall_view.js, which draws it by WebGL 1. The page includes wallViewStyle.
#pragma once

#include <span>
#include <string>

#include "pipelines/picture/colour_map.hpp"
#include "pipelines/stage/triangle.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

// Values that the surface can be coloured by.
struct WallViewValues {
  std::string title;                          // entry of the menu
  std::string caption;                        // below the colour bar, with the unit
  std::string unit;                           // as displayed; empty for a plain number
  double factor = 1.0;                        // SI to displayed unit
  std::span<const double> vertex;             // SI, one per vertex
  ColourScale scale;                          // SI
  bool openBelow = false, openAbove = false;  // values beyond the scale exist
};

// Markup of the view with its data and script, at most one per page; empty without choices. The
// first choice is shown first and decides the direction of view. Little-endian arrays: positions
// 16 bits per coordinate within their box, corners 16 bits, values 32-bit floats as displayed.
std::string wallView(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                     std::span<const WallViewValues> choices);

}  // namespace tessera::picture
