// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/validation/run.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "solver/backend/sample.hpp"

namespace tessera::validation {

using namespace tessera::solver::backend;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;

Model modelOf(const VariantInfo& variant) {
  const VariantAxes& axes = variant.axes;
  return {axes.lattice, axes.collision, axes.equilibrium, axes.precision, axes.state};
}

SolverCase latticeCase(const Model& model, double tau) {
  SolverCase run;
  run.density = 1.0;
  run.kinematicViscosity = (tau - 0.5) / 3.0;
  run.lattice = model.lattice;
  run.collision = model.collision;
  run.equilibrium = model.equilibrium;
  run.precision = model.precision;
  run.state = model.state;
  run.tau = tau;
  run.ramp = 0.0;
  return run;
}

Flow startFlow(TilesFile tiles, const SolverCase& run, const Options& options) {
  Flow flow;
  flow.tiles = std::make_unique<TilesFile>(std::move(tiles));
  flow.simulation = std::make_unique<Simulation>(
      *flow.tiles, prepare(flow.tiles->geometry, run, options.backend));
  return flow;
}

Moments momentsOf(Flow& flow) {
  const Setup& setup = flow.simulation->setup();
  const LatticeInfo& lattice = setup.variant->lattice;
  const bool incompressible = setup.variant->axes.equilibrium == EquilibriumId::Incompressible;
  const std::vector<double> f = flow.simulation->populations();
  Moments out;
  out.nodes = flow.tiles->geometry.nodes;
  const auto count = static_cast<std::size_t>(out.nodes[0]) *
                     static_cast<std::size_t>(out.nodes[1]) *
                     static_cast<std::size_t>(out.nodes[2]);
  out.r.assign(count, 0.0);
  out.u.assign(count, Double3{});
  forPopulations(flow, [&](std::size_t at, std::size_t i, const Int3& node) {
    const std::size_t here = out.place(node[0], node[1], node[2]);
    out.r[here] += f[at];
    for (std::size_t a = 0; a < 3; ++a) out.u[here][a] += lattice.velocities[i][a] * f[at];
  });
  forPopulations(flow, [&](std::size_t, std::size_t i, const Int3& node) {
    if (i != 0) return;
    const std::size_t here = out.place(node[0], node[1], node[2]);
    const double rho = incompressible ? 1.0 : 1.0 + out.r[here];
    // A collision adds the whole force; half of it belongs to the velocity.
    for (std::size_t a = 0; a < 3; ++a)
      out.u[here][a] = (out.u[here][a] - 0.5 * setup.lattice.force[a]) / rho;
  });
  return out;
}

std::uint64_t runUntilSteady(Flow& flow, double change, std::uint64_t every, std::uint64_t most) {
  std::uint64_t steps = 0;
  Moments before = momentsOf(flow);
  while (steps < most) {
    flow.simulation->advance(every);
    steps += every;
    Moments now = momentsOf(flow);
    double largest = 0.0, difference = 0.0;
    for (std::size_t k = 0; k < now.u.size(); ++k)
      for (std::size_t a = 0; a < 3; ++a) {
        largest = largerOf(largest, std::abs(now.u[k][a]));
        difference = largerOf(difference, std::abs(now.u[k][a] - before.u[k][a]));
      }
    if (std::isnan(largest)) fail(ExitCode::RunFailed, "a run diverged");
    if (difference <= change * largest) break;
    before = std::move(now);
  }
  return steps;
}

}  // namespace tessera::validation
