// SPDX-License-Identifier: GPL-3.0-or-later
// Text and bytes made safe for HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace tessera::picture {

// & < > " ' as entities; control characters that XML forbids, and bytes that are not UTF-8, become
// U+FFFD.
std::string escapeMarkup(std::string_view text);
// RFC 4648, padded.
std::string base64(std::string_view bytes);

}  // namespace tessera::picture
