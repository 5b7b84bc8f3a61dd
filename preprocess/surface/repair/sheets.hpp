// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets: walls without thickness that have fluid on both sides, such as valve leaflets, flaps,
// membranes and septa. They close nothing, so they are kept apart from the closed surface and the
// voxeliser never sees them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/repair/close_surface.hpp"
#include "preprocess/surface/topology/drop_duplicates.hpp"

namespace tessera::preprocess::surface {

struct Sheet {
  Double3 centre{};   // m, area centroid
  double area = 0.0;  // m2, of one side
};

struct FoundSheets {
  geometry::TriangleMesh mesh;  // metres, with vertices of its own; labels as in the surface
  std::vector<Sheet> sheet;
  std::vector<std::uint32_t> firstTriangle;  // of each sheet
  // Their triangles in the surface with those without thickness appended, one side of each.
  std::vector<std::uint32_t> ofSurface;
  std::size_t pinholes = 0;  // closed, of a radius below 1 % of the square root of the sheet's area
  std::size_t fromTwoSided = 0;  // triangles, of those that were dropped as two-sided
};

// Removes the sheets from a surface that is not closed yet; its vertices stay. A part is a set of
// triangles joined across edges: on an edge of more than two triangles the two that continue each
// other most smoothly are joined, so that a sheet welded to the wall is a part of its own. A part
// is a sheet if
// - it is open, its loops with a sharp rim over 5 % of its area or more: a body with a hole is not;
// - its box is longer than 0.5 %, the square root of its area larger than 0.2 % of the surface's
//   longest extent: smaller ones are debris;
// - three quarters of it lie in other parts, closed by fans, as do the centres of its flat loops,
//   both with a margin of 1 % of the square root of its area: a vessel in another one that shares
//   its ends is not, nor is a separately meshed cap over an opening, which is also known by its
//   place and area.
//
// twoSided: triangles without thickness that were removed, which are examined as well.
FoundSheets takeSheets(geometry::TriangleMesh& mesh, const DroppedDuplicates& twoSided);

// Whether a point (m) lies in a closed surface.
using IsWithin = std::function<bool(const Double3&)>;

// Open parts as above, of which half or more is within: the root of a leaflet is at the wall.
struct InnerParts {
  FoundSheets sheets;
  std::vector<Sheet> lost;             // known sheets that are not within
  std::uint64_t debris = 0;            // single triangles among the known sheets
  std::vector<char> isInner, isSheet;  // by triangle of the mesh
  std::vector<BoundaryLoop> loops;     // of all of them
};

// Parts to be looked for in a surface.
struct InnerSearch {
  double size = 0.0;          // m; parts that are not known are larger than its square
  IsWithin isDeep;            // farther than some distance from the closed surface
  std::vector<char> isKnown;  // by triangle: of a sheet that takeSheets() found
  IsWithin holds;             // for known sheets
  double leastHeld = 0.0;     // share of a known sheet that is more than this
};

// Inner parts of any surface. Sheets are those with a sharp rim and the centres of all flat loops
// within, and known ones that are held, of any size but those of a single triangle.
InnerParts innerParts(const geometry::TriangleMesh& mesh, const InnerSearch& search);

// Removes the sheets that lie outside of a closed surface, as beyond a cut.
void dropSheetsOutside(const geometry::TriangleMesh& closed, FoundSheets& sheets);

}  // namespace tessera::preprocess::surface
