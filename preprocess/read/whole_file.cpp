// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/whole_file.hpp"

#include <fstream>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"

namespace tessera::preprocess::read {

WholeFile roomFor(std::size_t bytes, const std::string& what, const std::string& remedy) {
  constexpr std::size_t unchecked = std::size_t{64} << 20U;
  if (bytes >= unchecked) stage::requireMemory(static_cast<double>(bytes), what, remedy);
  WholeFile room;
  room.size = bytes;
  room.bytes = std::make_unique_for_overwrite<char[]>(bytes + 1);
  room.bytes[bytes] = '\0';
  return room;
}

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
  WholeFile file = roomFor(static_cast<std::size_t>(std::filesystem::file_size(path, error)),
                           path.string(), "give a part of it");
  std::ifstream stream(path, std::ios::binary);
  stream.read(file.bytes.get(), static_cast<std::streamsize>(file.size));
  if (error || !stream)
    stage::fail(stage::ExitCode::BadInput,
                path.string() + " cannot be read; check its permissions.");
  return file;
}

}  // namespace tessera::preprocess::read
