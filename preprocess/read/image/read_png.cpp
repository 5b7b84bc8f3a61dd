// SPDX-License-Identifier: GPL-3.0-or-later
// PNG by libpng, included in read_png.cpp only: a 2D geometry, first row at y = 0. Values are as
// stored: grey of 1 to 16 bits, palette indices; RGB with equal channels counts as grey, other
// colours are refused. Transparency is ignored.
#include "preprocess/read/image/image_readers.hpp"

#include <png.h>

#include <cstring>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"

namespace tessera::preprocess::read {
namespace {

struct PngSource {
  std::string_view rest;
  const std::string& name;
};

[[noreturn]] void refuse(const std::string& name, const std::string& complaint) {
  stage::fail(stage::ExitCode::BadInput,
              name + " cannot be read as PNG (" + complaint +
                  "); it is damaged, truncated or of another format: save it again.");
}

[[noreturn]] void refuseDamaged(png_structp png, png_const_charp complaint) {
  refuse(static_cast<PngSource*>(png_get_error_ptr(png))->name, complaint);
}

void ignoreWarning(png_structp, png_const_charp) {}

void takeBytes(png_structp png, png_bytep target, png_size_t count) {
  auto& source = *static_cast<PngSource*>(png_get_io_ptr(png));
  if (count > source.rest.size()) png_error(png, "it ends too early");
  std::memcpy(target, source.rest.data(), count);
  source.rest.remove_prefix(count);
}

struct Reader {
  png_structp png;
  png_infop info = nullptr;
  explicit Reader(PngSource& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, refuseDamaged, ignoreWarning)) {
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) throw std::bad_alloc();
    png_set_read_fn(png, &source, takeBytes);
    png_set_user_limits(png, 1 << 20, 1 << 20);
    png_set_chunk_malloc_max(png, 1 << 20);
    png_set_chunk_cache_max(png, 16);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

// Consecutive rows of interleaved channels, one or two bytes per sample.
WholeFile rowsOf(const Reader& reader, std::size_t height, std::size_t fileBytes,
                 const std::string& name) {
  const std::size_t rowBytes = png_get_rowbytes(reader.png, reader.info);
  // Deflate's ratio is at most 1032, and up to eight bits of a byte become bytes.
  if (rowBytes * height / 8 > 1032 * fileBytes)
    refuse(name, "it declares more pixels than it can hold");
  WholeFile rows = roomFor(rowBytes * height, name + ", decompressed,", "give a part of it");
  std::vector<png_bytep> row(height);
  for (std::size_t y = 0; y < height; ++y)
    row[y] = reinterpret_cast<png_bytep>(rows.bytes.get() + y * rowBytes);
  png_read_image(reader.png, row.data());
  png_read_end(reader.png, nullptr);
  return rows;
}

// Keeps the first of three equal channels.
void takeGrey(Image& image, const std::string& name) {
  const std::size_t bytes = bytesOf(image.type);
  char* grey = image.file.bytes.get();
  const char* pixel = grey;
  for (std::size_t i = 0; i < image.voxels(); ++i, pixel += 3 * bytes, grey += bytes) {
    if (std::memcmp(pixel, pixel + bytes, 2 * bytes) != 0)
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} has colours, first at x = {}, y = {}, expected grey values or a "
                              "palette; save it as grey.",
                              name, i % static_cast<std::size_t>(image.size[0]),
                              i / static_cast<std::size_t>(image.size[0])));
    std::memmove(grey, pixel, bytes);
  }
}

}  // namespace

Image parsePng(WholeFile file, const std::string& name) {
  PngSource source{file.text(), name};
  const Reader reader(source);
  png_read_info(reader.png, reader.info);
  Image image;
  const std::array<std::int64_t, 2> sizes{png_get_image_width(reader.png, reader.info),
                                          png_get_image_height(reader.png, reader.info)};
  setImageSize(image, sizes, name);
  const int depth = png_get_bit_depth(reader.png, reader.info);
  image.type = depth == 16 ? VoxelType::U16 : VoxelType::U8;
  image.bigEndian = true;
  png_set_packing(reader.png);  // expands bits to bytes, without scaling
  png_set_strip_alpha(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  image.file = rowsOf(reader, static_cast<std::size_t>(sizes[1]), file.size, name);
  if (png_get_channels(reader.png, reader.info) == 3) takeGrey(image, name);
  return image;
}

Image readPng(const std::filesystem::path& path) {
  return parsePng(readUncompressed(path), path.string());
}

}  // namespace tessera::preprocess::read
