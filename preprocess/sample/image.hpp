// SPDX-License-Identifier: GPL-3.0-or-later
// Sample images, one byte per voxel, pore or solid: boxes, the plane channel, the plane expansion
// and a network of channels. Impossible shapes throw StageError(Usage) naming the option.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::sample {

constexpr std::uint8_t poreValue = 0;
constexpr std::uint8_t solidValue = 1;

// One value per voxel, x fastest, then y, then z. 2D: size[2] = 1.
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

// Plane sudden expansion along x between solid rows y = 0 and y = size[1] - 1: a narrow channel up
// to column step, the full height behind it. The narrow channel is centred, or along y = 1 for a
// backward-facing step. Experiments: symmetric of ratio 3, with symmetry breaking above a critical
// Reynolds number, Fearn, Mullin and Cliffe, J Fluid Mech 211:595, 1990; backward-facing of ratio
// 1.94, Armaly et al., J Fluid Mech 127:473, 1983.
struct ExpansionPicture {
  Int3 size{600, 62, 1};  // pixels, including the two rows
  double ratio = 3.0;     // of the open heights; the narrow one is rounded to pixels
  int step = 120;         // first column of the wide part
  bool oneSided = false;
};
SampleImage sampleExpansionImage(const ExpansionPicture& shape);

// Plane network of channels, as on a microfluidic chip: nodes of a square lattice, optionally
// displaced at random, joined by straight channels with round ends, some of them omitted. Openings
// are on the left and right side; every pore is connected to the left one, and left to right.

struct NetworkShape {
  Int3 cells{12, 8, 1};  // nodes of the lattice along x and y
  int cell = 40;         // pixels between nodes
  double width = 10.0;   // mean channel width, pixels
  double spread = 0.0;   // standard deviation of the width over its mean, log-normal; 0: equal
  double jitter = 0.0;   // largest displacement of nodes on each axis, in cells, up to 0.3
  double keep = 1.0;     // part of the channels kept; more if needed to connect left and right
  std::uint64_t seed = 1;
};
struct Network {
  SampleImage image;
  double kept = 0.0;  // part of the channels
};
// Throws StageError(Usage) naming the option.
Network sampleNetwork(const NetworkShape& shape);

}  // namespace tessera::preprocess::sample
