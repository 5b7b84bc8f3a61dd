// SPDX-License-Identifier: GPL-3.0-or-later
// Speed and pressure on a plane through the geometry.
#pragma once

#include <optional>

#include "pipelines/picture/image.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::picture {

enum class SliceOf { Speed, Pressure };

// Main: the plane of the two longest principal axes of the wall (of the box's sides for images);
// Across: of the longest and the shortest. Each where it holds most nodes.
enum class SlicePlane { Main, Across };

// With the wall's outline, openings dashed. Nothing when there are no nodes.
std::optional<tessera::picture::Image> drawSlice(const results::Results& results,
                                                 const solver::file::Fields& fields,
                                                 const fields::NodeLookup& lookup, SliceOf what,
                                                 SlicePlane plane);

}  // namespace tessera::postprocess::picture
