// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of a reading child process (confined.hpp) to tessera-preprocess (child_reader.hpp): a
// kind, then its fields in the machine's byte order, texts and arrays behind their length. The
// stream begins with the magic number and ends with End or Refusal.
#pragma once

#include <cstdint>

namespace tessera::preprocess::read {

constexpr std::uint32_t childMagic = 0x31525354;  // "TSR1"
constexpr int childPipe = 3;                      // descriptor of the stream in the child

enum class ChildMessage : std::uint32_t {
  End = 0x444e4501,
  Refusal,     // sentence
  NoImage,     // DICOM: the next file is not DICOM, or is without voxels
  DicomImage,  // DICOM: header of the next file
  Voxels,      // DICOM: voxels of the next slice
  Unit,        // 3MF: metres per unit
  Mesh,        // 3MF: one object as it is built
};

}  // namespace tessera::preprocess::read
