// SPDX-License-Identifier: GPL-3.0-or-later
// Labelled images: RAW (x fastest, then y, z; little-endian; size given) and PGM (P2, P5; a 2D
// geometry, first row is y = 0).
#pragma once

#include <filesystem>

#include "preprocess/lattice/bit_lattice.hpp"
#include "preprocess/read/image.hpp"

namespace tessera {

// Throws StageError(BadInput) when missing or when its size is not that of size and type.
Image readRaw(const std::filesystem::path& path, const Int3& size, VoxelType type);
// Throws StageError(BadInput) when missing, truncated or malformed.
Image readPgm(const std::filesystem::path& path);

// One voxel is one node: those whose value lies in [low, high] are fluid. Parallel.
BitLattice fluidOf(const Image& image, double low, double high);

}  // namespace tessera
