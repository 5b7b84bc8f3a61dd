// SPDX-License-Identifier: GPL-3.0-or-later
// Perceptually uniform colour maps, readable by the colour-blind and in grey: viridis and magma by
// N. J. Smith, S. van der Walt and E. Firing (matplotlib 2015, CC0), cividis by J. R. Nunez,
// C. R. Anderton and R. S. Renslow (PLoS ONE 13, 2018, as in matplotlib), every 15th of their 256
// entries, linear between.
#pragma once

#include <string>
#include <vector>

#include "pipelines/picture/image.hpp"

namespace tessera::picture {

enum class ColourMap { Viridis, Magma, Cividis };

// position 0..1 (clamped) along the map.
Colour mapColour(ColourMap map, double position);

// Colours for curves that stay apart for the colour-blind: M. Okabe, K. Ito 2008, without yellow.
// Repeats after seven.
Colour curveColour(std::size_t index);

// What a colour stands for: value lowest at position 0, highest at 1.
struct ColourScale {
  ColourMap map = ColourMap::Viridis;
  double lowest = 0.0;
  double highest = 1.0;
  [[nodiscard]] double positionOf(double value) const {
    return highest > lowest ? (value - lowest) / (highest - lowest) : 0.5;
  }
};

}  // namespace tessera::picture
