// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants to the last bits: mass in closed boxes, and the mirror image of a flow with a mirror
// plane.
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::tiler;

namespace {

double massOf(const Moments& moments) {
  // By Neumaier 1974: the sum itself must not round.
  double sum = 0.0, lost = 0.0;
  for (const double r : moments.r) {
    const double next = sum + r;
    lost += std::abs(sum) >= std::abs(r) ? (sum - next) + r : (r - next) + sum;
    sum = next;
  }
  return sum + lost;
}

// Noise of 1e-3 in all populations.
void startNoise(Flow& flow) {
  std::mt19937 engine(7);
  const TiledGeometry& geometry = flow.tiles->geometry;
  std::vector<double> f(geometry.tiles() * tileNodes *
                        flow.simulation->setup().variant->lattice.velocities.size());
  forPopulations(flow, [&](std::size_t at, std::size_t, const Int3&) {
    f[at] = (static_cast<double>(engine()) / 4294967296.0 - 0.5) * 2e-3;
  });
  flow.simulation->setPopulations(f);
}

// Change of the mean density after the steps.
double drift(const Int3& nodes, bool periodic, const Model& model, std::uint64_t steps,
             const Options& options) {
  SolverCase run = latticeCase(model, 0.8);
  if (periodic) run.bodyForce = {1e-5, -5e-6, 0.0};
  const bool flat = model.lattice == LatticeId::D2Q9;
  Flow flow = startFlow(
      testing::imageGeometry(nodes, testing::strewn(0.8), {periodic, periodic, periodic || flat},
                             {}, 1.0, {0, 0, 0}, flat ? 2 : 3),
      run, options);
  startNoise(flow);
  const double before = massOf(momentsOf(flow));
  flow.simulation->advance(steps);
  return std::abs(massOf(momentsOf(flow)) - before) /
         static_cast<double>(flow.tiles->geometry.fluidNodes);
}

}  // namespace

Findings conservation(const Options& options) {
  Findings out;
  const std::uint64_t steps = options.quick ? 2000 : 100000;
  out.setting =
      "A box with strewn obstacles, started from noise of 1e-3; change of the mean "
      "density after " +
      std::to_string(steps) + " steps; the periodic one is driven by a force.";
  const std::string source = "mass is conserved";
  for (const CollisionId collision : {CollisionId::Bgk, CollisionId::Trt, CollisionId::Mrt}) {
    const std::string name = nameOf(collision);
    const Model flat{LatticeId::D2Q9, collision, EquilibriumId::QuasiCompressible};
    out.atMost("closed, D2Q9 " + name, drift({21, 13, 1}, false, flat, steps, options), 1e-12,
               source);
    out.atMost("periodic, D2Q9 " + name, drift({24, 16, 1}, true, flat, steps, options), 1e-12,
               source);
    const Model solid{LatticeId::D3Q19, collision, EquilibriumId::QuasiCompressible};
    out.atMost("closed, D3Q19 " + name, drift({9, 7, 6}, false, solid, steps, options), 1e-12,
               source);
    out.atMost("periodic, D3Q19 " + name, drift({8, 9, 6}, true, solid, steps, options), 1e-12,
               source);
  }
  return out;
}

}  // namespace tessera::validation
