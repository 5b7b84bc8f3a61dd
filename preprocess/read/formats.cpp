// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/formats.hpp"

#include "pipelines/stage/error.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

using stage::FileFormat;

namespace {

constexpr const char* aboutSurface = "surface, for tessera-preprocess";
constexpr const char* aboutImage = "image, for tessera-preprocess";

constexpr FileFormat formats[] = {
#define SURFACE_FORMAT(extension, name, begins, reader, fuzz) \
  {extension, "surface", name, aboutSurface, begins},
#define IMAGE_FORMAT(extension, name, begins, reader, fuzz) \
  {extension, "image", name, aboutImage, begins},
#include "preprocess/read/formats.def"
#undef SURFACE_FORMAT
#undef IMAGE_FORMAT
};

std::string extensionsOf(const std::string& kind) {
  std::string list;
  for (const FileFormat& format : formats)
    if (kind == format.kind)
      list += std::string(list.empty() ? "." : ", .").append(format.extension);
  return list;
}

}  // namespace

std::span<const FileFormat> inputFormats() {
  return formats;
}

std::string extensionOf(const std::filesystem::path& path) {
  if (const FileFormat* format = stage::formatOf(formats, path)) return format->extension;
  const std::string extension = path.extension().string();
  return extension.empty() ? "" : extension.substr(1);
}

InputKind kindOfFile(const std::filesystem::path& path) {
  if (const FileFormat* format = stage::formatOf(formats, path))
    return std::string(format->kind) == "surface" ? InputKind::Surface : InputKind::Image;
  requireFile(path);  // a clearer message for a missing file, a folder or a pipe
  const std::string extension = path.extension().string();
  stage::fail(stage::ExitCode::BadInput,
              path.string() + ": cannot read " +
                  (extension.empty() ? "a file without an extension" : extension + " files") +
                  "; known are surfaces (" + extensionsOf("surface") + ") and images (" +
                  extensionsOf("image") + "): convert the file to one of these.");
}

}  // namespace tessera::preprocess::read
