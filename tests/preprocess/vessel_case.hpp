// SPDX-License-Identifier: GPL-3.0-or-later
// The samples' aneurysm as a file would hold it, and on a lattice, with openings at its three ends.
#pragma once

#include <algorithm>
#include <cstdint>

#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/sample/vessels.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "tests/preprocess/surface_files.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::sample;
using namespace tessera::preprocess::surface;

struct VesselCase {
  TriangleSoup soup;  // metres; closed, its three ends by fans
  LatticeChoice lattice;
  TriangleMesh mesh;  // repaired, in lattice coordinates; caps labelled
};

// What repair makes of a file, in the coordinates of a lattice that was chosen for another one.
inline TriangleMesh repairedOnLattice(const TriangleSoup& soup, const LatticeChoice& lattice) {
  TriangleMesh mesh = repair(soup, 1.0, "vessel.stl").mesh;
  for (Double3& vertex : mesh.vertex) {
    vertex = lattice.frame.toLattice(vertex);
    for (std::size_t a = 0; a < 3; ++a)
      vertex[a] = std::clamp(vertex[a], -0.5, lattice.nodes[a] - 0.5);
  }
  return mesh;
}

// longest: nodes on the longest side of the box.
inline VesselCase vesselCase(std::int64_t triangles, int longest) {
  const AneurysmShape shape;
  VesselCase vessel;
  RepairedMesh closed =
      repair(soupOf(sampleAneurysm(shape, aneurysmEdge(shape, triangles))), 1.0, "vessel.stl");
  labelOpenings(closed.mesh, closed.caps);
  vessel.soup = soupOf(closed.mesh);
  SpacingRequest request;
  request.longest = longest;
  vessel.lattice = chooseLattice(boundsOf(closed.mesh), request, {}, {false, false, false});
  vessel.mesh = repairedOnLattice(vessel.soup, vessel.lattice);
  vessel.mesh.label = closed.mesh.label;
  return vessel;
}

}  // namespace tessera::test
