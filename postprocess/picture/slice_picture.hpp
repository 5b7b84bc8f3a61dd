// SPDX-License-Identifier: GPL-3.0-or-later
// Speed and pressure on a plane through the geometry.
#pragma once

#include <optional>

#include "pipelines/picture/image.hpp"
#include "postprocess/node_lookup.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

enum class SliceOf { Speed, Pressure };

// Main: the plane of the two longest principal axes of the wall (of the box's sides for images);
// Across: of the longest and the shortest. Each where it holds most nodes.
enum class SlicePlane { Main, Across };

// With the wall's outline, openings dashed. Nothing when there are no nodes.
std::optional<Image> drawSlice(const Results& results, const Fields& fields,
                               const NodeLookup& lookup, SliceOf what, SlicePlane plane);

}  // namespace tessera
