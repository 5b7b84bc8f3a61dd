// SPDX-License-Identifier: GPL-3.0-or-later
// Colours: sRGB, linear light, text, colour maps.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::picture {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;  // sRGB
  friend bool operator==(const Colour&, const Colour&) = default;
};
constexpr Colour colourOf(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb)};
}
// "#440154"
std::string hexColour(const Colour& colour);

// sRGB component 0..255 to linear light 0..1 and back (IEC 61966-2-1).
float linearFromSrgb(std::uint8_t component);
std::uint8_t srgbFromLinear(float light);
// Mixes colour over the pixel; opacity 0..1.
void blend(Colour& pixel, const Colour& colour, double opacity);

enum class ColourMap { Viridis, Magma, Cividis };

// position 0..1 (clamped) along the map.
Colour mapColour(ColourMap map, double position);

// Curve colours distinguishable with colour blindness: M. Okabe, K. Ito 2008, without yellow.
// Repeats after seven.
Colour curveColour(std::size_t index);

// Values of a colour map: `lowest` at position 0, `highest` at 1.
struct ColourScale {
  ColourMap map = ColourMap::Viridis;
  double lowest = 0.0;
  double highest = 1.0;
  [[nodiscard]] double positionOf(double value) const {
    if (!(highest > lowest)) return 0.5;
    // In halves, since the range of damaged values may be beyond that of the type.
    return (0.5 * value - 0.5 * lowest) / (0.5 * highest - 0.5 * lowest);
  }
};

}  // namespace tessera::picture
