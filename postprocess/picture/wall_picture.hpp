// SPDX-License-Identifier: GPL-3.0-or-later
// The wall coloured by a value on it: from where most shows, and from six sides.
#pragma once

#include "pipelines/picture/image.hpp"
#include "pipelines/picture/tube.hpp"
#include "postprocess/picture/wall_values.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

// What all pictures of one wall share.
struct WallModel {
  bool flat = false;                  // 2D
  tessera::picture::RenderMesh mesh;  // without shades
  tessera::picture::Camera camera;    // from where most of the wall and of its highest shear shows
  std::vector<tessera::picture::Edge> rimEdges;  // of the openings
  tessera::picture::RenderMesh rims;  // wires along them, as thick as that camera wants them
};

// The results must have a wall. In 2D it is seen from +z.
WallModel wallModel(const results::Results& results, const WallValues& shear);

// Rims of the openings drawn, caps left open; in 2D, where nothing else of the wall can be seen,
// its rims are coloured. Changes the model's shades only.
tessera::picture::Image drawWall(const results::Results& results, const WallValues& values,
                                 WallModel& model);

// The same along +x, -x, +y, -y, +z and -z, at one scale on one page.
tessera::picture::Image drawWallViews(const results::Results& results, const WallValues& values,
                                      WallModel& model);

}  // namespace tessera::postprocess::picture
