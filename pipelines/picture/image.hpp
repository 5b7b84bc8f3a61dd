// SPDX-License-Identifier: GPL-3.0-or-later
// A picture in memory and its PNG.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

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

struct Image {
  int width = 0;
  int height = 0;
  std::vector<Colour> pixel;  // row by row from the top

  Image(int columns, int rows, const Colour& background)
      : width(columns),
        height(rows),
        pixel(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), background) {}
  [[nodiscard]] Colour& at(int x, int y) {
    return pixel[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)];
  }
  [[nodiscard]] const Colour& at(int x, int y) const {
    return pixel[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)];
  }
};

// Mixes colour over the pixel; opacity 0..1.
void blend(Colour& pixel, const Colour& colour, double opacity);

// Bytes of an 8-bit RGB PNG without time stamp: same image, same bytes. pixelsPerMetre is what
// programs print it at. Throws StageError(OutputFailed).
std::string encodePng(const Image& image, std::uint32_t pixelsPerMetre = 7874);
// Atomic. Throws StageError(OutputFailed).
void writePng(const std::filesystem::path& path, const Image& image);

}  // namespace tessera
