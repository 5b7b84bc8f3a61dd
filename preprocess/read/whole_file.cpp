// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/whole_file.hpp"

#include <fstream>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::read {

void requireFile(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    stage::fail(stage::ExitCode::BadInput, path.string() + " does not exist; check the path.");
  if (!std::filesystem::is_regular_file(path, error))
    stage::fail(stage::ExitCode::BadInput,
                path.string() + " is not a regular file; give the path of a file.");
}

WholeFile readWholeFile(const std::filesystem::path& path) {
  requireFile(path);
  std::error_code error;
  WholeFile file;
  file.size = static_cast<std::size_t>(std::filesystem::file_size(path, error));
  file.bytes = std::make_unique_for_overwrite<char[]>(file.size + 1);
  std::ifstream stream(path, std::ios::binary);
  stream.read(file.bytes.get(), static_cast<std::streamsize>(file.size));
  if (error || !stream)
    stage::fail(stage::ExitCode::BadInput,
                path.string() + " cannot be read; check its permissions.");
  file.bytes[file.size] = '\0';
  return file;
}

}  // namespace tessera::preprocess::read
