// SPDX-License-Identifier: GPL-3.0-or-later
// Sample images: one byte a voxel, pore or solid, and the ones that are simple: boxes, the plane
// channel, the plane expansion. Shapes that cannot be made throw StageError(Usage) with a sentence
// that names the option.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::sample {

constexpr std::uint8_t poreValue = 0;
constexpr std::uint8_t solidValue = 1;

// One value a voxel, x fastest, then y, then z. A picture has size[2] = 1.
struct SampleImage {
  Int3 size{};
  std::vector<std::uint8_t> value;

  [[nodiscard]] double porosity() const;
  [[nodiscard]] std::size_t index(int x, int y, int z) const;
};

// All pore.
SampleImage sampleBoxImage(const Int3& size);
// A plane channel along x: pore between two solid rows, y = 0 and y = size[1] - 1.
SampleImage sampleChannelImage(int length, int height);

// A plane sudden expansion along x between solid rows y = 0 and y = size[1] - 1: a narrow channel
// up to column step, the whole height after it. The narrow channel is in the middle, or along
// y = 1 for a backward-facing step. Experiments: symmetric of ratio 3, where the flow leaves the
// middle above a critical Reynolds number, Fearn, Mullin and Cliffe, J Fluid Mech 211:595, 1990;
// backward-facing of ratio 1.94, Armaly et al., J Fluid Mech 127:473, 1983.
struct ExpansionPicture {
  Int3 size{600, 62, 1};  // pixels, the two rows counted
  double ratio = 3.0;     // of the open heights; the narrow one is rounded to whole pixels
  int step = 120;         // first column of the wide part
  bool oneSided = false;
};
SampleImage sampleExpansionImage(const ExpansionPicture& shape);

}  // namespace tessera::preprocess::sample
