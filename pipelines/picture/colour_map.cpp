// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/colour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::picture {
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
  const double along = std::clamp(position, 0.0, 1.0) * (entries - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(along), entries - 2);
  Colour colour = colourOf(table[below]);
  blend(colour, colourOf(table[below + 1]), along - static_cast<double>(below));
  return colour;
}

Colour curveColour(std::size_t index) {
  return colourOf(okabeIto[index % okabeIto.size()]);
}

}  // namespace tessera::picture
