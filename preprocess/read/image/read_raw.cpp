// SPDX-License-Identifier: GPL-3.0-or-later
// RAW images: voxels without header, x fastest, then y, z, little-endian.
#include "preprocess/read/image/image_readers.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/formats.hpp"

namespace tessera::preprocess::read {
namespace {

void requireBytes(std::uintmax_t found, const std::string& name, const Image& image) {
  const std::size_t expected = image.voxels() * bytesOf(image.type);
  const auto& n = image.size;
  if (found != expected)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} has {} bytes, expected {} for {} x {} x {} voxels of {} byte(s); "
                            "correct --dims or --type, or export the image again.",
                            name, found, expected, n[0], n[1], n[2], bytesOf(image.type)));
}

Image rawImage(const Int3& size, VoxelType type) {
  Image image;
  image.size = size;
  image.type = type;
  return image;
}

}  // namespace

Image parseRaw(WholeFile file, const std::string& name, const Int3& size, VoxelType type) {
  Image image = rawImage(size, type);
  requireBytes(file.size, name, image);
  image.file = std::move(file);
  return image;
}

Image readRaw(const std::filesystem::path& path, const Int3& size, VoxelType type) {
  std::error_code notThere;  // reported by readUncompressed
  const std::uintmax_t found = std::filesystem::file_size(path, notThere);
  if (!notThere && !isCompressed(path)) requireBytes(found, path.string(), rawImage(size, type));
  return parseRaw(readUncompressed(path), path.string(), size, type);
}

}  // namespace tessera::preprocess::read
