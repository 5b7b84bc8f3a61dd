// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of walls in previews: the first grey, others apart from openings, candidates and sheets.
#pragma once

#include <array>
#include <cstddef>

#include "pipelines/picture/colour.hpp"

namespace tessera::preprocess::preview {

// Repeats after seven.
constexpr picture::Colour namedWallColour(std::size_t wall) {
  constexpr std::array colours{picture::colourOf(0x3a78c2), picture::colourOf(0xb5a642),
                               picture::colourOf(0xc77aa0), picture::colourOf(0x2aa1a8),
                               picture::colourOf(0x8b6b4a), picture::colourOf(0x9b86d3),
                               picture::colourOf(0x5d7183)};
  return colours[(wall - 1) % colours.size()];
}

}  // namespace tessera::preprocess::preview
