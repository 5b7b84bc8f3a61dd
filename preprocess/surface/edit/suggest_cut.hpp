// SPDX-License-Identifier: GPL-3.0-or-later
// For a closed surface without openings: where one of its ends could be cut off.
#pragma once

#include <optional>
#include <string>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

// The text of a --cut that was tried: one cross-section of about one radius before the end that
// lies farthest from the surface's middle, square to the vessel there. Absent where the surface has
// no such end: a ball, a box. metresPerUnit: of the text's point.
std::optional<std::string> suggestCut(const geometry::TriangleMesh& mesh, double metresPerUnit);

}  // namespace tessera::preprocess::surface
