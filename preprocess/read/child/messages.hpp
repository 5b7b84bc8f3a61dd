// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of a reading child process (confined.hpp) to tessera-preprocess (child_reader.hpp): a
// kind, then its fields in the machine's byte order, texts and arrays behind their length. The
// stream begins with the magic number and ends with End or Refusal.
#pragma once

#include <cstdint>

namespace tessera::preprocess::read {

constexpr std::uint32_t childMagic = 0x31525354;  // "TSR1"
constexpr int childPipe = 3;                      // descriptor of the stream in the child

// Bytes of a DICOM file per frame at least; the position of a frame alone takes about a hundred.
constexpr std::uint64_t leastFrameBytes = 100;
constexpr bool canHoldFrames(std::uint64_t bytes, std::uint64_t frames) {
  return frames <= 1 || frames <= bytes / leastFrameBytes;
}

enum class ChildMessage : std::uint32_t {
  End = 0x444e4501,
  Refusal,     // sentence
  NoImage,     // DICOM: the next file is not DICOM, without voxels, or too short for its frames
  DicomImage,  // DICOM: header of the next file
  Voxels,      // DICOM: voxels of the next slice
  Unit,        // 3MF: metres per unit
  Mesh,        // 3MF: one object as it is built
};

}  // namespace tessera::preprocess::read
