// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/image.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"

namespace tessera::picture {
namespace {

void appendBytes(png_structp png, png_bytep data, png_size_t size) {
  auto* target = static_cast<std::string*>(png_get_io_ptr(png));
  target->append(reinterpret_cast<const char*>(data), size);
}

void nothingToFlush(png_structp) {}

[[noreturn]] void throwPngError(png_structp, png_const_charp message) {
  stage::fail(stage::ExitCode::OutputFailed,
              std::string("a picture could not be encoded: ") + message + ".");
}

void ignoreWarning(png_structp, png_const_charp) {}

}  // namespace

std::string encodePng(const Image& image, std::uint32_t pixelsPerMetre) {
  std::string bytes;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, throwPngError, ignoreWarning);
  png_infop info = png_create_info_struct(png);
  try {
    png_set_write_fn(png, &bytes, appendBytes, nothingToFlush);
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_pHYs(png, info, pixelsPerMetre, pixelsPerMetre, PNG_RESOLUTION_METER);
    png_set_compression_level(png, 6);
    png_write_info(png, info);
    for (int y = 0; y < image.height; ++y)
      png_write_row(png, reinterpret_cast<png_const_bytep>(&image.at(0, y)));
    png_write_end(png, info);
  } catch (...) {
    png_destroy_write_struct(&png, &info);
    throw;
  }
  png_destroy_write_struct(&png, &info);
  return bytes;
}

void writePng(const std::filesystem::path& path, const Image& image) {
  stage::writeTextAtomically(path, encodePng(image));
}

}  // namespace tessera::picture
