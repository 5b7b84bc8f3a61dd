// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings as SVG; escapes for HTML and SVG.
#pragma once

#include <string>
#include <string_view>

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

// & < > " ' as entities; control characters forbidden in XML and invalid UTF-8 become U+FFFD.
std::string escapeMarkup(std::string_view text);
// RFC 4648, padded.
std::string base64(std::string_view bytes);

// SVG 1.1. title: read out by screen readers. Text uses the reader's sans-serif font and is
// escaped.
std::string toSvg(const Drawing& drawing, std::string_view title);

}  // namespace tessera::picture
