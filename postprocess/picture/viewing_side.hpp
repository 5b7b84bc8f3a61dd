// SPDX-License-Identifier: GPL-3.0-or-later
// Side from which all pictures show a geometry, that of the preview of tessera-preprocess.
#pragma once

#include "pipelines/picture/camera.hpp"
#include "postprocess/results/results.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::picture {

// By the surface of the geometry and its openings; of images by the voxel faces of the wall and the
// openings.
tessera::picture::Side viewingSide(const results::Results& results,
                                   const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::picture
