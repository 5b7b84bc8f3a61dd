// SPDX-License-Identifier: GPL-3.0-or-later
// Labelled images: RAW (x fastest, then y, z; little-endian; size given) and PGM (P2, P5; a 2D
// geometry, first row is y = 0). One voxel is one node, voxel 0 is node 0, nothing is padded.
#pragma once

#include <cstdint>
#include <filesystem>

#include "preprocess/lattice/bit_lattice.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera {

struct Image {
  int dimensions = 3;  // 2: one voxel thick on z
  Int3 size{0, 0, 0};
  int bytesPerVoxel = 1;   // 1 or 2
  bool bigEndian = false;  // of two bytes
  std::size_t start = 0;   // of the first voxel in the file
  WholeFile file;

  [[nodiscard]] int label(std::size_t voxel) const {
    const auto* p = reinterpret_cast<const unsigned char*>(file.bytes.get()) + start +
                    voxel * static_cast<std::size_t>(bytesPerVoxel);
    if (bytesPerVoxel == 1) return p[0];
    return bigEndian ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
  }
};

// Throws StageError(BadInput) when missing or when its size is not that of size and type.
Image readRaw(const std::filesystem::path& path, const Int3& size, int bytesPerVoxel);
// Throws StageError(BadInput) when missing, truncated or malformed.
Image readPgm(const std::filesystem::path& path);

// Nodes whose label lies in [low, high] are fluid. Parallel.
BitLattice fluidOf(const Image& image, int low, int high);

}  // namespace tessera
