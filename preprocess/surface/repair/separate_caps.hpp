// SPDX-License-Identifier: GPL-3.0-or-later
// Separately meshed caps over the open ends of a surface: parts without volume.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Parts without volume, but for rings. mesh: closed, so that sheets have two sides; its labels are
// the file's faces. parts: of the mesh. ofFile: the triangles before those that close holes.
std::vector<FlatPart> flatPartsOf(const geometry::TriangleMesh& mesh, const Parts& parts,
                                  std::uint32_t ofFile);

// Whether the fans over the loops of a flat part cover more than it does once, as they do a ring's.
// area, closed: m2, of its triangles without and with the fans.
inline bool isRing(double area, double closed) {
  return closed > 2.05 * area;
}

// Whether a flat part, closed and so of two sides, has the place and area of a cap.
bool liesOver(const geometry::TriangleMesh& mesh, const Cap& cap, const FlatPart& part);

// Assigns to the caps over open loops the face of a sheet there, a part without volume of similar
// size and position.
void assignSeparateCaps(const geometry::TriangleMesh& mesh, const std::vector<FlatPart>& sheets,
                        std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
