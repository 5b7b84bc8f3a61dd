// SPDX-License-Identifier: GPL-3.0-or-later
// A .vdb begins like OpenVDB's files; all other Tessera files are a container from their first
// byte.
#include "pipelines/info/inspect.hpp"

#include <array>
#include <fstream>
#include <optional>

#include "pipelines/stage/text.hpp"
#include "preprocess/file/vdb_trailer.hpp"

namespace tessera::info {
namespace {

// Newest major version of any kind.
constexpr std::uint16_t knownMajor = 2;

bool beginsAsVdb(const std::filesystem::path& path) {
  constexpr std::array<char, 4> vdbMagic{' ', 'B', 'D', 'V'};
  std::array<char, 4> magic{};
  std::ifstream file(path, std::ios::binary);
  file.read(magic.data(), magic.size());
  return file && magic == vdbMagic;
}

std::string textOrNothing(const stage::ContainerReader& reader, std::string_view section) {
  return reader.has(section) ? reader.text(section) : std::string();
}

}  // namespace

Inspection inspectFile(const std::filesystem::path& path, bool wholly) {
  std::optional<preprocess::file::VdbTrailer> trailer;
  if (beginsAsVdb(path)) trailer = preprocess::file::readVdbTrailer(path);
  const std::uint64_t offset = trailer ? trailer->vdbBytes : 0;
  const stage::ContainerReader reader(path, trailer ? "lattice" : "", knownMajor, offset,
                                      trailer ? sizeof(preprocess::file::VdbTrailer) : 0);
  if (wholly) reader.verify();
  return {path,
          reader.kind(),
          fmt::format("{}.{}", reader.major(), reader.minor()),
          std::filesystem::file_size(path),
          trailer ? stage::toHex(trailer->hash) : reader.contentHash(),
          textOrNothing(reader, "meta"),
          textOrNothing(reader, "provenance"),
          reader.sections(),
          offset};
}

}  // namespace tessera::info
