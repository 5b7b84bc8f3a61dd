// SPDX-License-Identifier: GPL-3.0-or-later
// Cumulant collision: viscosity independent of the velocity of the frame, and stability at low
// viscosities. MRT on D3Q27: advection oblique to the axes.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "solver/run/simulation.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

constexpr double pi = 3.14159265358979323846;

SolverCase periodicCase(CollisionId collision, double tau) {
  SolverCase run = waterCase(tau);
  run.lattice = LatticeId::D3Q27;
  run.collision = collision;
  run.precision = PrecisionId::F64;
  return run;
}

TilesFile periodicBox(int nx, int ny, int nz = 4) {
  return closedBox({nx, ny, nz}, {true, true, true}, 1e-3);
}

using Velocity3 = std::array<double, 3>;

// Starts from the equilibrium of a velocity given at each node.
template <class Field>
void startFrom(Simulation& simulation, const TilesFile& tiles, const Field& field) {
  const LatticeInfo& lattice = simulation.setup().variant->lattice;
  const std::size_t q = lattice.velocities.size();
  std::vector<double> f(tiles.geometry.tiles() * q * tileNodes);
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const Int3 node = tiles.geometry.nodeOf(t, l);
      const Velocity3 u = field(node);
      for (std::size_t i = 0; i < q; ++i) {
        const auto& c = lattice.velocities[i];
        const double cu = c[0] * u[0] + c[1] * u[1] + c[2] * u[2];
        const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        f[(t * q + i) * tileNodes + static_cast<std::size_t>(l)] =
            lattice.weights[i] * (3.0 * cu + 4.5 * cu * cu - 1.5 * uu);
      }
    }
  simulation.setPopulations(f);
}

// Momentum along y, summed over y and z, for each x.
std::vector<double> momentumAcross(Simulation& simulation, const TilesFile& tiles) {
  const LatticeInfo& lattice = simulation.setup().variant->lattice;
  const std::size_t q = lattice.velocities.size();
  const std::vector<double> f = simulation.populations();
  std::vector<double> out(static_cast<std::size_t>(tiles.geometry.nodes[0]));
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const Int3 node = tiles.geometry.nodeOf(t, l);
      for (std::size_t i = 0; i < q; ++i)
        out[static_cast<std::size_t>(node[0])] +=
            lattice.velocities[i][1] * f[(t * q + i) * tileNodes + static_cast<std::size_t>(l)];
    }
  return out;
}

// Observed viscosity, relative to the prescribed one, of a shear wave u_y = a sin(k x) carried
// along x by a uniform velocity.
double viscosityOfShearWave(CollisionId collision, double tau, double drift) {
  constexpr int n = 32;
  constexpr std::uint64_t settle = 100;
  constexpr std::uint64_t steps = 300;
  const TilesFile tiles = periodicBox(n, 4);
  Simulation simulation(tiles, prepare(tiles.geometry, periodicCase(collision, tau), "cpu"));
  const double k = 2.0 * pi / n;
  startFrom(simulation, tiles, [&](const Int3& x) {
    return Velocity3{drift, 1e-3 * std::sin(k * x[0]), 0.0};
  });
  const auto amplitude = [&] {
    const std::vector<double> m = momentumAcross(simulation, tiles);
    double sine = 0.0, cosine = 0.0;
    for (int x = 0; x < n; ++x) {
      sine += m[static_cast<std::size_t>(x)] * std::sin(k * x);
      cosine += m[static_cast<std::size_t>(x)] * std::cos(k * x);
    }
    return std::hypot(sine, cosine);
  };
  simulation.advance(settle);
  const double before = amplitude();
  simulation.advance(steps);
  return std::log(before / amplitude()) / (k * k * double(steps)) / ((tau - 0.5) / 3.0);
}

// Largest velocity across a doubly periodic shear layer (Minion & Brown 1997, on a coarse grid)
// after some steps, lattice units; not a number once it has blown up.
double shearLayer(CollisionId collision, double tau, std::uint64_t steps) {
  constexpr int n = 64;
  constexpr double speed = 0.1;
  const TilesFile tiles = periodicBox(n, n);
  Simulation simulation(tiles, prepare(tiles.geometry, periodicCase(collision, tau), "cpu"));
  startFrom(simulation, tiles, [](const Int3& node) {
    const double height = (node[1] + 0.5) / n;
    const double layer = height < 0.5 ? height - 0.25 : 0.75 - height;
    return Velocity3{speed * std::tanh(80.0 * layer),
                     0.05 * speed * std::sin(2.0 * pi * ((node[0] + 0.5) / n + 0.25)), 0.0};
  });
  simulation.advance(steps);
  return simulation.sample().nodes.speedMax;
}

// Second harmonic, over the first, of the velocity along (1, 2, 3) in a wave of it that varies
// along (1, 1, -1); none in an exact decay, since no fluid moves along the gradient.
double harmonicOfObliqueWave(CollisionId collision, double tau) {
  constexpr int n = 32;
  const TilesFile tiles = periodicBox(n, n, n);
  Simulation simulation(tiles, prepare(tiles.geometry, periodicCase(collision, tau), "cpu"));
  const auto phase = [](const Int3& x) { return 2.0 * pi / n * (x[0] + x[1] - x[2]); };
  startFrom(simulation, tiles, [&](const Int3& x) {
    const double u = 0.05 / std::sqrt(14.0) * std::cos(phase(x));
    return Velocity3{u, 2.0 * u, 3.0 * u};
  });
  simulation.advance(400);
  const LatticeInfo& lattice = simulation.setup().variant->lattice;
  const std::size_t q = lattice.velocities.size();
  const std::vector<double> f = simulation.populations();
  std::complex<double> first, second;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const double at = phase(tiles.geometry.nodeOf(t, l));
      for (std::size_t i = 0; i < q; ++i) {
        const auto& c = lattice.velocities[i];
        const double m = (c[0] + 2.0 * c[1] + 3.0 * c[2]) *
                         f[(t * q + i) * tileNodes + static_cast<std::size_t>(l)];
        first += std::polar(m, at);
        second += std::polar(m, 2.0 * at);
      }
    }
  return std::abs(second) / std::abs(first);
}

}  // namespace

TEST_CASE("MRT on D3Q27: flow oblique to the axes does not stir itself", "[unit]") {
  for (const double tau : {0.505, 0.55}) {
    INFO("tau " << tau);
    const double corrected = harmonicOfObliqueWave(CollisionId::Mrt, tau);
    const double otherwise = harmonicOfObliqueWave(CollisionId::Trt, tau);
    CAPTURE(corrected, otherwise);
    CHECK(corrected < 0.1 * otherwise);
  }
}

TEST_CASE("Cumulants: a moving frame changes the viscosity of LBGK, not of cumulants", "[unit]") {
  for (const double tau : {0.52, 0.8}) {
    const auto change = [&](CollisionId collision, double drift) {
      return std::abs(viscosityOfShearWave(collision, tau, drift) /
                          viscosityOfShearWave(collision, tau, 0.0) -
                      1.0);
    };
    for (const double drift : {0.05, 0.1}) {
      INFO("tau " << tau << ", frame at " << drift);
      CHECK(change(CollisionId::Cumulant, drift) < 2e-4);
      CHECK(change(CollisionId::Bgk, drift) > 2.5 * drift * drift);
    }
  }
  CHECK(std::abs(viscosityOfShearWave(CollisionId::Cumulant, 0.8, 0.1) - 1.0) < 1e-3);
}

TEST_CASE("Cumulants: they carry a thin shear layer at a viscosity at which LBGK diverges",
          "[unit]") {
  const double tau = 0.501;  // a Reynolds number of 64 nodes of 19,000
  CHECK(shearLayer(CollisionId::Cumulant, tau, 1000) < 0.16);
  CHECK_FALSE(shearLayer(CollisionId::Bgk, tau, 1000) < 1.0);
}
