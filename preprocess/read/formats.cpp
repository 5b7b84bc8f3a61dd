// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/formats.hpp"

#include <cstring>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/image/dicom_files.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

using stage::FileFormat;

namespace {

constexpr const char* aboutSurface = "surface, for tessera-preprocess";
constexpr const char* aboutImage = "image, for tessera-preprocess";

constexpr const char* gzipMagic = "\x1f\x8b";

constexpr FileFormat formats[] = {
#define SURFACE_FORMAT(extension, name, begins, reader, fuzz) \
  {extension, "surface", name, aboutSurface, begins},
#define IMAGE_FORMAT(extension, name, begins, reader, fuzz) \
  {extension, "image", name, aboutImage, begins},
#include "preprocess/read/formats.def"
#undef SURFACE_FORMAT
#undef IMAGE_FORMAT
#define SURFACE_FORMAT(extension, name, begins, reader, fuzz) \
  {extension ".gz", "surface", name ", compressed", aboutSurface, gzipMagic},
#define IMAGE_FORMAT(extension, name, begins, reader, fuzz) \
  {extension ".gz", "image", name ", compressed", aboutImage, gzipMagic},
#include "preprocess/read/formats.def"
#undef SURFACE_FORMAT
#undef IMAGE_FORMAT
};
constexpr auto uncompressed = std::span(formats).first(std::size(formats) / 2);

std::string extensionsOf(const std::string& kind) {
  std::string list;
  for (const FileFormat& format : uncompressed)
    if (kind == format.kind)
      list += std::string(list.empty() ? "." : ", .").append(format.extension);
  return list;
}

}  // namespace

std::span<const FileFormat> inputFormats() {
  return formats;
}

std::string extensionOf(const std::filesystem::path& path) {
  if (const FileFormat* format = stage::formatOf(formats, path)) {
    const std::string extension = format->extension;
    return extension.substr(0, extension.find(".gz"));
  }
  const std::string extension = path.extension().string();
  return extension.empty() ? "" : extension.substr(1);
}

bool isCompressed(const std::filesystem::path& path) {
  constexpr FileFormat gzip[] = {{"gz", "", "", "", ""}};
  return stage::formatOf(gzip, path) != nullptr;
}

std::string stemOf(const std::filesystem::path& path) {
  const FileFormat* format = stage::formatOf(formats, path);
  if (format == nullptr) return path.stem().string();
  const std::string name = path.filename().string();
  return name.substr(0, name.size() - std::strlen(format->extension) - 1);
}

bool hasKnownFormat(const std::filesystem::path& path) {
  return stage::formatOf(formats, path) != nullptr;
}

std::string sliceFormat(const std::filesystem::path& path) {
  const std::string extension = extensionOf(path);
  if (extension == "png") return "PNG";
  if (extension == "pgm") return "PGM";
  return extension == "tif" || extension == "tiff" ? "TIFF" : "";
}

InputKind kindOfFile(const std::filesystem::path& path) {
  if (const FileFormat* format = stage::formatOf(formats, path))
    return std::string(format->kind) == "surface" ? InputKind::Surface : InputKind::Image;
  if (isDicom(path)) return InputKind::Image;
  requireFile(path);  // a clearer message for a missing file, a folder or a pipe
  const std::string extension = path.extension().string();
  stage::fail(
      stage::ExitCode::BadInput,
      path.string() + ": cannot read " +
          (extension.empty() ? "a file without an extension" : extension + " files") +
          "; known are surfaces (" + extensionsOf("surface") + ") and images (" +
          extensionsOf("image") +
          "), each also as .gz, and folders of DICOM files: convert the file to one of these.");
}

}  // namespace tessera::preprocess::read
