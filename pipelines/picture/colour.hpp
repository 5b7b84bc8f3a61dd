// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and what they are in linear light and in text.
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

}  // namespace tessera::picture
