// SPDX-License-Identifier: GPL-3.0-or-later
// Named faces that repair drops, such as a valve in the plane of an opening.
#pragma once

#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess {

// Removes the parts that are separately meshed caps, whose names the openings there have.
void dropSeparateCaps(const geometry::TriangleMesh& mesh, const std::vector<surface::Cap>& caps,
                      std::vector<surface::DebrisPart>& debris);

// Adds a warning for each face of which a part of 0.2 % of the surface or more was dropped, or all:
// the largest part, with its place and the opening that it lies in, if any. area: m2, of the
// surface.
void warnAboutLostFaces(const std::vector<surface::DebrisPart>& debris,
                        const std::vector<std::string>& faceName,
                        const std::vector<std::string>& wallNames,
                        const std::vector<geometry::Opening>& openings, double area,
                        std::vector<std::string>& warnings);

}  // namespace tessera::preprocess
