// SPDX-License-Identifier: GPL-3.0-or-later
// A rounded stroke font drawn for Tessera: every glyph is a few lines and quarter ellipses, in the
// manner of A. V. Hershey's vector fonts (1967), so that pictures need no font on the machine.
#pragma once

#include <string_view>
#include <vector>

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

// Width of the text in units of its em.
double textWidth(std::string_view utf8, bool bold);

// The text's pen strokes in units of the em, baseline at y = 0, y down, beginning at x = 0. A
// character the font does not have is drawn as a box.
std::vector<std::vector<Point>> textStrokes(std::string_view utf8, bool bold);

// Width of the pen in units of the em.
constexpr double penWidth(bool bold) {
  return bold ? 0.118 : 0.08;
}

}  // namespace tessera::picture
