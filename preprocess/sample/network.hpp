// SPDX-License-Identifier: GPL-3.0-or-later
// A plane network of channels, as on a microfluidic chip: the nodes of a square lattice, moved at
// random if asked, joined by straight channels with round ends, some of them left out. Openings are
// on the left and right side; every pore is connected with the left one, and left with right.
#pragma once

#include "preprocess/sample/image.hpp"

namespace tessera::preprocess::sample {

struct NetworkShape {
  Int3 cells{12, 8, 1};  // nodes of the lattice along x and y
  int cell = 40;         // pixels between nodes
  double width = 10.0;   // mean of the channels, pixels
  double spread = 0.0;   // standard deviation of the width over its mean: log-normal; 0: all alike
  double jitter = 0.0;   // how far nodes move each way, in cells, up to 0.3
  double keep = 1.0;     // part of the channels that is there; more where left and right need it
  std::uint64_t seed = 1;
};
struct Network {
  SampleImage image;
  double kept = 0.0;  // part of the channels
};
// Throws StageError(Usage) that names the option.
Network sampleNetwork(const NetworkShape& shape);

}  // namespace tessera::preprocess::sample
