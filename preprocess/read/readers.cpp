// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/readers.hpp"

#include <map>
#include <string>

#include "preprocess/read/formats.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/surface/surface_readers.hpp"

namespace tessera::preprocess::read {
namespace {

template <class Content>
using Readers = std::map<std::string, Content (*)(const std::filesystem::path&)>;

}  // namespace

TriangleSoup readSurface(const std::filesystem::path& path) {
#define SURFACE_FORMAT(extension, name, begins, reader, fuzz) {extension, reader},
#define IMAGE_FORMAT(extension, name, begins, reader, fuzz)
  static const Readers<TriangleSoup> readers{
#include "preprocess/read/formats.def"
  };
#undef SURFACE_FORMAT
#undef IMAGE_FORMAT
  return readers.at(extensionOf(path))(path);
}

Image readImage(const std::filesystem::path& path) {
#define SURFACE_FORMAT(extension, name, begins, reader, fuzz)
#define IMAGE_FORMAT(extension, name, begins, reader, fuzz) {extension, reader},
  static const Readers<Image> readers{
#include "preprocess/read/formats.def"
  };
#undef SURFACE_FORMAT
#undef IMAGE_FORMAT
  return readers.at(extensionOf(path))(path);
}

}  // namespace tessera::preprocess::read
