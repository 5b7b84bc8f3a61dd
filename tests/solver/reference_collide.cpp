// SPDX-License-Identifier: GPL-3.0-or-later
// The reference's collisions.
#include <cmath>
#include <functional>

#include "tests/solver/reference.hpp"
#include "tests/solver/reference_cumulant.hpp"
#include "tests/solver/reference_moments.hpp"
#include "tests/solver/reference_viscosity.hpp"

namespace tessera::testing {

using namespace tessera::solver::model;

// What a collision relaxes: the difference from equilibrium, by pairs, moments or stress alone.
void Reference::collide(Populations& f) const {
  const bool incompressible = setup_.run.equilibrium == EquilibriumId::Incompressible;
  const auto& force = setup_.lattice.force;
  const Moments m = momentsOf(f, lattice_, incompressible, force, 1.0);
  const double inertial = incompressible ? 1.0 : m.rho;
  const double uu = m.u[0] * m.u[0] + m.u[1] * m.u[1] + m.u[2] * m.u[2];
  Populations equilibrium(q_);
  Populations source(q_);
  for (std::size_t i = 0; i < q_; ++i) {
    const auto& c = lattice_.velocities[i];
    const double cu = dot(c, m.u);
    equilibrium[i] =
        lattice_.weights[i] * (m.rho + inertial * (3.0 * cu + 4.5 * cu * cu - 1.5 * uu));
    for (std::size_t a = 0; a < 3; ++a)
      source[i] += lattice_.weights[i] * (3.0 * (c[a] - m.u[a]) + 9.0 * cu * c[a]) * force[a];
  }
  const CollisionId collision = setup_.run.collision;
  if (collision == CollisionId::Cumulant)
    collideCumulants(f, lattice_.velocities, force, 1.0 / relaxationTime(f));
  else if (collision == CollisionId::Mrt)
    collideMoments(f, equilibrium, source);
  else if (collision == CollisionId::Regularised)
    collideStress(f, equilibrium, source);
  else
    collidePairs(f, equilibrium, source, relaxationTime(f));
}

double Reference::relaxationTime(const Populations& f) const {
  const ViscosityLaw& law = setup_.lattice.law;
  if (!law.local()) return setup_.lattice.tau;
  const bool incompressible = setup_.run.equilibrium == EquilibriumId::Incompressible;
  const auto& force = setup_.lattice.force;
  const Moments m = momentsOf(f, lattice_, incompressible, force, 1.0);
  const double inertial = incompressible ? 1.0 : m.rho;
  const auto dimensions = static_cast<std::size_t>(lattice_.dimensions);
  double pi[3][3]{};
  double trace = 0.0;
  for (std::size_t a = 0; a < dimensions; ++a)
    for (std::size_t b = 0; b < dimensions; ++b) {
      pi[a][b] = 0.5 * (m.u[a] * force[b] + m.u[b] * force[a]) - inertial * m.u[a] * m.u[b];
      for (std::size_t i = 0; i < q_; ++i)
        pi[a][b] += lattice_.velocities[i][a] * lattice_.velocities[i][b] * f[i];
      if (a == b) trace += pi[a][b];
    }
  double squares = 0.0;  // of tau times the shear rate
  for (std::size_t a = 0; a < dimensions; ++a)
    for (std::size_t b = 0; b < dimensions; ++b)
      squares += std::pow(
          (pi[a][b] - (a == b ? trace / static_cast<double>(dimensions) : 0.0)) * 3.0 / inertial,
          2);
  return relaxationTimeOf(law, std::sqrt(0.5 * squares));
}

void Reference::collidePairs(Populations& f, const Populations& equilibrium,
                             const Populations& source, double tau) const {
  const double tauOdd =
      setup_.run.collision == CollisionId::Trt ? 0.5 + setup_.lattice.magic / (tau - 0.5) : tau;
  const Populations before = f;
  for (std::size_t i = 0; i < q_; ++i) {
    const auto o = static_cast<std::size_t>(opposite(static_cast<int>(i)));
    const auto even = [&](const Populations& p) { return 0.5 * (p[i] + p[o]); };
    const auto odd = [&](const Populations& p) { return 0.5 * (p[i] - p[o]); };
    f[i] -= (even(before) - even(equilibrium)) / tau + (odd(before) - odd(equilibrium)) / tauOdd;
    f[i] += (1.0 - 0.5 / tau) * even(source) + (1.0 - 0.5 / tauOdd) * odd(source);
  }
}

// Latt & Chopard 2006: the second moments of what is out of equilibrium, half of the force's put
// back, are all that survives.
void Reference::collideStress(Populations& f, const Populations& equilibrium,
                              const Populations& source) const {
  const double omega = 1.0 / setup_.lattice.tau;
  Populations rest(q_);
  for (std::size_t i = 0; i < q_; ++i) rest[i] = f[i] - equilibrium[i] + 0.5 * source[i];
  const auto dimensions = static_cast<std::size_t>(lattice_.dimensions);
  const auto projected = [&](const Populations& p, std::size_t i) {
    double sum = 0.0;
    for (std::size_t a = 0; a < dimensions; ++a)
      for (std::size_t b = 0; b < dimensions; ++b) {
        double pi = 0.0;
        for (std::size_t j = 0; j < q_; ++j)
          pi += lattice_.velocities[j][a] * lattice_.velocities[j][b] * p[j];
        const auto& c = lattice_.velocities[i];
        sum += 4.5 * lattice_.weights[i] * (c[a] * c[b] - (a == b ? 1.0 / 3.0 : 0.0)) * pi;
      }
    return sum;
  };
  for (std::size_t i = 0; i < q_; ++i) {
    const auto& c = lattice_.velocities[i];
    const double cF = c[0] * setup_.lattice.force[0] + c[1] * setup_.lattice.force[1] +
                      c[2] * setup_.lattice.force[2];
    f[i] = equilibrium[i] + (1.0 - omega) * projected(rest, i) + 0.5 * projected(source, i) +
           1.5 * lattice_.weights[i] * cF;
  }
}

// Orthogonal moments by Gram-Schmidt in the order of Lallemand & Luo 2000 and d'Humieres et al.
// 2002, each relaxed with a rate of its own.
void Reference::collideMoments(Populations& f, const Populations& equilibrium,
                               const Populations& source) const {
  const double tau = setup_.lattice.tau;
  const double odd = 1.0 / (0.5 + setup_.lattice.magic / (tau - 0.5));
  const double nu = 1.0 / tau;
  using Polynomial = std::function<double(double, double, double)>;
  std::vector<std::pair<Polynomial, double>> moments;
  const auto cc = [](double x, double y, double z) { return x * x + y * y + z * z; };
  const bool flat = lattice_.dimensions == 2;
  moments.emplace_back([](double, double, double) { return 1.0; }, 0.0);
  moments.emplace_back(cc, flat ? 1.64 : 1.19);
  moments.emplace_back([=](double x, double y, double z) { return std::pow(cc(x, y, z), 2); },
                       flat ? 1.54 : 1.4);
  for (int a = 0; a < lattice_.dimensions; ++a) {
    const auto component = [a](double x, double y, double z) {
      return a == 0 ? x : a == 1 ? y : z;
    };
    moments.emplace_back(component, odd);
    moments.emplace_back(
        [=](double x, double y, double z) { return cc(x, y, z) * component(x, y, z); }, odd);
  }
  if (flat) {
    moments.emplace_back([](double x, double y, double) { return x * x - y * y; }, nu);
    moments.emplace_back([](double x, double y, double) { return x * y; }, nu);
  } else {
    const auto xx = [=](double x, double y, double z) { return 3.0 * x * x - cc(x, y, z); };
    const auto ww = [](double, double y, double z) { return y * y - z * z; };
    moments.emplace_back(xx, nu);
    moments.emplace_back([=](double x, double y, double z) { return cc(x, y, z) * xx(x, y, z); },
                         1.4);
    moments.emplace_back(ww, nu);
    moments.emplace_back([=](double x, double y, double z) { return cc(x, y, z) * ww(x, y, z); },
                         1.4);
    moments.emplace_back([](double x, double y, double) { return x * y; }, nu);
    moments.emplace_back([](double, double y, double z) { return y * z; }, nu);
    moments.emplace_back([](double x, double, double z) { return x * z; }, nu);
    moments.emplace_back([](double x, double y, double z) { return (y * y - z * z) * x; }, odd);
    moments.emplace_back([](double x, double y, double z) { return (z * z - x * x) * y; }, odd);
    moments.emplace_back([](double x, double y, double z) { return (x * x - y * y) * z; }, odd);
  }
  std::vector<Populations> rows;
  const Populations before = f;
  for (const auto& [polynomial, rate] : moments) {
    Populations row(q_);
    for (std::size_t i = 0; i < q_; ++i) {
      const auto& c = lattice_.velocities[i];
      row[i] = polynomial(c[0], c[1], c[2]);
    }
    const auto product = [&](const Populations& a, const Populations& b) {
      double sum = 0.0;
      for (std::size_t i = 0; i < q_; ++i) sum += a[i] * b[i];
      return sum;
    };
    for (const Populations& other : rows) {
      const double share = product(row, other) / product(other, other);
      for (std::size_t i = 0; i < q_; ++i) row[i] -= share * other[i];
    }
    double change = 0.0;
    for (std::size_t i = 0; i < q_; ++i)
      change += row[i] * ((1.0 - 0.5 * rate) * source[i] - rate * (before[i] - equilibrium[i]));
    for (std::size_t i = 0; i < q_; ++i) f[i] += change / product(row, row) * row[i];
    rows.push_back(row);
  }
}

}  // namespace tessera::testing
