// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the "meta" section that geom.vdb and geom.tiles have in common, as JSON with keys in
// a fixed order. Reading throws Json::exception when a key is missing or of another type.
#pragma once

#include <vector>

#include "pipelines/stage/io/json.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

// Spacing, origin, axes and space (where it is known), as keys of meta itself.
void addFrame(stage::Json& meta, const geometry::Frame& frame);
geometry::Frame frameOf(const stage::Json& meta);

stage::Json openingsToJson(const std::vector<geometry::Opening>& openings);
std::vector<geometry::Opening> openingsFromJson(const stage::Json& list);

}  // namespace tessera::preprocess::file
