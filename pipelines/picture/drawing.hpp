// SPDX-License-Identifier: GPL-3.0-or-later
// A list of strokes, areas and labels: charts, colour bars and annotations before they become
// pixels (image) or text (markup). Coordinates: x right, y down, in units of 1/96 inch.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pipelines/picture/colour.hpp"

namespace tessera::picture {

struct Point {
  double x = 0.0, y = 0.0;
};

struct Stroke {
  std::vector<Point> points;
  Colour colour;
  double width = 1.0;
  double opacity = 1.0;
};

// A filled polygon, even-odd.
struct Area {
  std::vector<Point> points;
  Colour colour;
  double opacity = 1.0;
};

enum class Anchor { Start, Middle, End };

struct Label {
  Point at;            // on the baseline
  std::string text;    // UTF-8
  double size = 12.0;  // em; capitals are 0.7 em high
  Colour colour;
  Anchor anchor = Anchor::Start;
  bool bold = false;
  bool upwards = false;  // reads from bottom to top
  double halo = 0.0;     // width of a white outline
};

struct Drawing {
  double width = 0.0;
  double height = 0.0;
  std::vector<std::variant<Stroke, Area, Label>> shapes;  // later ones cover earlier ones

  void line(const Point& a, const Point& b, const Colour& colour, double lineWidth = 1.0) {
    shapes.emplace_back(Stroke{{a, b}, colour, lineWidth});
  }
  void rectangle(const Point& corner, double w, double h, const Colour& colour,
                 double opacity = 1.0) {
    shapes.emplace_back(Area{
        {corner, {corner.x + w, corner.y}, {corner.x + w, corner.y + h}, {corner.x, corner.y + h}},
        colour,
        opacity});
  }
  void add(Label label) { shapes.emplace_back(std::move(label)); }
  void add(Stroke stroke) { shapes.emplace_back(std::move(stroke)); }
  void add(Area area) { shapes.emplace_back(std::move(area)); }
};

// Ink: nearly black, and greys for the background.
constexpr Colour ink{0x1d, 0x23, 0x2b};
constexpr Colour softInk{0x5b, 0x65, 0x71};
constexpr Colour gridInk{0xe3, 0xe7, 0xec};
constexpr Colour white{0xff, 0xff, 0xff};

}  // namespace tessera::picture
