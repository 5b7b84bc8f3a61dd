// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/file_formats.hpp"

#include <cstring>

namespace tessera::stage {
namespace {

constexpr bool container = true;

constexpr FileFormat formats[] = {
    {"vdb", "lattice", "OpenVDB grid and Tessera container",
     "lattice geometry by tessera-preprocess (.vdb)", "", container},
    {"tiles", "tiles", "Tessera container", "tiled geometry by tessera-tiler (.tiles)", "",
     container},
    {"fields", "fields", "Tessera container", "flow fields by tessera-solver (.fields)", "",
     container},
    {"ckpt", "ckpt", "Tessera container", "checkpoint by tessera-solver (.ckpt)", "", container},
    {"", "results", "folder", "folder of results", ""},
    {"vtkhdf", "export", "VTKHDF", "export", "\x89HDF"},
    {"toml", "case", "TOML", "case, for all stages", ""},
    {"csv", "table", "CSV", "table", ""},
    {"json", "report", "JSON", "report", ""}};

}  // namespace

std::span<const FileFormat> ownFormats() {
  return formats;
}

const FileFormat* formatOf(std::span<const FileFormat> formats, const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const FileFormat* best = nullptr;
  for (const FileFormat& format : formats)
    if (*format.extension != '\0' && name.ends_with("." + std::string(format.extension)) &&
        (best == nullptr || std::strlen(format.extension) > std::strlen(best->extension)))
      best = &format;
  return best;
}

}  // namespace tessera::stage
