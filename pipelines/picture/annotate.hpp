// SPDX-License-Identifier: GPL-3.0-or-later
// Annotations of a picture of the geometry: title, scale bar, axes, colour bar, openings.
#pragma once

#include <array>
#include <span>
#include <string>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/image.hpp"

namespace tessera::picture {

// Page of every picture in drawing units, pixels per unit, and the frame of the geometry.
constexpr double pageWidth = 960.0, pageHeight = 720.0, pageScale = 2.0;
constexpr Rectangle geometryFrame{112.0, 142.0, 610.0, 466.0};

// Cut to the width of the page; a longer subtitle is first drawn smaller.
void drawTitle(const std::string& title, const std::string& subtitle, Drawing& drawing);
// Scale bar of a round length, at most `longest` units long, from its left end `from`.
void drawScaleBar(const Camera& camera, Drawing& drawing,
                  const Point& from = {150.0, pageHeight - 40.0},
                  double longest = geometryFrame.width / 5.0);
// Arrow whose head grows with its width.
void drawArrow(const Point& from, const Point& to, const Colour& colour, double width,
               Drawing& drawing);
// Names of the world's axes: "x", "y", "z"; in an anatomical space, "LPS" or "RAS", with the letter
// of the patient's side that each points to: "x L" (left), "y P" (posterior), "z S" (superior).
std::array<std::string, 3> axisNames(const std::string& space);
// World axes as seen by the camera, around `origin` with arms of length `arm`, named
// axisNames(space).
constexpr Point triadOrigin{76.0, pageHeight - 60.0};
constexpr double triadArm = 32.0;
void drawAxesTriad(const Camera& camera, Drawing& drawing, const Point& origin = triadOrigin,
                   double arm = triadArm, const std::string& space = {});
// Colour bar on the right of the page.
void drawPageColourBar(const ColourScale& scale, const std::string& caption, bool openBelow,
                       bool openAbove, Drawing& drawing);
// An empty page in pixels.
Image emptyPage();
// An opening: an arrow with its name.
struct OpeningMark {
  std::string name;
  Double3 centre{};      // m
  Double3 normal{};      // unit, out of the geometry
  double radius = 0.0;   // m
  bool inwards = false;  // the arrow points into the geometry
};

// Openings whose normal is close to the line of sight have no arrow.
void drawOpeningMarks(std::span<const OpeningMark> openings, const Camera& camera,
                      Drawing& drawing);

}  // namespace tessera::picture
