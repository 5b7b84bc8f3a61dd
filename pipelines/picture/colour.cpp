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

namespace {

constexpr std::size_t entries = 18;
constexpr std::array<std::uint32_t, entries> viridis{
    0x440154, 0x481769, 0x472a7a, 0x433d84, 0x3d4e8a, 0x355e8d, 0x2e6d8e, 0x297b8e, 0x23898e,
    0x1f978b, 0x21a585, 0x2eb37c, 0x46c06f, 0x65cb5e, 0x89d548, 0xb0dd2f, 0xd8e219, 0xfde725};
constexpr std::array<std::uint32_t, entries> magma{
    0x000004, 0x090720, 0x1a1042, 0x311165, 0x4a1079, 0x621980, 0x792282, 0x912b81, 0xaa337d,
    0xc23b75, 0xd9466b, 0xec5860, 0xf7725c, 0xfc8e64, 0xfeaa74, 0xfec68a, 0xfde2a3, 0xfcfdbf};
constexpr std::array<std::uint32_t, entries> cividis{
    0x00224e, 0x002d68, 0x163770, 0x2e416d, 0x3f4c6c, 0x4e566c, 0x5c616e, 0x696b71, 0x767676,
    0x838179, 0x928c78, 0xa09875, 0xafa471, 0xbfb06b, 0xcfbd62, 0xdfca57, 0xf0d846, 0xfee838};
constexpr std::array<std::uint32_t, 7> okabeIto{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                0xe69f00, 0x56b4e9, 0x000000};

}  // namespace

Colour mapColour(ColourMap map, double position) {
  const auto& table = map == ColourMap::Viridis ? viridis
                      : map == ColourMap::Magma ? magma
                                                : cividis;
  // Infinite values of a field have positions that are no number.
  const double along = (position > 0.0 ? std::min(position, 1.0) : 0.0) * (entries - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(along), entries - 2);
  Colour colour = colourOf(table[below]);
  blend(colour, colourOf(table[below + 1]), along - static_cast<double>(below));
  return colour;
}

Colour curveColour(std::size_t index) {
  return colourOf(okabeIto[index % okabeIto.size()]);
}

}  // namespace tessera::picture
