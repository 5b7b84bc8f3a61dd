// SPDX-License-Identifier: GPL-3.0-or-later
// NIfTI-1 and NIfTI-2: .nii, .nii.gz and pairs of .hdr and .img. Layout and meaning of the header
// from nifti1.h and nifti2.h of the NIfTI Data Format Working Group (https://nifti.nimh.nih.gov).
//
// The world is sform's where its code is above 0, else qform's, else what pixdim says (sizes, but
// no place, with a warning); coordinates that grow to the right and anterior are turned into ours.
// Values are scaled by scl_slope and scl_inter. Where no unit is told it is mm, with a warning.
//
// A reader of our own and not niftiio: that reads from paths only, allocates what a header asks for
// before it looks at the file, and prints to stderr; of all it does, headers of 348 and 540 bytes
// are what is needed here.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Of a pair either file may be given. Throws StageError(BadInput) when the file is missing,
// truncated, malformed, sheared, an ANALYZE file, of several volumes or of a type that is no
// VoxelType.
Image readNifti(const std::filesystem::path& path);
// The same of bytes that are in memory, compressed or not; name: for sentences.
Image parseNifti(WholeFile file, const std::string& name);
Image parseNiftiPair(const WholeFile& header, WholeFile voxels, const std::string& name);

}  // namespace tessera::preprocess::read
