// SPDX-License-Identifier: GPL-3.0-or-later
// The decaying vortices of Taylor & Green 1937 in a periodic square: every collision on every
// lattice converges with second order when the time step falls with the square of the spacing, has
// the viscosity asked for, at rest and carried along by a uniform flow.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

struct Vortices {
  int n;         // nodes on a side
  double tau;    // relaxation time
  double speed;  // largest velocity at the start
  double drift;  // uniform velocity along x that carries them
  [[nodiscard]] double nu() const { return (tau - 0.5) / 3.0; }
  [[nodiscard]] double k() const { return 2.0 * std::numbers::pi / n; }
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

struct Outcome {
  double error = 0.0;      // L2 of the velocity over that of the solution
  double viscosity = 0.0;  // that the energy fell with, over the one asked for
};

TilesFile square(const VariantInfo& variant, int n) {
  const bool flat = variant.lattice.dimensions == 2;
  const Int3 nodes{n, n, flat ? 1 : 4};
  const auto all = [](int, int, int) { return true; };
  const std::array<bool, 3> periodic{true, true, true};
  if (variant.axes.tiling == TilingId::Shifted)
    return testing::shiftedTiles(testing::imageLattice(nodes, all, periodic, {}, 1.0), {0, 1, 2});
  return testing::imageGeometry(nodes, all, periodic, {}, 1.0, {0, 0, 0}, flat ? 2 : 3);
}

Outcome decay(const VariantInfo& variant, const Vortices& vortices, std::uint64_t steps,
              const Options& options) {
  Flow flow =
      startFlow(square(variant, vortices.n), latticeCase(modelOf(variant), vortices.tau), options);
  std::vector<double> f(flow.tiles->geometry.tiles() * variant.lattice.velocities.size() *
                        tileNodes);
  forPopulations(flow, [&](std::size_t at, std::size_t i, const Int3& node) {
    f[at] = startingPopulation(vortices, variant.lattice, i, node[0], node[1]);
  });
  flow.simulation->setPopulations(f);
  flow.simulation->advance(steps);
  const Moments moments = momentsOf(flow);
  double difference = 0.0, whole = 0.0, found = 0.0;
  for (int y = 0; y < vortices.n; ++y)
    for (int x = 0; x < vortices.n; ++x) {
      const auto [ux, uy, r] = vortices.at(x, y, static_cast<double>(steps));
      const Double3& u = moments.velocity(x, y);
      difference += std::pow(u[0] - ux, 2) + std::pow(u[1] - uy, 2);
      whole += std::pow(ux - vortices.drift, 2) + uy * uy;
      found += std::pow(u[0] - vortices.drift, 2) + u[1] * u[1];
    }
  const double exponent = 4.0 * vortices.nu() * vortices.k() * vortices.k() * double(steps);
  return {std::sqrt(difference / whole), 1.0 - std::log(found / whole) / exponent};
}

// Rows of variants.def in double precision; those with a local viscosity collide like the others
// where the fluid is Newtonian.
std::vector<const VariantInfo*> doubleRows() {
  std::vector<const VariantInfo*> rows;
  for (const VariantInfo& row : variants())
    if (row.axes.precision == PrecisionId::F64 && row.axes.viscosity == ViscosityId::Constant)
      rows.push_back(&row);
  return rows;
}

}  // namespace

Findings taylorGreen(const Options& options) {
  Findings out;
  out.setting =
      "Every row of variants.def in double precision with constant viscosity. Order: \u03c4 = 0.8, "
      "velocity "
      "falling with the spacing. Viscosity: from the energy after 1024 steps, and the "
      "same with a uniform flow of 0.05 across the vortices.";
  // Rows of a collision lie on each other, so their lines share a colour.
  Chart chart =
      chartOf("Error of the velocity, each row a line, those of a collision on each other",
              "nodes on a side, as a power of two", "relative error", true);
  std::vector<std::string> collisions;
  const std::vector<int> sizes =
      options.quick ? std::vector<int>{24, 48} : std::vector<int>{16, 32, 64};
  const int n = options.quick ? 32 : 64;
  for (const VariantInfo* row : doubleRows()) {
    std::vector<double> nodes, errors;
    for (const int side : sizes) {
      const auto steps = static_cast<std::uint64_t>(side * side / 4);
      nodes.push_back(std::log2(side));
      errors.push_back(decay(*row, {side, 0.8, 0.064 / side, 0.0}, steps, options).error);
    }
    const double order = orderOf(errors[errors.size() - 2], errors.back());
    out.between("order, " + row->name(), order, 1.9, 2.1, "Taylor & Green 1937, second order");
    const auto viscosity = [&](double drift) {
      const auto steps = static_cast<std::uint64_t>(n * n / 4);
      return decay(*row, {n, 0.8, 0.01, drift}, steps, options).viscosity;
    };
    const double share = options.quick ? 0.02 : 5e-3;
    out.relative("viscosity over the one asked for, " + row->name(), viscosity(0.0), 1.0, share,
                 "decay of the energy");
    out.relative("the same, carried at 0.05, " + row->name(), viscosity(0.05), 1.0,
                 options.quick ? 0.03 : 0.01, "Galilean invariance");
    if (row->axes.collision == CollisionId::Cumulant)
      out.relative("viscosity carried at 0.1 over that at rest, " + row->name(),
                   viscosity(0.1) / viscosity(0.0), 1.0, options.quick ? 0.01 : 2e-3,
                   "Galilean invariance of cumulants");
    const std::string collision = nameOf(row->axes.collision);
    const auto known = std::find(collisions.begin(), collisions.end(), collision);
    const auto number = static_cast<int>(known - collisions.begin());
    const bool first = known == collisions.end();
    chart.curves.push_back(curve(first ? collision : "", nodes, errors, number));
    if (first) collisions.push_back(collision);
  }
  out.charts.push_back(chart);
  return out;
}

}  // namespace tessera::validation
