// SPDX-License-Identifier: GPL-3.0-or-later
// A vessel as a segmented scan would show it: a label image in MetaImage (.mha), with the lumen as
// label 1, its voxel size and its position in the patient's frame (LPS, mm).
#pragma once

#include "preprocess/sample/image.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera::preprocess::sample {

struct Scan {
  SampleImage image;   // 1: lumen, 0: all else
  Double3 origin{};    // m, middle of voxel 0
  double voxel = 0.0;  // m
  // Planes that cut off the last voxel of each end, the widest first.
  std::vector<TubeEnd> ends;
};

// Voxels whose middle is in the vessel, between its ends, with a margin of two voxels around it.
// Throws StageError(Usage), naming --voxel, for fewer than four voxels across an end, or 10^9 in
// all.
Scan scanOf(const Vessel& vessel, double voxel);

// Header and voxels of an .mha file.
std::string scanHeader(const Scan& scan);

}  // namespace tessera::preprocess::sample
