// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the "meta" section that geom.vdb and geom.tiles have in common, as JSON with keys in
// a fixed order. Reading throws nlohmann::json::exception when a key is missing or of another type.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "preprocess/lattice/lattice_geometry.hpp"

namespace tessera {

// Spacing, origin, axes and space (where it is known), as keys of meta itself.
void addFrame(nlohmann::ordered_json& meta, const Frame& frame);
Frame frameOf(const nlohmann::ordered_json& meta);

nlohmann::ordered_json openingsToJson(const std::vector<Opening>& openings);
std::vector<Opening> openingsFromJson(const nlohmann::ordered_json& list);

}  // namespace tessera
