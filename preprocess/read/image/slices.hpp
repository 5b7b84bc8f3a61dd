// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks of slices: 2D images (PNG, TIFF of one page, PGM; also compressed) of one size and type,
// one for each plane along z. Their order is that of their names with numbers compared by value:
// slice2.png before slice10.png.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Order of names: digits as numbers, all else by bytes; equal ones ("a1", "a01") as texts.
bool isBefore(std::string_view name, std::string_view other);

// Slices in a folder, in their order: regular files of one of the formats, hidden ones excepted.
// Throws StageError(BadInput) for a folder that cannot be listed, without slices, with images of
// several formats, or whose names differ in more than numbers (several stacks).
std::vector<std::filesystem::path> slicesIn(const std::filesystem::path& folder);

// Files given one by one, in their order. Throws StageError(Usage) unless all are of one of the
// formats and none is given twice.
std::vector<std::filesystem::path> inOrder(std::vector<std::filesystem::path> slices);

// Warnings about slices in order: numbers that are missing or occur twice, names that differ in
// several numbers or in letters.
std::vector<std::string> orderWarnings(std::span<const std::filesystem::path> slices);

// Slices in order as planes from z = 0 on, with the warnings about their order. Parallel; memory:
// the voxels and a slice per thread. The voxel size is undefined. Throws StageError(BadInput) for a
// slice that is unreadable, not 2D or of another size or type than the first, (NoResource) before
// the others are read when memory does not suffice.
Image readStack(std::span<const std::filesystem::path> slices);

// The same from any source: slice(k) returns the slice of that name; called in parallel.
Image stackOf(std::span<const std::string> names, const std::function<Image(std::size_t)>& slice);

}  // namespace tessera::preprocess::read
