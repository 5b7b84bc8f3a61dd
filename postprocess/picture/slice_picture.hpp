// SPDX-License-Identifier: GPL-3.0-or-later
// The speed on a plane through the geometry.
#pragma once

#include <optional>

#include "pipelines/picture/image.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera {

// The plane of the two longest principal axes of the wall (of the box's sides for images), where
// it holds most nodes; with the
// wall's outline, openings dashed. Nothing when there are no nodes.
std::optional<Image> drawVelocitySlice(const Results& results, const Fields& fields,
                                       const TiledGeometry& geometry);

}  // namespace tessera
