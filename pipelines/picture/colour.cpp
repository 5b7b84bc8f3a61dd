// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::picture {
namespace {

std::array<float, 256> linearTable() {
  std::array<float, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double s = static_cast<double>(i) / 255.0;
    table[i] = static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
  }
  return table;
}

}  // namespace

std::string hexColour(const Colour& colour) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (std::uint8_t c : {colour.r, colour.g, colour.b}) {
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

float linearFromSrgb(std::uint8_t component) {
  static const std::array<float, 256> table = linearTable();
  return table[component];
}

std::uint8_t srgbFromLinear(float light) {
  const float l = std::clamp(light, 0.0F, 1.0F);
  const float s = l <= 0.0031308F ? 12.92F * l : 1.055F * std::pow(l, 1.0F / 2.4F) - 0.055F;
  return static_cast<std::uint8_t>(std::lround(s * 255.0F));
}

void blend(Colour& pixel, const Colour& colour, double opacity) {
  const auto mixed = [opacity](std::uint8_t under, std::uint8_t over) {
    return static_cast<std::uint8_t>(std::lround(under + opacity * (over - under)));
  };
  pixel = {mixed(pixel.r, colour.r), mixed(pixel.g, colour.g), mixed(pixel.b, colour.b)};
}

}  // namespace tessera::picture
