// SPDX-License-Identifier: GPL-3.0-or-later
// Annotations of a picture of the geometry: title, scale bar, axes, colour bar, openings.
#pragma once

#include <span>
#include <string>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/colour_map.hpp"

namespace tessera::picture {

// The page all pictures share, in drawing units; pixels a unit; where the geometry goes.
constexpr double pageWidth = 960.0, pageHeight = 720.0, pageScale = 2.0;
constexpr Rectangle geometryFrame{112.0, 142.0, 610.0, 466.0};

void drawTitle(const std::string& title, const std::string& subtitle, Drawing& drawing);
// A round length, about a fifth of the frame, at the bottom.
void drawScaleBar(const Camera& camera, Drawing& drawing);
// World x, y, z as seen from there, around the origin, with arms of that length.
void drawAxesTriad(const Camera& camera, Drawing& drawing,
                   const Point& origin = {76.0, pageHeight - 60.0}, double arm = 32.0);
// The bar of the page's right side.
void drawPageColourBar(const ColourScale& scale, const std::string& caption, bool openBelow,
                       bool openAbove, Drawing& drawing);
// An empty page in pixels.
Image emptyPage();
// An opening of the geometry, drawn as an arrow with its name.
struct OpeningMark {
  std::string name;
  Double3 centre{};      // m
  Double3 normal{};      // unit, out of the geometry
  double radius = 0.0;   // m
  bool inwards = false;  // the arrow points into the geometry
};

// Openings that face the viewer or look away have no arrow.
void drawOpeningMarks(std::span<const OpeningMark> openings, const Camera& camera,
                      Drawing& drawing);

}  // namespace tessera::picture
