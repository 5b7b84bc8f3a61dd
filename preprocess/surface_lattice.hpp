// SPDX-License-Identifier: GPL-3.0-or-later
// From a surface to the lattice, in two steps: all that is cheap and may refuse, then the work
// that grows with the number of nodes.
#pragma once

#include <string>
#include <vector>

#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"

namespace tessera {

struct SurfacePlan {
  TriangleMesh mesh;  // metres, repaired, labelled; open on the end planes of periodic axes
  std::vector<Opening> openings;
  LatticeChoice lattice;
  Double3 extent{};         // m, of the surface's box
  double memory = 0.0;      // bytes, estimated
  double seconds = 0.0;     // estimated, on two cores
  PreprocessReport report;  // volumes, repairs and warnings so far
};

// Reads, repairs, finds the openings, chooses the lattice. Throws StageError(BadInput), (Usage).
SurfacePlan planSurface(const PreprocessOptions& options);

// Voxelises, keeps what is connected, finds the links; completes the report. Throws
// StageError(NoResource) before any of it when memory will not do.
LatticeGeometry latticeFromSurface(SurfacePlan&& plan, const PreprocessOptions& options,
                                   PreprocessReport& report);

// For people: "a box of 730 x 342 x 334 nodes".
std::string describeBox(const LatticeChoice& lattice);

}  // namespace tessera
