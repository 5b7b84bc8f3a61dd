// SPDX-License-Identifier: GPL-3.0-or-later
// Pixel images: drawings painted with antialiasing, PNG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/drawing.hpp"

namespace tessera::picture {

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

// Bytes of an 8-bit RGB PNG without time stamp: equal images give equal bytes. pixelsPerMetre:
// printing resolution. Throws StageError(OutputFailed).
std::string encodePng(const Image& image, std::uint32_t pixelsPerMetre = 7874);
// Atomic. Throws StageError(OutputFailed).
void writePng(const std::filesystem::path& path, const Image& image);

// Paints over the image; one unit of the drawing is scale pixels.
void paint(const Drawing& drawing, double scale, Image& image);

}  // namespace tessera::picture
