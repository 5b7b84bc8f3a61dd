// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of images give: voxel values of any type, and where they lie in the world.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "preprocess/lattice/frame.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera {

enum class VoxelType { U8, I8, U16, I16, U32, I32, F32, F64 };
constexpr std::size_t bytesOf(VoxelType type) {
  constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

// Voxels with x fastest, then y, then z. Voxel (i, j, k) has its centre at
// origin + i voxel[0] axis[0] + j voxel[1] axis[1] + k voxel[2] axis[2].
struct Image {
  int dimensions = 3;  // 2: one voxel thick on z
  Int3 size{0, 0, 0};
  VoxelType type = VoxelType::U8;
  bool bigEndian = false;
  std::size_t start = 0;  // of the first voxel in the bytes
  WholeFile file;         // uncompressed
  double slope = 1.0;     // a voxel's value is slope * stored + intercept
  double intercept = 0.0;
  // The world, in metres; voxel is zero where the file does not say how large a voxel is.
  Double3 voxel{0.0, 0.0, 0.0};
  Double3 origin{0.0, 0.0, 0.0};
  std::array<Double3, 3> axis{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::string space;  // "LPS" (NIfTI's RAS is turned into it), or empty where the file does not say

  [[nodiscard]] std::size_t voxels() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
  // slope * stored + intercept of a voxel.
  [[nodiscard]] double value(std::size_t voxel) const;
};

}  // namespace tessera
