// SPDX-License-Identifier: GPL-3.0-or-later
// Text in any script as outlines: Raqm orders it (Unicode bidirectional algorithm) and shapes it by
// HarfBuzz, FreeType gives the outlines. Fonts are files of the machine: DejaVu Sans, for what it
// lacks Droid Sans Fallback, then the others, those named Regular first. They are searched in
// /usr/share/fonts, /usr/local/share/fonts and ~/.local/share/fonts, or in the folders that the
// environment variable TESSERA_FONTS (fontsVariable) names, separated by colons.
#pragma once

#include <string_view>
#include <vector>

#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

// For the man pages of programs that draw.
inline constexpr const char* fontsVariable = "TESSERA_FONTS";
inline constexpr const char* fontsEffect =
    "folders with the fonts of pictures, separated by colons, in place of the machine's";

struct TextOutline {
  std::vector<std::vector<Point>> contours;  // em, from x = 0, baseline at y = 0, y down; closed
  double width = 0.0;                        // em
};

// Outline of drawnText(), to be filled by the non-zero rule. Equal text and fonts give equal
// outlines on any thread. Without any font it is empty, and a character that no font has is a box;
// a warning says either once in a process.
TextOutline typeset(std::string_view utf8, bool bold);

}  // namespace tessera::picture
