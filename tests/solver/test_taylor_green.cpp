// SPDX-License-Identifier: GPL-3.0-or-later
// The decaying vortices of Taylor & Green 1937 in a periodic square: every collision on every
// lattice converges with second order when the time step falls with the square of the spacing.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/simulation.hpp"
#include "tests/solver/geometries.hpp"

using namespace tessera;
using namespace tessera::testing;

namespace {

constexpr double pi = 3.14159265358979323846;

struct Vortices {
  int n;         // nodes on a side
  double tau;    // relaxation time
  double speed;  // largest velocity at the start
  double drift;  // uniform velocity along x that carries them
  double nu() const { return (tau - 0.5) / 3.0; }
  double k() const { return 2.0 * pi / n; }
  // Velocity and pressure over c_s^2 at a node after some steps.
  [[nodiscard]] std::array<double, 3> at(double x, double y, double steps) const {
    const double decay = std::exp(-2.0 * nu() * k() * k() * steps);
    x -= drift * steps;
    return {drift - speed * decay * std::cos(k() * x) * std::sin(k() * y),
            speed * decay * std::sin(k() * x) * std::cos(k() * y),
            -0.75 * speed * speed * decay * decay *
                (std::cos(2.0 * k() * x) + std::cos(2.0 * k() * y))};
  }
};

// Equilibrium and viscous stress after a collision, as deviations from rest.
double startingPopulation(const Vortices& v, const LatticeInfo& lattice, std::size_t i, double x,
                          double y) {
  const auto [ux, uy, r] = v.at(x, y, 0.0);
  const auto& c = lattice.velocities[i];
  const double cu = c[0] * ux + c[1] * uy;
  const double strain = v.speed * v.k() * std::sin(v.k() * x) * std::sin(v.k() * y);  // du_x/dx
  const double stress = (c[0] * c[0] - c[1] * c[1]) * strain;
  return lattice.weights[i] *
         (r + 3.0 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy) - 3.0 * (v.tau - 1.0) * stress);
}

template <class Visit>
void forPopulations(const TilesFile& tiles, const LatticeInfo& lattice, Visit&& visit) {
  const std::size_t q = lattice.velocities.size();
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const Int3 node = tiles.geometry.nodeOf(t, l);
      if (!tiles.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)]) continue;
      for (std::size_t i = 0; i < q; ++i)
        visit(i, (t * q + i) * tileNodes + static_cast<std::size_t>(l), node);
    }
}

struct Outcome {
  double error = 0.0;   // L2 of the velocity over that of the solution
  double energy = 0.0;  // of the vortices over that of the solution
};

Outcome decay(const VariantInfo& variant, const Vortices& vortices, std::uint64_t steps) {
  const int dimensions = variant.lattice.dimensions;
  const TilesFile tiles = imageGeometry(
      {vortices.n, vortices.n, dimensions == 2 ? 1 : 4}, [](int, int, int) { return true; },
      {true, true, true}, {}, 1e-3, {0, 0, 0}, dimensions);
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.lattice = variant.lattice.name;
  run.collision = variant.collision;
  run.equilibrium = variant.equilibrium;
  run.precision = variant.precision;
  run.tau = vortices.tau;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  const LatticeInfo& lattice = variant.lattice;
  std::vector<double> f(tiles.geometry.tiles() * lattice.velocities.size() * tileNodes);
  forPopulations(tiles, lattice, [&](std::size_t i, std::size_t at, const Int3& node) {
    f[at] = startingPopulation(vortices, lattice, i, node[0], node[1]);
  });
  simulation.setPopulations(f);
  simulation.advance(steps);
  f = simulation.populations();
  std::vector<std::array<double, 3>> u(static_cast<std::size_t>(vortices.n * vortices.n));
  forPopulations(tiles, lattice, [&](std::size_t i, std::size_t at, const Int3& node) {
    if (node[2] != 0) return;
    auto& here = u[static_cast<std::size_t>(node[0] + vortices.n * node[1])];
    here[0] += lattice.velocities[i][0] * f[at];
    here[1] += lattice.velocities[i][1] * f[at];
    here[2] += f[at];
  });
  double difference = 0.0, whole = 0.0, found = 0.0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    const auto n = static_cast<std::size_t>(vortices.n);
    const auto [ux, uy, r] = vortices.at(static_cast<double>(k % n), static_cast<double>(k / n),
                                         static_cast<double>(steps));
    const double rho = std::string(variant.equilibrium) == "incompressible" ? 1.0 : 1.0 + u[k][2];
    const double dx = u[k][0] / rho - ux;
    const double dy = u[k][1] / rho - uy;
    difference += dx * dx + dy * dy;
    whole += (ux - vortices.drift) * (ux - vortices.drift) + uy * uy;
    found += std::pow(u[k][0] / rho - vortices.drift, 2) + std::pow(u[k][1] / rho, 2);
  }
  return {std::sqrt(difference / whole), found / whole};
}

}  // namespace

TEST_CASE("Taylor-Green vortices converge with second order on every lattice, by every collision",
          "[unit]") {
  for (const VariantInfo& variant : variants()) {
    if (variant.storageBytes != 8) continue;
    INFO(variant.name());
    std::vector<double> errors;
    for (const int n : {16, 32, 64}) {
      const auto steps = static_cast<std::uint64_t>(n * n / 4);
      errors.push_back(decay(variant, {n, 0.8, 0.064 / n, 0.0}, steps).error);
    }
    const double order = std::log2(errors[1] / errors[2]);
    INFO("errors " << errors[0] << " " << errors[1] << " " << errors[2]);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
    CHECK(errors[2] < 2e-3);
  }
}

TEST_CASE("The viscosity of decaying vortices is the one asked for", "[unit]") {
  for (const VariantInfo& variant : variants()) {
    if (variant.storageBytes != 8) continue;
    INFO(variant.name());
    const Vortices vortices{64, 0.8, 0.01, 0.0};
    const std::uint64_t steps = 1024;
    // Energy falls with exp(-4 nu k^2 t).
    const double exponent = 4.0 * vortices.nu() * vortices.k() * vortices.k() * double(steps);
    const double error = std::log(decay(variant, vortices, steps).energy) / exponent;
    CHECK(std::abs(error) < 5e-3);
  }
}
