// SPDX-License-Identifier: GPL-3.0-or-later
// Repair of a surface: from loose triangles to a closed, outward-oriented mesh on which the signed
// crossings of every ray sum to zero. Steps: weld, orient by adjacency, take out the sheets, close
// the chain. The directed edges of any set of triangles decompose into closed loops (the boundary
// of a boundary is zero), so fans over the loops always close the surface; refused is a surface
// with too much to be added.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/edit/cross_section.hpp"
#include "preprocess/surface/health/surface_health.hpp"
#include "preprocess/surface/repair/sheets.hpp"
#include "preprocess/surface/topology/drop_overlays.hpp"

namespace tessera::preprocess::surface {

// Origin of an opening.
enum class CapOrigin { Loop, FlatCap, Face, Side, Cut, Requested };

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
  std::vector<std::uint32_t> triangle{};
  bool hasHole = false;                 // a flat ring, see isFlatRing()
  std::size_t number = 0;               // that --open takes, from 1; 0: not shown
  [[nodiscard]] double radius() const;  // m, of the circle of the same area
};

struct RepairRequest {
  std::optional<double> weld;  // m, tolerance for corners on unmatched edges; absent: 2^-20 of the
                               // longest extent, which is also the minimum
  HoleFiller fillHole;         // for non-planar holes; empty: fans, and smaller holes only
  std::vector<CutPlane> cuts{};  // applied before anything is closed or refused
  bool keepSheets = true;        // else they are removed
  // Reads the soup again, for the advice of a refusal; without it the soup is kept until then.
  std::function<read::TriangleSoup()> readAgain{};
};

// Facts of a wrapped surface, see wrap().
struct WrapFacts {
  double alpha = 0.0, offset = 0.0;    // m
  std::optional<double> volumeBefore;  // m3; absent for a surface that could not be closed, or cut
  double volume = 0.0;                 // m3, of the wrap
  double farthest = 0.0;               // m, sampled, between the wrap and the surface
  double enclosedShare = 0.0;          // of the surface's area, inside the wrap and without effect
  std::uint64_t triangles = 0;         // of the wrap
  bool endsAreKnown = false;           // all ends were found before wrapping
};

// Large non-planar hole that was filled, with its warning, which --open there makes void.
struct FilledHole {
  Double3 centre{};     // m
  double radius = 0.0;  // m
  std::string warning;
};

// Part without volume that was dropped.
struct DebrisPart {
  double area = 0.0;  // m2, of the triangles of the file
  FlatPart closed;    // with those that close its holes
};

struct RepairedMesh {
  geometry::TriangleMesh
      mesh;                // metres, closed, outward; labels: the soup's faces, empty without them
  EdgeTable edges;         // of the mesh
  std::vector<Cap> caps;   // over cuts, and the large near-planar loops the file left open
  FoundSheets sheets;      // apart from the mesh
  double tolerance = 0.0;  // m, below which vertices coincide
  std::vector<std::pair<std::string, std::uint64_t>>
      repairs;  // counts by name, in order of the steps
  std::vector<std::string> warnings;
  SurfaceHealth asRead;                       // welded, before anything else
  SurfaceHealth closed;                       // of the mesh
  std::vector<OpeningCandidate> closedLoops;  // holes closed as walls, with the reason
  std::vector<FlatPart> flatParts;            // of named faces, dropped
  std::vector<DebrisPart> debris;             // of named faces, with overlaid caps
  std::optional<FilledHole> filled;           // its warning is among the warnings
  PartCount parts;                            // after repair; without overlaps
  std::uint32_t closingFrom = 0;              // first triangle that closes a hole or opening
  std::optional<WrapFacts> wrap;              // of a wrapped surface
};

// Throws StageError(BadInput) when the surface cannot be closed, (Usage) when the weld is too large
// or too small for its extent. name: of the file, for messages. metresPerUnit: of the soup's
// coordinates. Independent of the number of threads.
RepairedMesh repair(read::TriangleSoup soup, double metresPerUnit, const std::string& name,
                    const RepairRequest& request = {});

// Steps of repair().

// Welded and consistently oriented surface with its open loops.
struct JoinedSurface {
  geometry::TriangleMesh mesh;
  EdgeTable edges;
  std::vector<BoundaryLoop> loops;
  DroppedDuplicates twoSided;
  FoundSheets sheets;  // taken out of the mesh
  std::vector<FlatPart> overlays;
  std::uint64_t degenerate = 0, stitched = 0, duplicates = 0, reversed = 0;
  double tolerance = 0.0;  // m
  SurfaceHealth asRead;
};

// Throws StageError as repair() for a surface without area and the weld.
JoinedSurface joinSurface(const read::TriangleSoup& soup, double metresPerUnit,
                          const std::string& name, const std::optional<double>& weld);

// Moves the sheets from the mesh to joined.sheets. A closed surface without two-sided triangles has
// none.
void takeSheetsOut(JoinedSurface& joined);

// Applies --cut. Returns the warnings.
std::vector<std::string> cutJoined(JoinedSurface& joined, const std::vector<CutPlane>& planes);

// Whether repair() would close it.
bool isClosable(const JoinedSurface& joined, bool hasFiller);

// Closes all loops, turns the parts outward. Throws StageError(BadInput) without volume.
RepairedMesh closeJoined(JoinedSurface&& joined, const RepairRequest& request,
                         const std::string& name);

}  // namespace tessera::preprocess::surface
