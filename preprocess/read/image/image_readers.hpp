// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of the image formats, one .cpp each, with the format's description. All throw
// StageError(BadInput) for a file that is missing, truncated, malformed or unsupported. parse...:
// from memory, compressed or not; name: for messages; folder: of the header, for a separate voxel
// file (empty: the voxels must follow the header). Of a NIfTI pair either file may be given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/read/child/child_reader.hpp"
#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

Image readNifti(const std::filesystem::path& path);
Image parseNifti(WholeFile file, const std::string& name);
Image parseNiftiPair(const WholeFile& header, WholeFile voxels, const std::string& name);

Image readNrrd(const std::filesystem::path& path);
Image parseNrrd(WholeFile file, const std::string& name, const std::filesystem::path& folder = {});

Image readMetaImage(const std::filesystem::path& path);
Image parseMetaImage(WholeFile file, const std::string& name,
                     const std::filesystem::path& folder = {});

Image readTiff(const std::filesystem::path& path);
Image parseTiff(WholeFile file, const std::string& name);

Image readPng(const std::filesystem::path& path);
Image parsePng(WholeFile file, const std::string& name);

Image readPgm(const std::filesystem::path& path);
Image parsePgm(WholeFile file, const std::string& name);

// By GDCM, in a child process. Files and folders of one or more series; number: of the series, from
// 1, required where there are several. Throws StageError(Usage) listing them otherwise.
Image readDicom(const std::filesystem::path& path);
Image readDicomSeries(const std::vector<std::filesystem::path>& paths,
                      std::optional<std::int64_t> number);
// The same by the messages of other processes.
Image readDicomSeries(const std::vector<std::filesystem::path>& paths,
                      std::optional<std::int64_t> number, const OpenChild& open);

Image readRaw(const std::filesystem::path& path, const Int3& size, VoxelType type);
Image parseRaw(WholeFile file, const std::string& name, const Int3& size, VoxelType type);

}  // namespace tessera::preprocess::read
