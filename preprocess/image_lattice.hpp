// SPDX-License-Identifier: GPL-3.0-or-later
// From an image to the lattice: one voxel, one node; sides of the box may be openings.
#pragma once

#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/read/image.hpp"

namespace tessera {

struct ImagePlan {
  Image image;
  double memory = 0.0;   // bytes, estimated
  double seconds = 0.0;  // estimated, on two cores
};

// Reads and checks the image. Throws StageError(BadInput), (Usage).
ImagePlan planImage(const PreprocessOptions& options);

// Throws StageError(NoResource) before any work when memory will not do.
LatticeGeometry latticeFromImage(ImagePlan&& plan, const PreprocessOptions& options,
                                 PreprocessReport& report);

}  // namespace tessera
