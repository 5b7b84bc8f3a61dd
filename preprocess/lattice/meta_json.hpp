// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the "meta" section that geom.vdb and geom.tiles have in common, as JSON with keys in
// a fixed order. Reading throws Json::exception when a key is missing or of another type.
#pragma once

#include <vector>

#include "pipelines/stage/json.hpp"
#include "preprocess/lattice/lattice_geometry.hpp"

namespace tessera {

// Spacing, origin, axes and space (where it is known), as keys of meta itself.
void addFrame(Json& meta, const Frame& frame);
Frame frameOf(const Json& meta);

Json openingsToJson(const std::vector<Opening>& openings);
std::vector<Opening> openingsFromJson(const Json& list);

}  // namespace tessera
