// SPDX-License-Identifier: GPL-3.0-or-later
// Where a plane cuts a surface.
#pragma once

#include <array>
#include <vector>

#include "pipelines/picture/camera.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::postprocess::picture {

struct CutSegment {
  tessera::picture::Point a, b;  // as the camera sees them
  preprocess::geometry::Patch label = 0;
};

// One segment for each triangle that the plane through the camera's target, across its view, cuts.
// A vertex on the plane counts as in front, so that the segments of a closed surface close.
std::vector<CutSegment> cutSurface(const std::vector<Double3>& vertex,
                                   const std::vector<stage::Triangle>& triangle,
                                   const std::vector<preprocess::geometry::Patch>& label,
                                   const tessera::picture::Camera& camera);

// Which pixel centres of rows [0, height) x [0, width) lie inside the closed outline (even-odd).
std::vector<char> insideOutline(const std::vector<CutSegment>& outline, int width, int height);

}  // namespace tessera::postprocess::picture
