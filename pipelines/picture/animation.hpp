// SPDX-License-Identifier: GPL-3.0-or-later
// Animated PNG (https://www.w3.org/TR/png-3/), which browsers and presentations play; a viewer that
// does not know it shows the first frame.
#pragma once

#include <span>
#include <string>

#include "pipelines/picture/image.hpp"

namespace tessera::picture {

// Image of half the size, each pixel the mean of four.
Image halved(const Image& image);

// Endless loop of frames of one size, as encodePng() encodes each. Equal frames give equal bytes.
// milliseconds: per frame. Throws StageError(OutputFailed).
std::string encodeAnimation(std::span<const std::string> pngs, int milliseconds);

}  // namespace tessera::picture
