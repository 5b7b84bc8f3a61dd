// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings to pixels, antialiased: strokes by distance to the pen's path, areas by exact horizontal
// coverage of four sub-rows.
#pragma once

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

// Paints over the image; one unit of the drawing is scale pixels.
void paint(const Drawing& drawing, double scale, Image& image);

}  // namespace tessera::picture
