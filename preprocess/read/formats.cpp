// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/formats.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/read_meta_image.hpp"
#include "preprocess/read/read_nifti.hpp"
#include "preprocess/read/read_nrrd.hpp"
#include "preprocess/read/read_obj.hpp"
#include "preprocess/read/read_off.hpp"
#include "preprocess/read/read_pgm.hpp"
#include "preprocess/read/read_ply.hpp"
#include "preprocess/read/read_png.hpp"
#include "preprocess/read/read_stl.hpp"
#include "preprocess/read/read_tiff.hpp"
#include "preprocess/read/read_vtp.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera {
namespace {

struct SurfaceFormat {
  const char* extension;
  TriangleSoup (*read)(const std::filesystem::path&);
};
constexpr SurfaceFormat surfaceFormats[] = {
    {"stl", readStl}, {"ply", readPly}, {"obj", readObj}, {"off", readOff}, {"vtp", readVtp}};

struct ImageFormat {
  const char* extension;
  Image (*read)(const std::filesystem::path&);  // nullptr: RAW
};
constexpr ImageFormat imageFormats[] = {
    {"nii", readNifti}, {"nii.gz", readNifti}, {"hdr", readNifti},     {"img", readNifti},
    {"nrrd", readNrrd}, {"nhdr", readNrrd},    {"mha", readMetaImage}, {"mhd", readMetaImage},
    {"tif", readTiff},  {"tiff", readTiff},    {"png", readPng},       {"raw", nullptr},
    {"pgm", readPgm}};

template <class Formats>
auto formatOf(const Formats& formats, const std::string& extension) {
  return std::find_if(std::begin(formats), std::end(formats),
                      [&](const auto& format) { return extension == format.extension; });
}

template <class Formats>
std::string listOf(const Formats& formats) {
  std::string list;
  for (const auto& format : formats)
    list += std::string(list.empty() ? "." : ", .") + format.extension;
  return list;
}

}  // namespace

std::string extensionOf(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (name.ends_with(".nii.gz")) return "nii.gz";
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

InputKind kindOfFile(const std::filesystem::path& path) {
  const std::string extension = extensionOf(path);
  if (formatOf(surfaceFormats, extension) != std::end(surfaceFormats)) return InputKind::Surface;
  if (formatOf(imageFormats, extension) != std::end(imageFormats)) return InputKind::Image;
  requireFile(path);  // a folder or a pipe has no ending either
  fail(ExitCode::BadInput,
       path.string() + " is of no format that is read (surfaces: " + listOf(surfaceFormats) +
           "; images: " + listOf(imageFormats) + "); convert it to one of these.");
}

TriangleSoup readSurface(const std::filesystem::path& path) {
  return formatOf(surfaceFormats, extensionOf(path))->read(path);
}

Image readImage(const std::filesystem::path& path) {
  return formatOf(imageFormats, extensionOf(path))->read(path);
}

}  // namespace tessera
