// SPDX-License-Identifier: GPL-3.0-or-later
// TIFF by libtiff, included in read_tiff.cpp only: pages are planes along z, all of one size and
// type; a single page is a 2D geometry. Values are the stored samples: grey of 8, 16, 32 bits or
// floats, bilevel 0 and 1, palette indices. Lossless compressions only. The voxel size comes from
// OME-XML, or from ImageJ's description (unit, spacing) and the resolution; dots per inch alone are
// ignored.
#include "preprocess/read/image/image_readers.hpp"

#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/image/image.hpp"
#include "preprocess/read/image/ome_xml.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {
namespace {

// In-memory file for libtiff, with its first error message.
struct TiffSource {
  std::string_view bytes;
  std::size_t at = 0;
  std::string complaint;
  const std::string& name;
};

tmsize_t readBytes(thandle_t handle, void* target, tmsize_t count) {
  auto& source = *static_cast<TiffSource*>(handle);
  const std::size_t available = source.bytes.size() - std::min(source.at, source.bytes.size());
  const std::size_t taken =
      std::min(static_cast<std::size_t>(std::max<tmsize_t>(count, 0)), available);
  if (taken > 0) std::memcpy(target, source.bytes.data() + source.at, taken);
  source.at += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t writeNothing(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seekTo(thandle_t handle, toff_t offset, int whence) {
  auto& source = *static_cast<TiffSource*>(handle);
  const toff_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source.at : source.bytes.size();
  source.at = std::min<toff_t>(base + offset, source.bytes.size());
  return source.at;
}

int closeNothing(thandle_t) {
  return 0;
}

toff_t sizeOf(thandle_t handle) {
  return static_cast<TiffSource*>(handle)->bytes.size();
}

int storeComplaint(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  char text[200];
  std::vsnprintf(text, sizeof text, format, arguments);
  auto& source = *static_cast<TiffSource*>(user);
  if (source.complaint.empty()) source.complaint = text;
  return 1;
}

int ignoreWarning(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

[[noreturn]] void refuse(const TiffSource& source, const std::string& found,
                         const std::string& remedy) {
  stage::fail(stage::ExitCode::BadInput, source.name + " " + found + "; " + remedy + ".");
}

[[noreturn]] void refuseDamaged(const TiffSource& source) {
  std::string complaint = source.complaint.empty() ? "pages end too early" : source.complaint;
  while (complaint.ends_with('.') || complaint.ends_with('\n')) complaint.pop_back();
  refuse(source, "cannot be read as TIFF (" + complaint + ")",
         "it is damaged, truncated or of another format: export it again");
}

// Upper bound of the uncompressed size: deflate's ratio of 1032, plus a margin for blank pages,
// which other methods compress further.
std::size_t mostBytes(const TiffSource& source) {
  return 1032 * source.bytes.size() + 100'000'000;
}

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, CloseTiff>;

Tiff openTiff(TiffSource& source) {
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  if (options == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options, storeComplaint, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options, ignoreWarning, nullptr);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, static_cast<tmsize_t>(mostBytes(source)));
  Tiff tiff(TIFFClientOpenExt("TIFF", "rm", &source, readBytes, writeNothing, seekTo, closeNothing,
                              sizeOf, nullptr, nullptr, options));
  TIFFOpenOptionsFree(options);
  if (!tiff) refuseDamaged(source);
  return tiff;
}

struct Page {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE;
  bool operator==(const Page&) const = default;
  [[nodiscard]] std::size_t rowBytes() const { return (std::size_t{width} * bits + 7) / 8; }
};

Page pageOf(TIFF* tiff) {
  Page page;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page.format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page.compression);
  if (page.format == SAMPLEFORMAT_VOID) page.format = SAMPLEFORMAT_UINT;
  if (page.compression == COMPRESSION_DEFLATE) page.compression = COMPRESSION_ADOBE_DEFLATE;
  return page;
}

void requireLossless(const TiffSource& source, const Page& page) {
  for (const int known : {COMPRESSION_NONE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,
                          COMPRESSION_CCITTFAX4, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                          COMPRESSION_PACKBITS, COMPRESSION_LZMA, COMPRESSION_ZSTD})
    if (page.compression == known) return;
  refuse(
      source,
      fmt::format("has pages of compression {}, which is lossy or not supported", page.compression),
      "save it with LZW, deflate or no compression");
}

VoxelType typeOf(const TiffSource& source, const Page& page) {
  struct Type {
    int format, bits;
    VoxelType type;
  };
  constexpr Type types[] = {
      {SAMPLEFORMAT_UINT, 1, VoxelType::U8},    {SAMPLEFORMAT_UINT, 8, VoxelType::U8},
      {SAMPLEFORMAT_INT, 8, VoxelType::I8},     {SAMPLEFORMAT_UINT, 16, VoxelType::U16},
      {SAMPLEFORMAT_INT, 16, VoxelType::I16},   {SAMPLEFORMAT_UINT, 32, VoxelType::U32},
      {SAMPLEFORMAT_INT, 32, VoxelType::I32},   {SAMPLEFORMAT_UINT, 64, VoxelType::U64},
      {SAMPLEFORMAT_INT, 64, VoxelType::I64},   {SAMPLEFORMAT_IEEEFP, 32, VoxelType::F32},
      {SAMPLEFORMAT_IEEEFP, 64, VoxelType::F64}};
  if (page.samples != 1)
    refuse(source, fmt::format("has {} samples per voxel (colours), expected one", page.samples),
           "save it as grey values or labels");
  for (const Type& type : types)
    if (page.format == type.format && page.bits == type.bits) return type.type;
  refuse(source,
         fmt::format("has samples of {} bits (format {}), which are not supported", page.bits,
                     page.format),
         "save it with 8 or 16 bits, or as float");
}

// Number of pages, which must be alike; the current page is the first one before and after.
std::int64_t countPages(const TiffSource& source, TIFF* tiff, const Page& first) {
  std::int64_t pages = 1;
  for (; TIFFReadDirectory(tiff) != 0; ++pages)
    if (!(pageOf(tiff) == first))
      refuse(source, fmt::format("has a page {} of another size or type than the first", pages + 1),
             "save the stack alone, with equal pages");
  if (!source.complaint.empty() || TIFFSetDirectory(tiff, 0) == 0) refuseDamaged(source);
  return pages;
}

// Description of the first page as written by ImageJ, or OME-XML.
struct Description {
  bool isImageJ = false;
  std::optional<OmePixels> ome;
  std::int64_t images = 1;
  double spacing = 1.0;  // in the unit; ImageJ's default
  std::optional<double> metres;
};

Description descriptionOf(const TiffSource& source, TIFF* tiff) {
  Description description;
  const char* text = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 0 || text == nullptr)
    return description;
  if (looksLikeOme(text)) {
    description.ome = omePixels(text, source.name);
    return description;
  }
  HeaderLines lines(text);
  description.isImageJ = std::string_view(text).starts_with("ImageJ=");
  while (const auto line = lines.next()) {
    const std::size_t equals = std::min(line->find('='), line->size());
    const std::string_view key = line->substr(0, equals);
    const std::string_view value = line->substr(std::min(equals + 1, line->size()));
    if (!description.isImageJ) break;
    if (key == "unit") description.metres = metresOf(value);
    if (key == "spacing") description.spacing = std::abs(numberOf(value).value_or(NAN));
    if (key == "images") description.images = wholeNumberOf(value).value_or(1);
    if ((key == "channels" || key == "frames") && wholeNumberOf(value).value_or(1) > 1)
      refuse(source,
             "has " + std::string(value.substr(0, 20)) + " " + std::string(key) +
                 ", expected a single stack",
             "save a single one");
  }
  return description;
}

void placeByOme(Image& image, const OmePixels& ome, const std::string& name) {
  image.warnings.insert(image.warnings.end(), ome.warnings.begin(), ome.warnings.end());
  if (ome.planes != image.size[2])
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} has {} of the {} planes that its OME-XML declares, so the stack is "
                            "in several files; save it as one file.",
                            name, image.size[2], ome.planes));
  if (ome.width != image.size[0] || ome.height != image.size[1])
    image.warnings.push_back(
        fmt::format("the OME-XML declares {} x {} voxels, but the pages have {} x {}; its voxel "
                    "size is ignored.",
                    ome.width, ome.height, image.size[0], image.size[1]));
  else if (ome.voxel[0] > 0.0 && ome.voxel[1] > 0.0 &&
           (ome.voxel[2] > 0.0 || image.dimensions == 2)) {
    image.lengthUnit = stage::lengthUnitOf(ome.metresPerUnit);
    placeInWorld(image, {{{ome.voxel[0], 0, 0}, {0, ome.voxel[1], 0}, {0, 0, ome.voxel[2]}}}, {},
                 name);
  }
}

void place(Image& image, TIFF* tiff, const Description& description, const std::string& name) {
  if (description.ome) return placeByOme(image, *description.ome, name);
  float x = 0.0F, y = 0.0F;
  TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
  const double deep = image.dimensions == 3 ? description.spacing : 1.0;
  const bool known = std::isfinite(x) && x > 0.0F && std::isfinite(y) && y > 0.0F && deep > 0.0 &&
                     std::isfinite(deep);
  if (!description.metres || !known) return;
  const double metres = *description.metres;
  image.lengthUnit = stage::lengthUnitOf(metres);
  placeInWorld(image, {{{metres / x, 0, 0}, {0, metres / y, 0}, {0, 0, metres * deep}}}, {}, name);
}

// Unpacks bits, most significant first, to bytes 0 and 1.
void spreadBits(const char* packed, std::size_t count, char* target) {
  for (std::size_t i = 0; i < count; ++i)
    target[i] = static_cast<char>((static_cast<std::uint8_t>(packed[i / 8]) >> (7 - i % 8)) & 1U);
}

// Copies rows of a strip or tile, each of stride bytes, to position (x, y) of a page, clipped to
// the page.
void copyRows(const Page& page, const char* rows, std::size_t stride, std::uint32_t width,
              std::uint32_t height, std::uint32_t x, std::uint32_t y, char* voxels) {
  const std::size_t wide = std::min(width, page.width - x);
  const std::size_t bytes = page.bits == 1 ? 1 : page.bits / 8U;
  for (std::uint32_t row = 0; row < height && row < page.height - y; ++row) {
    char* target = voxels + ((std::size_t{y} + row) * page.width + x) * bytes;
    if (page.bits == 1)
      spreadBits(rows + row * stride, wide, target);
    else
      std::memcpy(target, rows + row * stride, wide * bytes);
  }
}

void readTiles(const TiffSource& source, TIFF* tiff, const Page& page, char* voxels) {
  std::uint32_t width = 0, height = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
  const std::size_t stride = (std::size_t{width} * page.bits + 7) / 8;
  const std::uint64_t bytes = TIFFTileSize64(tiff);
  if (width == 0 || height == 0 || bytes != stride * height || bytes > mostBytes(source))
    refuseDamaged(source);
  std::vector<char> tile(bytes);
  for (std::uint64_t y = 0; y < page.height; y += height)
    for (std::uint64_t x = 0; x < page.width; x += width) {
      const auto left = static_cast<std::uint32_t>(x), top = static_cast<std::uint32_t>(y);
      const std::uint32_t number = TIFFComputeTile(tiff, left, top, 0, 0);
      const auto size = static_cast<tmsize_t>(bytes);
      if (TIFFReadEncodedTile(tiff, number, tile.data(), size) != size) refuseDamaged(source);
      copyRows(page, tile.data(), stride, width, height, left, top, voxels);
    }
}

void readStrips(const TiffSource& source, TIFF* tiff, const Page& page, char* voxels) {
  std::uint32_t rows = 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
  rows = std::min(rows, page.height);
  const std::size_t stride = page.rowBytes();
  if (rows == 0 || TIFFScanlineSize64(tiff) != stride) refuseDamaged(source);
  std::vector<char> strip(page.bits == 1 ? stride * rows : 0);
  for (std::uint32_t y = 0; y < page.height; y += rows) {
    const std::uint32_t height = std::min(rows, page.height - y);
    const auto size = static_cast<tmsize_t>(stride * height);
    char* target = page.bits == 1 ? strip.data() : voxels + y * stride;
    if (TIFFReadEncodedStrip(tiff, y / rows, target, size) != size) refuseDamaged(source);
    if (page.bits == 1) copyRows(page, target, stride, page.width, height, 0, y, voxels);
  }
}

void readPages(const TiffSource& source, TIFF* tiff, const Page& page, Image& image) {
  const std::size_t bytes = image.voxels() * bytesOf(image.type);
  const bool plain = page.compression == COMPRESSION_NONE;
  const auto pages = static_cast<std::size_t>(image.size[2]);
  if (bytes > mostBytes(source) ||
      (plain && page.rowBytes() * page.height * pages > source.bytes.size()))
    refuse(source,
           fmt::format("declares {} bytes of voxels, more than its {} bytes can hold", bytes,
                       source.bytes.size()),
           "it is truncated or damaged: export it again");
  image.bigEndian = std::endian::native == std::endian::big;
  image.file = roomFor(bytes, source.name, "give a part of it");
  for (std::size_t k = 0; k < pages; ++k) {
    char* voxels = image.file.bytes.get() + k * (bytes / pages);
    (TIFFIsTiled(tiff) != 0 ? readTiles : readStrips)(source, tiff, page, voxels);
    if (k + 1 < pages && TIFFReadDirectory(tiff) == 0) refuseDamaged(source);
  }
}

}  // namespace

Image parseTiff(WholeFile file, const std::string& name) {
  TiffSource source{file.text(), 0, "", name};
  const Tiff tiff = openTiff(source);
  const Page page = pageOf(tiff.get());
  requireLossless(source, page);
  Image image;
  image.type = typeOf(source, page);
  const Description description = descriptionOf(source, tiff.get());
  const std::int64_t pages = countPages(source, tiff.get(), page);
  // Stacks of more than 4 GB: ImageJ writes one page, followed by the voxels of the others.
  const bool isContiguous = pages == 1 && description.images > 1 &&
                            page.compression == COMPRESSION_NONE && page.bits >= 8 &&
                            TIFFIsTiled(tiff.get()) == 0;
  const std::int64_t planes = isContiguous ? description.images : pages;
  const std::array<std::int64_t, 3> sizes{page.width, page.height, planes};
  setImageSize(image, std::span(sizes).first(planes > 1 ? 3 : 2), name);
  if (isContiguous) {
    image.start = TIFFGetStrileOffset(tiff.get(), 0);
    image.bigEndian = TIFFIsBigEndian(tiff.get()) != 0;
    image.file = std::move(file);
    requireVoxelBytes(image, name);
  } else {
    readPages(source, tiff.get(), page, image);
    if (pages > 1 && TIFFSetDirectory(tiff.get(), 0) == 0) refuseDamaged(source);
  }
  place(image, tiff.get(), description, name);
  return image;
}

Image readTiff(const std::filesystem::path& path) {
  return parseTiff(readUncompressed(path), path.string());
}

}  // namespace tessera::preprocess::read
