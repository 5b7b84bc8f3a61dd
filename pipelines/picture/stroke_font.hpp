// SPDX-License-Identifier: GPL-3.0-or-later
// Rounded stroke font: glyphs of a few lines and quarter ellipses after A. V. Hershey's vector
// fonts (1967), so that pictures need no installed font.
#pragma once

#include <string_view>
#include <vector>

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

// Width of the text in units of its em.
double textWidth(std::string_view utf8, bool bold);

// Pen strokes of the text in em, baseline at y = 0, y down, from x = 0. Characters missing in the
// font are drawn as a box.
std::vector<std::vector<Point>> textStrokes(std::string_view utf8, bool bold);

// Width of the pen in units of the em.
constexpr double penWidth(bool bold) {
  return bold ? 0.118 : 0.08;
}

}  // namespace tessera::picture
