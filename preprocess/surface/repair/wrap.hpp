// SPDX-License-Identifier: GPL-3.0-or-later
// --wrap: a closed surface round triangles that nothing else can close, with the openings of the
// vessel. Steps: ends are found and extended by closed tubes (wrap_ends.hpp), holes with a rim in
// the wall are filled, all is wrapped (alpha_wrap.hpp), the wrap's vertices are moved inward by the
// offset onto the surface, the ends are cut off at their planes, and sheets within, free or rooted
// on the wall, stay as they are. Facets that span a convex wall lie within the offset of it, since
// the wrap does not cross the surface.
#pragma once

#include <string>

#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

// The offset is this part of the length alpha.
constexpr double wrapOffsetShare = 1.0 / 30.0;

// As repair(), with WrapFacts. alpha: m, radius of the holes that are bridged. Sheets that
// takeSheets() finds in the surface as read stay, whatever their size, but for single triangles;
// one that does not is a warning. Others, such as those in a wall of unconnected triangles, stay if
// they are larger than (2 alpha)^2 and half of them is farther than a tenth of alpha from the wrap.
// Solids inside the vessel vanish. Throws StageError(Usage) for a length out of range, (BadInput)
// when the wrap enters the vessel and becomes a shell round its wall, or an end is not found again.
// The same bytes each run, on any number of threads.
RepairedMesh wrap(const read::TriangleSoup& soup, double metresPerUnit, const std::string& name,
                  const RepairRequest& request, double alpha);

}  // namespace tessera::preprocess::surface
