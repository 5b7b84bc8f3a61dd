// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the solver library in lattice units: a spacing of 1 m, a time step of 1 s and a density
// of 1 kg/m3, so that SI numbers are the lattice's own.
#pragma once

#include <memory>

#include "solver/run/simulation.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/validation/cases.hpp"

namespace tessera::validation {

using namespace tessera::solver::backend;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

// Any combination that variants.def has.
struct Model {
  LatticeId lattice = LatticeId::D3Q19;
  CollisionId collision = CollisionId::Trt;
  EquilibriumId equilibrium = EquilibriumId::Incompressible;
  PrecisionId precision = PrecisionId::F64;
  StateId state = StateId::Populations;
};
Model modelOf(const VariantInfo& variant);

// Viscosity (tau - 1/2) / 3, no ramp.
SolverCase latticeCase(const Model& model, double tau);

// A run and the geometry it refers to.
struct Flow {
  std::unique_ptr<TilesFile> tiles;
  std::unique_ptr<Simulation> simulation;
};
Flow startFlow(TilesFile tiles, const SolverCase& run, const Options& options);

// Velocity and density of the nodes of the box in double precision, from the populations after the
// last collision; at solid nodes 0.
struct Moments {
  Int3 nodes{};
  std::vector<double> r;  // rho - 1, x fastest
  std::vector<Double3> u;
  [[nodiscard]] std::size_t place(int x, int y, int z = 0) const {
    return static_cast<std::size_t>(x + nodes[0] * (y + nodes[1] * z));
  }
  [[nodiscard]] const Double3& velocity(int x, int y, int z = 0) const { return u[place(x, y, z)]; }
  [[nodiscard]] double density(int x, int y, int z = 0) const { return 1.0 + r[place(x, y, z)]; }
};
Moments momentsOf(Flow& flow);

// visit(index in Simulation::populations(), direction, node) for all populations of fluid nodes.
template <class Visit>
void forPopulations(const Flow& flow, Visit&& visit) {
  const TiledGeometry& geometry = flow.tiles->geometry;
  const std::size_t q = flow.simulation->setup().variant->lattice.velocities.size();
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (geometry.nodeType[t * tileNodes + l] == 0) continue;
      const Int3 node = geometry.nodeOf(t, static_cast<int>(l));
      for (std::size_t i = 0; i < q; ++i) visit((t * q + i) * tileNodes + l, i, node);
    }
}

// Advances until no velocity changes by more than `change` of the largest one within `every` steps.
// Returns the steps made; most: where to give up.
std::uint64_t runUntilSteady(Flow& flow, double change, std::uint64_t every, std::uint64_t most);

}  // namespace tessera::validation
