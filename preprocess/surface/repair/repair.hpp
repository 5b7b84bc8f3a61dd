// SPDX-License-Identifier: GPL-3.0-or-later
// Repair of a surface: from loose triangles to a closed, outward-oriented mesh on which the signed
// crossings of every ray sum to zero. Steps: weld, orient by adjacency, close the chain. The
// directed edges of any set of triangles decompose into closed loops (the boundary of a boundary is
// zero), so fans over the loops always close the surface; refused is a surface with too much to be
// added.
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

// Origin of an opening.
enum class CapOrigin { Loop, FlatCap, Face, Side, Cut };

// Triangles of one cap over an opening.
struct Cap {
  std::vector<std::uint32_t> triangle;
  std::string name;  // empty: named by its id
  CapOrigin origin = CapOrigin::Loop;
  std::optional<geometry::Patch> face{};  // of the file, which names an unnamed cap
};

// Place that resembles an opening and was not taken: an open loop or a flat patch.
struct OpeningCandidate {
  Double3 centre{};   // m
  Double3 normal{};   // unit; of a loop up to sign
  double area = 0.0;  // m2
  std::string reason;
  [[nodiscard]] double radius() const;  // m, of the circle of the same area
};

struct RepairRequest {
  std::optional<double> weld;  // m, tolerance for corners on unmatched edges; absent: 2^-20 of the
                               // longest extent, which is also the minimum
  HoleFiller fillHole;         // for non-planar holes; empty: fans, and smaller holes only
  std::vector<CutPlane> cuts{};  // applied before anything is closed or refused
};

struct RepairedMesh {
  geometry::TriangleMesh
      mesh;                // metres, closed, outward; labels: the soup's faces, empty without them
  std::vector<Cap> caps;   // over cuts, and the large near-planar loops the file left open
  double tolerance = 0.0;  // m, below which vertices coincide
  std::vector<std::pair<std::string, std::uint64_t>>
      repairs;  // counts by name, in order of the steps
  std::vector<std::string> warnings;
  SurfaceHealth asRead;                       // welded, before anything else
  std::vector<OpeningCandidate> closedLoops;  // holes closed as walls, with the reason
  PartCount parts;                            // after repair; without overlaps
  std::uint32_t closingFrom = 0;              // first triangle that closes a hole or opening
};

// Throws StageError(BadInput) when the surface cannot be closed, (Usage) when the weld is too large
// or too small for its extent. name: of the file, for messages. metresPerUnit: of the soup's
// coordinates. Independent of the number of threads.
RepairedMesh repair(const read::TriangleSoup& soup, double metresPerUnit, const std::string& name,
                    const RepairRequest& request = {});

}  // namespace tessera::preprocess::surface
