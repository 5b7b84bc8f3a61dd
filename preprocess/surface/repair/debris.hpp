// SPDX-License-Identifier: GPL-3.0-or-later
// Parts without volume, such as stray triangles and sheets that do not lie in the vessel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Marks parts of less than a millionth of the largest one's volume (1 % in length).
std::vector<char> debrisOf(const Parts& parts);

// Sentence about the largest part of the debris from 0.2 % of the surface on, such as a valve in
// the plane of an opening or outside of the vessel; empty: none. Separately meshed caps are none,
// nor are faces with names, which may be caps that are found later. ofFile: the triangles before
// those that close holes.
std::string describeDebris(const geometry::TriangleMesh& mesh, const Parts& parts,
                           const std::vector<char>& isDebris, const std::vector<Cap>& caps,
                           std::uint32_t ofFile);

}  // namespace tessera::preprocess::surface
