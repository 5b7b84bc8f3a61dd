// SPDX-License-Identifier: GPL-3.0-or-later
// Text of labels: UTF-8 from files and names made fit to be drawn, and its width for layouts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::picture {

// Bytes of the text's first code point; 0 if it is not valid UTF-8 (RFC 3629).
std::size_t codeLength(std::string_view text);

// Code points that are drawn, at most 300, the last of more an ellipsis: control characters and
// those that change the direction of others are left out, a line feed or tabulator is a space, an
// invalid byte is U+FFFD.
std::u32string drawnCodes(std::string_view utf8);
// The same as UTF-8.
std::string drawnText(std::string_view utf8);

// Width of the text in units of its em for layouts, which so do not depend on installed fonts: the
// advances of DejaVu Sans for ASCII, one of each class (wide, raised, combining, other) beyond.
double textWidth(std::string_view utf8, bool bold);

// The text, or its beginning with an ellipsis that is at most so many em wide.
std::string cutToWidth(std::string_view utf8, bool bold, double most);

}  // namespace tessera::picture
