// SPDX-License-Identifier: GPL-3.0-or-later
// Flows with closed forms between interpolated, moving and symmetric walls, and how far a run is
// from them.
#pragma once

#include <cstdint>

#include "preprocess/file/node_types.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::file;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

inline constexpr double viscosity = 1e-6;  // m2/s
inline constexpr double density = 1000.0;  // kg/m3
inline constexpr double force = 1e-1;      // N/m3

// On these tiles, with this scheme at its walls; f64, at once, nothing driven yet.
SolverCase plainCase(const TilesFile& tiles, WallScheme scheme, double tau);

struct Errors {
  double velocity = 0.0;  // root mean square over nodes, of that of the velocity
  double shear = 0.0;     // the same of the shear, over nodes at walls
  double flow = 0.0;      // of the sum of velocities along the flow
  double wall = 0.0;      // shear as postprocess finds it at the wall itself
  double mass = 0.0;      // change over the run, of all mass
};

// A run from rest and its result.
struct Flow {
  const TilesFile& tiles;
  Fields fields;
  double mass = 0.0;

  Flow(const TilesFile& geometry, const SolverCase& run, std::uint64_t steps);
  // visit(position in nodes, type, index in the fields)
  template <class Visit>
  void forNodes(const Visit& visit) const {
    const TiledGeometry& g = tiles.geometry;
    std::uint64_t node = 0;
    for (std::size_t t = 0; t < g.tiles(); ++t)
      for (int l = 0; l < tileNodes; ++l) {
        const auto type = static_cast<NodeType>(g.nodeType[t * 64 + static_cast<std::size_t>(l)]);
        if (type == NodeType::Solid) continue;
        const Int3 at = g.nodeOf(t, l);
        visit(Double3{double(at[0]), double(at[1]), double(at[2])}, type, node++);
      }
  }
};

// A plane channel along (2, 1), driven by a force; height: of the periodic box, nodes.
Errors inclined(int height, WallScheme scheme, double tau);

// A pipe along x driven by a force; radius in nodes.
Errors pipe(double radius, WallScheme scheme, double tau);

// Between two cylinders, of which the inner one of half the radius turns.
Errors cylinders(double radius, WallScheme scheme, double tau);

// For levelLattice: every wall has label 0.
int anyLabel(const Double3&);

}  // namespace tessera::testing
