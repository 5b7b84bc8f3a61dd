// SPDX-License-Identifier: GPL-3.0-or-later
// The health of a geometry's surface, as its file carries it.
#pragma once

#include <cstddef>

#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::report {

struct SurfaceCheck {
  std::size_t openEdges = 0;  // that do not have two triangles
  double area = 0.0;          // m2, caps over the openings included
  double volume = 0.0;        // m3, enclosed
  double nodeVolume = 0.0;    // m3, of the fluid nodes' cubes
};

SurfaceCheck checkSurface(const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::report
