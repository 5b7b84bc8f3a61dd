// SPDX-License-Identifier: GPL-3.0-or-later
// From the loose triangles of a file to a closed, outward oriented mesh on which every ray's
// signed crossings add up to zero: weld, orient by adjacency, close the chain. The sum of the
// directed edges of any set of triangles falls into closed loops (the boundary of a boundary is
// zero), so fanning each loop from its centroid always closes the surface; what is refused is a
// surface of which too much would have to be invented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/edit/cross_section.hpp"
#include "preprocess/surface/health/surface_health.hpp"

namespace tessera::preprocess::surface {

// How an opening came about.
enum class CapOrigin { Loop, FlatCap, Face, Side, Cut };

// Triangles of one cap, an opening of the vessel.
struct Cap {
  std::vector<std::uint32_t> triangle;
  std::string name;  // empty: named by its id later
  CapOrigin origin = CapOrigin::Loop;
  std::optional<geometry::Patch> face{};  // of the file, whose name it bears where it has none
};

struct RepairRequest {
  std::optional<double> weld;  // m, corners on unmatched edges this close become one; absent: 2^-20
                               // of the longest extent, which is also the least
  HoleFiller fillHole;         // for holes far from any plane; empty: fans, and smaller holes only
  std::vector<CutPlane> cuts{};  // metres; before anything is closed or refused
};

struct RepairedMesh {
  geometry::TriangleMesh
      mesh;                // metres, closed, outward; labels: the soup's faces, empty without them
  std::vector<Cap> caps;   // over cuts, and the large near-planar loops the file left open
  double tolerance = 0.0;  // m, below which two vertices are one
  std::vector<std::pair<std::string, std::uint64_t>> repairs;  // by name, in order of the steps
  std::vector<std::string> warnings;
  SurfaceHealth asRead;           // welded, before anything else
  PartCount parts;                // after repair; overlaps are not looked for
  std::uint32_t closingFrom = 0;  // the triangles from this one on close holes and openings
};

// Throws StageError(BadInput) with the reason when the surface cannot be closed, (Usage) when the
// weld is too large or too small for its extent. name: of the file, for the sentence.
// metresPerUnit: of the soup's coordinates. Same result for any number of threads.
RepairedMesh repair(const read::TriangleSoup& soup, double metresPerUnit, const std::string& name,
                    const RepairRequest& request = {});

}  // namespace tessera::preprocess::surface
