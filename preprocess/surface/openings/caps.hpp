// SPDX-License-Identifier: GPL-3.0-or-later
// Rim of a cap: where its triangles meet the wall.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/edge_table.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Half-edges of the given triangles without another of them across. twin: of the whole mesh.
std::vector<std::uint32_t> rimOf(const std::vector<std::uint32_t>& twin,
                                 std::span<const std::uint32_t> triangles);

// Whether the rim is one closed loop without repeated vertices.
bool isOneLoop(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& rim);

struct RimShape {
  double perimeter = 0.0;  // m
  double sharp = 0.0;      // m, where the wall turns away by more than an angle
};

// normal: of the cap, unit, outward; cosine: of the angle.
RimShape rimShape(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                  const std::vector<std::uint32_t>& rim, const Double3& normal, double cosine);

// Openings of a closed surface: flat caps over the ends of its vessels, and named faces.

struct FoundCaps {
  std::vector<Cap> caps;
  std::vector<std::string> warnings;      // candidates taken as walls
  std::vector<OpeningCandidate> patches;  // of findUnevenCaps()
};

// A cap is a connected region of coplanar triangles with one rim, compact (4 pi A / P^2 > 0.5),
// where the wall turns away sharply (more than 45 degrees over at least three quarters of the rim).
// Regions that touch each other, as on a cube, are walls; one that touches a known cap is the side
// of a duct. mesh: closed and outward. tolerance: m, distance of a vertex from a plane. known: caps
// already found.
FoundCaps findFlatCaps(const geometry::TriangleMesh& mesh, double tolerance,
                       const std::vector<Cap>& known);

// Flat caps, then ends that are domed, noisy, filleted, elongated or narrowed (growCaps()) and do
// not touch those, known ones or flat walls that touch each other. A single one without any other
// opening is none. Flat rings (isFlatRing()) that touch no cap are candidates.
FoundCaps findUnevenCaps(const geometry::TriangleMesh& mesh, double tolerance,
                         const std::vector<Cap>& known);
// edges: of the mesh, freed.
FoundCaps findUnevenCaps(const geometry::TriangleMesh& mesh, EdgeTable&& edges, double tolerance,
                         const std::vector<Cap>& known);

// Openings from named faces of the file (solids of an STL, ModelFaceID of a VTP, one of several
// files). A connected part of a face is a cap if it is as planar as an open loop must be (a tenth
// of its radius), has one rim, is not thin (4 pi A / P^2 > 0.3) and the wall turns away by more
// than 20 degrees over three quarters of the rim; candidates that touch each other, as the sides of
// a box, are walls. mesh: closed and outward, its labels index faceName. Several caps of one face
// are numbered, "outlet1", "outlet2", in mesh order.
FoundCaps findFaceCaps(const geometry::TriangleMesh& mesh,
                       const std::vector<std::string>& faceName);

// Ends inside other parts, where fluid continues, such as a side branch that begins within the main
// vessel, and ends of covered parts: they are not openings.

// Removes caps beyond which fluid of other parts lies at all probes, and those within fluid of a
// larger part; the others keep their order. mesh: closed and outward, not changed, so the triangles
// become walls. Returns the number of ends, counting caps with the same first triangle once.
std::uint64_t dropBuriedCaps(const geometry::TriangleMesh& mesh, const Parts& parts,
                             std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
