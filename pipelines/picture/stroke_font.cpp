// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/stroke_font.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unordered_map>

namespace tessera::picture {
namespace {

// One glyph: its width and path in units of 1/20 em, y up: capitals are 14 high, small letters 10.
// M x y    move               L x y    line
// H x y    quarter ellipse that leaves horizontally and arrives vertically
// V x y    quarter ellipse that leaves vertically and arrives horizontally
// C x y x y x y   cubic Bezier      D x y    dot
struct Glyph {
  char32_t code;
  double width;
  const char* path;
};

constexpr double emUnits = 20.0;
constexpr double sideBearing = 1.65;  // left and right of each glyph
constexpr double boldBearing = 0.3;
constexpr double spaceWidth = 2.6;

constexpr Glyph glyphs[] = {
    {U' ', spaceWidth, ""},
    {U'0', 8.4, "M4.2 14 H0 7 V4.2 0 H8.4 7 V4.2 14"},
    {U'1', 8.4, "M1.2 11.2 L5 14 L5 0"},
    {U'2', 8.4,
     "M.4 10.6 C.8 12.7 2.2 14 4.2 14 C6.4 14 8 12.6 8 10.4 C8 8.4 6.8 6.8 4.4 4.4 L0 0 L8.4 0"},
    {U'3', 8.4,
     "M.4 11.4 C1 13 2.4 14 4.1 14 H7.8 10.6 V4 7.4 L3 7.4 M4 7.4 H8.4 3.7 V4.1 0 C2.1 0 .6 1 0 "
     "2.9"},
    {U'4', 8.4, "M6.4 0 L6.4 14 L0 3.8 L8.6 3.8"},
    {U'5', 8.4,
     "M7.6 14 L1.4 14 L.8 7.6 C1.6 8.4 2.8 8.9 4.1 8.9 C6.7 8.9 8.4 7.1 8.4 4.5 C8.4 1.8 6.6 0 4 0 "
     "C2 0 .6 1 0 2.6"},
    {U'6', 8.4,
     "M7.6 12 C7 13.3 5.9 14 4.5 14 C1.7 14 0 11.4 0 7 L0 4.5 V4.2 0 H8.4 4.4 V4.2 8.8 H0 4.5"},
    {U'7', 8.4, "M0 14 L8.4 14 L3 0"},
    {U'8', 8.4,
     "M4.2 14 H.6 10.7 V4.2 7.4 H7.8 10.7 V4.2 14 M4.2 7.4 H0 3.7 V4.2 0 H8.4 3.7 V4.2 7.4"},
    {U'9', 8.4,
     "M.8 2 C1.4 .7 2.5 0 3.9 0 C6.7 0 8.4 2.6 8.4 7 L8.4 9.5 V4.2 14 H0 9.6 V4.2 5.2 H8.4 9.5"},
    {U'A', 11, "M0 0 L5.5 14 L11 0 M2 5 L9 5"},
    {U'B', 9.6, "M0 0 L0 14 L5 14 H8.8 10.7 V5 7.4 L0 7.4 M5 7.4 H9.6 3.7 V5 0 L0 0"},
    {U'C', 10.8, "M10.8 11.2 C9.8 13 8 14 6 14 H0 7 V6 0 C8 0 9.8 1 10.8 2.8"},
    {U'D', 10.8, "M0 0 L0 14 L4 14 H10.8 7 V4 0 L0 0"},
    {U'E', 8.4, "M8.4 14 L0 14 L0 0 L8.4 0 M0 7.3 L7.4 7.3"},
    {U'F', 8.4, "M8.4 14 L0 14 L0 0 M0 7 L7.2 7"},
    {U'G', 11, "M10.6 11.4 C9.6 13 8 14 6 14 H0 7 V6 0 H11 5 L11 6.6 L6.6 6.6"},
    {U'H', 10, "M0 0 L0 14 M10 0 L10 14 M0 7.2 L10 7.2"},
    {U'I', 0, "M0 0 L0 14"},
    {U'J', 6.5, "M6.5 14 L6.5 3.8 V3.2 0 H0 3.4"},
    {U'K', 9.6, "M0 0 L0 14 M9.4 14 L0 5 M3.7 8.5 L9.6 0"},
    {U'L', 8, "M0 14 L0 0 L8 0"},
    {U'M', 12, "M0 0 L0 14 L6 5 L12 14 L12 0"},
    {U'N', 10, "M0 0 L0 14 L10 0 L10 14"},
    {U'O', 12, "M6 14 H0 7 V6 0 H12 7 V6 14"},
    {U'P', 9.4, "M0 0 L0 14 L5 14 H9.4 10.2 V5 6.4 L0 6.4"},
    {U'Q', 12, "M6 14 H0 7 V6 0 H12 7 V6 14 M7.6 3.6 L11.4 -.6"},
    {U'R', 9.6, "M0 0 L0 14 L5 14 H9.4 10.2 V5 6.4 L0 6.4 M5 6.4 L9.6 0"},
    {U'S', 9.2,
     "M8.8 11.5 C8.2 13.1 6.8 14 4.8 14 H.4 10.5 C.4 8.2 2.4 7.7 4.7 7.2 C7.2 6.6 9.2 6 9.2 3.6 "
     "V4.6 0 C2.4 0 .7 .9 0 2.7"},
    {U'T', 10, "M0 14 L10 14 M5 14 L5 0"},
    {U'U', 10, "M0 14 L0 5 V5 0 H10 5 L10 14"},
    {U'V', 11, "M0 14 L5.5 0 L11 14"},
    {U'W', 16, "M0 14 L4 0 L8 13 L12 0 L16 14"},
    {U'X', 9.8, "M.2 14 L9.8 0 M9.6 14 L0 0"},
    {U'Y', 10, "M0 14 L5 6.6 L10 14 M5 6.6 L5 0"},
    {U'Z', 9.4, "M0 14 L9.4 14 L0 0 L9.4 0"},
    {U'a', 7.4,
     "M.7 8.1 C1.3 9.3 2.5 10 4 10 H7.4 6.6 L7.4 0 M7.4 5.8 L3.6 5.8 H0 2.9 V3.2 0 C5.6 0 7.4 1.3 "
     "7.4 3.6"},
    {U'b', 8.4, "M0 14.8 L0 0 M0 5 V4.2 10 H8.4 5 V4.2 0 H0 5"},
    {U'c', 7.6, "M7.6 7.8 C7 9.2 5.8 10 4.2 10 H0 5 V4.2 0 C5.8 0 7 .8 7.6 2.2"},
    {U'd', 8.4, "M8.4 14.8 L8.4 0 M8.4 5 V4.2 10 H0 5 V4.2 0 H8.4 5"},
    {U'e', 8.2, "M0 5.3 L8.2 5.3 V4.2 10 H0 5 V4.3 0 C5.8 0 7 .7 7.7 1.9"},
    {U'f', 5, "M5.4 14.7 C3.2 15.2 2 14.1 2 12 L2 0 M0 10 L5 10"},
    {U'g', 8.4,
     "M8.4 5 V4.2 10 H0 5 V4.2 0 H8.4 5 M8.4 10 L8.4 -.4 V4.2 -4.4 C2.5 -4.4 1.3 -3.8 .6 -2.7"},
    {U'h', 7.6, "M0 14.8 L0 0 M0 6 V4 10 H7.6 6.2 L7.6 0"},
    {U'i', 0, "M0 10 L0 0 D0 13.8"},
    {U'j', 1.8, "M1.8 10 L1.8 -1.6 C1.8 -3.6 .8 -4.6 -1 -4.4 D1.8 13.8"},
    {U'k', 7.4, "M0 14.8 L0 0 M7 10 L0 3.4 M2.8 6 L7.4 0"},
    {U'l', 1.6, "M0 14.8 L0 2 C0 .6 .6 0 1.8 0"},
    {U'm', 12.8, "M0 10 L0 0 M0 6.4 V3.4 10 H6.4 6.6 L6.4 0 M6.4 6.4 V9.8 10 H12.8 6.6 L12.8 0"},
    {U'n', 7.6, "M0 10 L0 0 M0 6 V4 10 H7.6 6.2 L7.6 0"},
    {U'o', 8.6, "M4.3 10 H0 5 V4.3 0 H8.6 5 V4.3 10"},
    {U'p', 8.4, "M0 10 L0 -4.4 M0 5 V4.2 10 H8.4 5 V4.2 0 H0 5"},
    {U'q', 8.4, "M8.4 10 L8.4 -4.4 M8.4 5 V4.2 10 H0 5 V4.2 0 H8.4 5"},
    {U'r', 4.4, "M0 10 L0 0 M0 5.8 C.2 8.6 1.8 10.1 4.5 9.9"},
    {U's', 6.9,
     "M6.5 8.3 C5.9 9.4 4.9 10 3.5 10 C1.7 10 .5 9 .5 7.5 C.5 5.9 1.8 5.5 3.5 5.1 C5.3 4.7 6.9 4.3 "
     "6.9 2.6 C6.9 1 5.4 0 3.5 0 C1.8 0 .6 .7 0 2"},
    {U't', 5, "M2 13.2 L2 3 C2 .8 3.1 -.2 5.2 .2 M0 10 L5 10"},
    {U'u', 7.6, "M0 10 L0 3.8 V3.6 0 H7.6 4 M7.6 10 L7.6 0"},
    {U'v', 7.8, "M0 10 L3.9 0 L7.8 10"},
    {U'w', 12, "M0 10 L3 0 L6 9.4 L9 0 L12 10"},
    {U'x', 7.4, "M.2 10 L7.4 0 M7.2 10 L0 0"},
    {U'y', 8, "M8 10 L4 0 C3 -2.6 2.4 -4.6 .5 -4.4 M0 10 L4 0"},
    {U'z', 7, "M0 10 L7 10 L0 0 L7 0"},
    {U'.', 0.4, "D.2 .3"},
    {U',', 0.6, "M.5 .4 L-.3 -2.2"},
    {U':', 0.4, "D.2 .3 D.2 9"},
    {U';', 0.6, "M.5 .4 L-.3 -2.2 D.4 9"},
    {U'!', 0.4, "M.2 14 L.2 4.6 D.2 .3"},
    {U'?', 7, "M0 11.2 C.5 13 1.8 14 3.6 14 H7 10.8 C7 7.8 3.4 7.6 3.4 4.6 D3.4 .3"},
    {U'-', 4.4, "M0 5.6 L4.4 5.6"},
    {U'\u2013', 8, "M0 5.6 L8 5.6"},
    {U'\u2212', 8, "M0 6.4 L8 6.4"},
    {U'+', 8, "M0 6.4 L8 6.4 M4 10.4 L4 2.4"},
    {U'=', 8, "M0 8.4 L8 8.4 M0 4.4 L8 4.4"},
    {U'<', 8, "M8 10.6 L0 6.4 L8 2.2"},
    {U'>', 8, "M0 10.6 L8 6.4 L0 2.2"},
    {U'/', 5.6, "M0 -1.8 L5.6 15"},
    {U'\\', 5.6, "M0 15 L5.6 -1.8"},
    {U'|', 0, "M0 15.4 L0 -3.4"},
    {U'_', 8, "M0 -2.6 L8 -2.6"},
    {U'(', 3, "M3 15.6 C.8 12.8 0 9.4 0 6 C0 2.6 .8 -.8 3 -3.6"},
    {U')', 3, "M0 15.6 C2.2 12.8 3 9.4 3 6 C3 2.6 2.2 -.8 0 -3.6"},
    {U'[', 3, "M3 15.6 L0 15.6 L0 -3.6 L3 -3.6"},
    {U']', 3, "M0 15.6 L3 15.6 L3 -3.6 L0 -3.6"},
    {U'{', 3.6, "M3.6 15.6 C.8 15.6 2.6 7 0 6 C2.6 5 .8 -3.6 3.6 -3.6"},
    {U'}', 3.6, "M0 15.6 C2.8 15.6 1 7 3.6 6 C1 5 2.8 -3.6 0 -3.6"},
    {U'\'', 0, "M0 14.6 L0 10.6"},
    {U'"', 3, "M0 14.6 L0 10.6 M3 14.6 L3 10.6"},
    {U'*', 6, "M3 14.4 L3 8 M.2 12.8 L5.8 9.6 M5.8 12.8 L.2 9.6"},
    {U'#', 9, "M2.8 14 L1.6 0 M7.4 14 L6.2 0 M.2 9.6 L9 9.6 M0 4.4 L8.8 4.4"},
    {U'%', 12,
     "M10.4 14 L1.6 0 M2.6 14 H0 10.8 V2.6 7.6 H5.2 10.8 V2.6 14 M9.4 6.4 H6.8 3.2 V9.4 0 H12 3.2 "
     "V9.4 6.4"},
    {U'&', 10.4,
     "M10.4 0 L2.6 9 C.6 11.4 1.8 14 4.6 14 C7.4 14 8.4 11 5.8 8.8 C3.4 7 0 6.4 0 3.4 C0 1.2 1.8 0 "
     "4.2 0 C7.4 0 9.4 2.6 9.6 6.4"},
    {U'@', 13,
     "M9.4 8 V6.6 9.8 H3.8 6.2 V6.2 2.6 H9.4 5.8 L9.4 9.6 M9.4 5.6 C9.4 3.4 13 2.2 13 6.6 V6.6 13 "
     "H0 5.6 V6.6 -2 C8.2 -2 9.4 -1.6 10.6 -.8"},
    {U'$', 8.4,
     "M8 11 C7.4 12.4 6.2 13 4.3 13 C2 13 .5 12 .5 10.2 C.5 8 2.4 7.6 4.3 7.2 C6.4 6.7 8.4 6.2 8.4 "
     "3.9 C8.4 2 6.6 1 4.2 1 C2 1 .6 1.8 0 3.4 M4.2 15.2 L4.2 -1.2"},
    {U'^', 7, "M0 9.6 L3.5 14 L7 9.6"},
    {U'~', 8.4, "M0 5.4 C.6 7.4 2.4 8.2 4.2 6.6 C6 5 7.8 5.8 8.4 7.8"},
    {U'`', 2.2, "M0 15 L2.2 12.6"},
    {U'\u00b7', 0.4, "D.2 6.4"},
    {U'\u00d7', 7, "M0 9.6 L7 2.6 M7 9.6 L0 2.6"},
    {U'\u00b0', 4.4, "M2.2 14.4 H0 12.2 V2.2 10 H4.4 12.2 V2.2 14.4"},
    {U'\u00b1', 8, "M0 7.4 L8 7.4 M4 11.4 L4 3.4 M0 .4 L8 .4"},
    {U'\u00b5', 7.6, "M0 10 L0 -4.4 M0 3.8 V3.6 0 H7.6 4 M7.6 10 L7.6 0"},
    {U'\u03bc', 7.6, "M0 10 L0 -4.4 M0 3.8 V3.6 0 H7.6 4 M7.6 10 L7.6 0"},
    {U'\u0394', 11, "M0 0 L5.5 14 L11 0 L0 0"},
    {U'\u03c4', 8, "M0 9.8 L8 9.8 M4 9.8 L4 2.4 C4 .6 5 -.2 6.8 .2"},
    {U'\u03c1', 8.2, "M0 -4.4 L0 5 V4.1 10 H8.2 5 V4.1 0 H0 5"},
    {U'\u2026', 7.4, "D.2 .3 D3.7 .3 D7.2 .3"},
};

// Raised digits and signs, drawn as the plain ones at 62 %.
struct Raised {
  char32_t code;
  char32_t plain;
};
constexpr Raised raised[] = {{U'\u2070', U'0'}, {U'\u00b9', U'1'},      {U'\u00b2', U'2'},
                             {U'\u00b3', U'3'}, {U'\u2074', U'4'},      {U'\u2075', U'5'},
                             {U'\u2076', U'6'}, {U'\u2077', U'7'},      {U'\u2078', U'8'},
                             {U'\u2079', U'9'}, {U'\u207b', U'\u2212'}, {U'\u207a', U'+'}};
constexpr double raisedScale = 0.62;
constexpr double raisedBaseline = 7.0;
constexpr Glyph missing{0, 8.0, "M0 0 L0 14 L8 14 L8 0 L0 0"};

struct PlacedGlyph {
  const Glyph* glyph;
  double scale;
  double rise;
};

// Next code point of UTF-8 text; an invalid byte is U+FFFD.
char32_t nextCode(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (length == 1 || lead < 0xc0 || length > text.size()) {
    text.remove_prefix(1);
    return lead < 0x80 ? char32_t{lead} : U'\ufffd';
  }
  char32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(length);
  return code;
}

const std::unordered_map<char32_t, PlacedGlyph>& glyphTable() {
  static const auto table = [] {
    std::unordered_map<char32_t, PlacedGlyph> all;
    for (const Glyph& glyph : glyphs) all[glyph.code] = {&glyph, 1.0, 0.0};
    for (const Raised& r : raised)
      all[r.code] = {all.at(r.plain).glyph, raisedScale, raisedBaseline};
    return all;
  }();
  return table;
}

PlacedGlyph glyphOf(char32_t code) {
  const auto found = glyphTable().find(code);
  return found == glyphTable().end() ? PlacedGlyph{&missing, 1.0, 0.0} : found->second;
}

double advanceOf(const PlacedGlyph& placed, bool bold) {
  return placed.scale * (placed.glyph->width + 2.0 * (sideBearing + (bold ? boldBearing : 0.0)));
}

using Strokes = std::vector<std::vector<Point>>;

void appendCubic(std::vector<Point>& stroke, const Point& b, const Point& c, const Point& d) {
  constexpr int pieces = 10;
  const Point a = stroke.back();
  for (int i = 1; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    const double s = 1.0 - t;
    const double wa = s * s * s, wb = 3 * s * s * t, wc = 3 * s * t * t, wd = t * t * t;
    stroke.push_back(
        {wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y});
  }
}

void appendQuarter(std::vector<Point>& stroke, const Point& end, bool horizontalFirst) {
  constexpr double round = 0.575;  // 0.552 is an ellipse; slightly squarer reads better when small
  const Point a = stroke.back();
  const double dx = end.x - a.x, dy = end.y - a.y;
  if (horizontalFirst)
    appendCubic(stroke, {a.x + round * dx, a.y}, {end.x, end.y - round * dy}, end);
  else
    appendCubic(stroke, {a.x, a.y + round * dy}, {end.x - round * dx, end.y}, end);
}

void appendDot(Strokes& strokes, const Point& p) {
  constexpr double r = 0.35;
  strokes.push_back(
      {{p.x - r, p.y}, {p.x, p.y + r}, {p.x + r, p.y}, {p.x, p.y - r}, {p.x - r, p.y}});
}

// The strokes of a path in glyph units.
Strokes strokesOfPath(const char* path) {
  Strokes strokes;
  const auto number = [&path] {
    char* end = nullptr;
    const double value = std::strtod(path, &end);
    path = end;
    return value;
  };
  const auto point = [&number] {
    const double x = number();
    return Point{x, number()};
  };
  while (*path != '\0') {
    const char command = *path++;
    if (command == ' ') continue;
    const Point p = point();
    if (command == 'M') strokes.push_back({p});
    if (command == 'L') strokes.back().push_back(p);
    if (command == 'H' || command == 'V') appendQuarter(strokes.back(), p, command == 'H');
    if (command == 'D') appendDot(strokes, p);
    if (command == 'C') {
      const Point q = point();
      appendCubic(strokes.back(), p, q, point());
    }
  }
  return strokes;
}

}  // namespace

double textWidth(std::string_view utf8, bool bold) {
  double width = 0.0;
  while (!utf8.empty()) width += advanceOf(glyphOf(nextCode(utf8)), bold);
  return width / emUnits;
}

std::vector<std::vector<Point>> textStrokes(std::string_view utf8, bool bold) {
  Strokes all;
  double x = 0.0;
  while (!utf8.empty()) {
    const PlacedGlyph placed = glyphOf(nextCode(utf8));
    const double start = x + placed.scale * (sideBearing + (bold ? boldBearing : 0.0));
    for (std::vector<Point>& stroke : strokesOfPath(placed.glyph->path)) {
      for (Point& p : stroke)
        p = {(start + placed.scale * p.x) / emUnits, -(placed.rise + placed.scale * p.y) / emUnits};
      all.push_back(std::move(stroke));
    }
    x += advanceOf(placed, bold);
  }
  return all;
}

}  // namespace tessera::picture
