// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/vdb_trailer.hpp"

#include <fstream>
#include <span>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::file {

namespace {
[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& defect) {
  stage::fail(stage::ExitCode::BadInput,
              path.string() + " " + defect + "; regenerate it with tessera-preprocess.");
}

// OpenVDB's magic number.
constexpr std::array<char, 4> vdbMagic{' ', 'B', 'D', 'V'};
}  // namespace

void writeVdbTrailer(stage::AtomicFile& file, std::uint64_t vdbBytes) {
  VdbTrailer trailer;
  trailer.vdbBytes = vdbBytes;
  trailer.fileBytes = file.size() + sizeof trailer;
  const auto bytes = std::as_bytes(std::span(&trailer, 1));
  file.write(bytes.first(sizeof trailer - sizeof trailer.hash));
  trailer.hash = stage::hashFileRange(file.temporaryPath(), 0, file.size());
  file.write(bytes.last(sizeof trailer.hash));
}

VdbTrailer readVdbTrailer(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    stage::fail(stage::ExitCode::BadInput,
                path.string() + " does not exist; give a geom.vdb written by tessera-preprocess.");
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path))
    stage::fail(stage::ExitCode::BadInput,
                path.string() +
                    " cannot be opened as a file; give a geom.vdb written by tessera-preprocess.");
  const std::uint64_t size = std::filesystem::file_size(path);
  std::array<char, 4> magic{};
  file.read(magic.data(), magic.size());
  if (!file || magic != vdbMagic)
    stage::fail(stage::ExitCode::BadInput,
                path.string() +
                    " is not an OpenVDB file; name a geom.vdb, which tessera-preprocess makes of a "
                    "surface or an image.");
  VdbTrailer trailer;
  constexpr std::uint64_t length = sizeof trailer;
  if (size < length) refuse(path, fmt::format("is truncated to {} bytes", size));
  file.seekg(static_cast<std::streamoff>(size - length));
  file.read(reinterpret_cast<char*>(&trailer), length);
  if (!file) refuse(path, "cannot be read to its end");
  if (trailer.magic != VdbTrailer{}.magic)
    refuse(path,
           "ends without Tessera's trailer: it is truncated or was written by another program");
  if (trailer.fileBytes != size)
    refuse(path, fmt::format("has {} bytes; its trailer says {}", size, trailer.fileBytes));
  if (trailer.zeros != 0 || trailer.vdbBytes > size - length) refuse(path, "has a damaged trailer");
  if (stage::hashFileRange(path, 0, size - sizeof trailer.hash) != trailer.hash)
    refuse(path, "was altered: its bytes do not match the hash in its trailer");
  return trailer;
}

}  // namespace tessera::preprocess::file
