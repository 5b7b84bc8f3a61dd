// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings as SVG 1.1.
#pragma once

#include <string>
#include <string_view>

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

// title: read out by screen readers. Colours are written as they are; text uses the reader's own
// sans-serif font. All text is escaped.
std::string toSvg(const Drawing& drawing, std::string_view title);

}  // namespace tessera::picture
