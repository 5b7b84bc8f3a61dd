// SPDX-License-Identifier: GPL-3.0-or-later
// Streamlines as lit tubes, coloured by speed, inside a wall of glass.
#pragma once

#include <optional>

#include "pipelines/picture/image.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/picture/wall_picture.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::picture {

// From the openings that fluid comes in through; of a pulsatile run along the mean velocity over
// the cycle. Seen as the model's camera sees it. Walls made of voxels are left out for the edges of
// the box. Nothing where nothing flows. Changes the model's shades only.
std::optional<tessera::picture::Image> drawStreamlines(const results::Results& results,
                                                       const solver::file::Fields& fields,
                                                       const fields::NodeLookup& lookup,
                                                       WallModel& model);

}  // namespace tessera::postprocess::picture
