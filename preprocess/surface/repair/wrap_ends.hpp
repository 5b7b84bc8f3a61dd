// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of vessels across a wrap: each is extended by a straight, closed tube before it, so that
// nothing enters the vessel there, and cut off at its plane after it. The opening so keeps its
// place, normal and sharp rim.
#pragma once

#include <string>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

struct WrapEnd {
  std::vector<Double3> rim;             // m, counter-clockwise about the normal
  Double3 centre{}, normal{};           // of the rim's mean plane, outward
  double area = 0.0;                    // m2
  Cap cap;                              // without triangles: name, origin, face
  geometry::Patch label = 0;            // of the wall there
  [[nodiscard]] double radius() const;  // m, of the circle of the same area
};

// Whether a loop's rim is too long for an end of its area (4 pi A / P^2 < 0.3).
bool isThin(const BoundaryLoop& loop);

// Ends at the open loops that are openings (isOpening()), compact and not the border of a shallow
// patch. Outward: away from the wall at the rim,
// whatever its orientation. Separately meshed caps give their face.
std::vector<WrapEnd> endsOfLoops(const JoinedSurface& joined);

// Ends at the caps of a closed, outward mesh.
std::vector<WrapEnd> endsOfCaps(const geometry::TriangleMesh& mesh, const std::vector<Cap>& caps);

// Adds the closed tubes, of this length (m) beyond the rims.
void extendEnds(const std::vector<WrapEnd>& ends, double length, geometry::TriangleMesh& mesh);

// Cuts the wrap at the planes of the ends and covers it there. Returns the caps in this order, the
// last triangles of the mesh. Throws StageError(BadInput) for an end that is not found again with
// its area.
std::vector<Cap> cutEnds(const std::vector<WrapEnd>& ends, double alpha,
                         geometry::TriangleMesh& mesh);

// Applies the user's cuts; caps that they remove are dropped, theirs follow. Throws
// StageError(Usage) for a plane.
void coverCutsOfUser(const std::vector<CutPlane>& cuts, geometry::TriangleMesh& mesh,
                     std::vector<Cap>& caps, std::vector<std::string>& warnings);

// First of the triangles that cover something.
std::uint32_t firstOfCaps(const geometry::TriangleMesh& mesh, const std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
