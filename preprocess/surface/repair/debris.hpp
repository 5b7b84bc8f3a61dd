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

// Parts that are marked, in no more detail than flatPartsOf(). ofFile: the triangles before those
// that close holes.
std::vector<DebrisPart> debrisParts(const geometry::TriangleMesh& mesh, const Parts& parts,
                                    const std::vector<char>& isDebris, std::uint32_t ofFile);

// Whether it is a cap that is meshed apart from its vessel: a disc, which the fan over its loop
// covers once, where those over a ring's cover more.
bool isSeparateCap(const geometry::TriangleMesh& mesh, const Cap& cap, const DebrisPart& part);

// Sentence about the largest part of the debris from 0.2 % of the surface on, such as a valve in
// the plane of an opening or outside of the vessel; empty: none. Separately meshed caps are none.
// Not for faces with names, which may be caps that are found later (lost_faces.hpp).
std::string describeDebris(const geometry::TriangleMesh& mesh, const Parts& parts,
                           const std::vector<char>& isDebris, const std::vector<Cap>& caps,
                           std::uint32_t ofFile);

}  // namespace tessera::preprocess::surface
