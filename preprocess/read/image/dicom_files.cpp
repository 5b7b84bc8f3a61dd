// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/dicom_files.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mostDicomFiles = 200'000;
constexpr const char* dicomExtension = "dcm";

// DICOM by the first bytes, and not the directory of a medium (Media Storage Directory Storage).
bool beginsLikeDicom(const fs::path& path) {
  constexpr std::size_t preamble = 128;
  constexpr std::string_view directory("1.2.840.10008.1.3.10\0", 21);
  std::string bytes(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes.substr(preamble).starts_with("DICM") && bytes.find(directory) == bytes.npos;
}

bool isDicomFile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (extensionOf(path) == dicomExtension) return true;
  return !hasKnownFormat(path) && beginsLikeDicom(path);
}

// Calls take(path) for every regular file in a folder and below until it returns false.
template <class Take>
void forEachFile(const fs::path& folder, const Take& take) {
  std::error_code error;
  std::size_t files = 0;
  using Walk = fs::recursive_directory_iterator;
  for (Walk at(folder, fs::directory_options::skip_permission_denied, error); at != Walk();
       at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    if (++files > mostDicomFiles)
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} has more than {} files in it and below; give the folder of one "
                              "series.",
                              folder.string(), mostDicomFiles));
    if (!take(at->path())) return;
  }
  if (error)
    stage::fail(stage::ExitCode::BadInput, fmt::format("{} cannot be listed to its end: {}.",
                                                       folder.string(), error.message()));
}

// Files of a folder itself: DICOM, slices of other formats.
struct DirectFiles {
  bool dicom = false, slices = false;
};

DirectFiles directFilesOf(const fs::path& folder) {
  DirectFiles found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    found.dicom = found.dicom || isDicomFile(at->path());
    found.slices = found.slices || !sliceFormat(at->path()).empty();
  }
  return found;
}

}  // namespace

bool isDicom(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return extensionOf(path) == dicomExtension || isDicomFile(path);
  const DirectFiles direct = directFilesOf(path);
  if (direct.dicom || direct.slices) return direct.dicom;
  bool found = false;
  forEachFile(path, [&](const fs::path& file) {
    found = isDicomFile(file);
    return !found;
  });
  return found;
}

std::vector<fs::path> dicomFilesOf(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      requireFile(path);
      files.push_back(path);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    forEachFile(path, [&](const fs::path& file) {
      if (isDicomFile(file)) files.push_back(file);
      return true;
    });
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

}  // namespace tessera::preprocess::read
