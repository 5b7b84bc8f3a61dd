// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the nodes for everything that is a sum of what a single node holds: kinetic energy,
// viscous dissipation, mean velocity, tortuosity.
#pragma once

#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::fields {

struct NodeSums {
  std::array<double, 3> velocity{};  // m/s, lattice axes, sum
  double speed = 0.0;                // m/s, sum of magnitudes
  double speedSquared = 0.0;         // m2/s2, sum
  double fastest = 0.0;              // m/s
  double stressSquared = 0.0;        // Pa2, sum of sigma:sigma
};

NodeSums nodeSums(const solver::file::Fields& fields);

// J: 1/2 rho u^2 over the nodes' volume.
double kineticEnergy(const NodeSums& sums, const solver::file::Fields& fields,
                     const tiler::TiledGeometry& geometry);

// W: sigma:sigma / (2 mu) over the nodes' volume, which for a fluid of constant viscosity is
// sigma : grad u; call it for no other. In steady flow it is what the openings' pressures and the
// body force put in.
double viscousDissipation(const NodeSums& sums, const solver::file::Fields& fields,
                          const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::fields
