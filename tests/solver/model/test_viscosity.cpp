// SPDX-License-Identifier: GPL-3.0-or-later
// The relation between shear rate and relaxation time as a node solves it, and the powers and
// logarithms it does that with.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/model/viscosity/law.hpp"
#include "solver/model/viscosity/node_law.hpp"
#include "tests/fixtures/oracle/reference_models.hpp"

using namespace tessera;
using namespace tessera::solver::model;
using namespace tessera::testing;

namespace {

typedef double Doubles __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));

// The largest error of 1 / 2 + 3 nu, relative, over products tau gamma from 1e-12 to 1.
template <class V, class Real>
double worstTau(const ViscosityLaw& law, bool byTable = false) {
  NodeLaw<Real> node = nodeLaw<Real>(law);
  const auto table = byTable ? excessTable<Real>(law) : nullptr;
  node.table = table.get();
  double worst = 0.0;
  for (double exponent = -12.0; exponent <= 0.0; exponent += 0.05) {
    const double product = std::pow(10.0, exponent);
    const V gg = V{} + Real(product * product);
    const V excess = excessOf(node, gg);
    const double expected = relaxationTimeOf(law, product);
    worst = std::max(worst, std::abs((0.5 + double(excess[0])) / expected - 1.0));
    if (byTable) continue;
    const Real alone = excessOf(node, Real(product * product));
    worst = std::max(worst, std::abs((0.5 + double(alone)) / expected - 1.0));
  }
  return worst;
}

// Laws that a node solves by Newton's method: the hardest that a case accepts and common ones;
// lattice units.
std::vector<ViscosityLaw> iteratedLaws() {
  std::vector<ViscosityLaw> laws;
  for (const double highest : {0.02, 1.0, 6.0})
    for (const double ratio : {1.2, 20.0, 1000.0})
      for (const double n : {0.2, 0.3568, 0.8})
        for (const double a : {0.3, 2.0, 4.0})
          for (const double time : {1e2, 1e4, 1e7})
            laws.push_back({.model = FluidModel::CarreauYasuda,
                            .lowest = highest / ratio,
                            .highest = highest,
                            .timeConstant = time,
                            .a = a,
                            .n = n});
  for (const double n : {0.2, 0.5, 0.95, 0.9989, 1.0011, 1.003, 1.05, 1.5, 2.0})
    for (const double viscosity : {1e-3, 0.1, 5.0})  // at a shear rate of 1e-3
      laws.push_back({.model = FluidModel::PowerLaw,
                      .lowest = 1e-4,
                      .highest = 6.0,
                      .n = n,
                      .consistency = viscosity * std::pow(1e-3, 1.0 - n)});
  return laws;
}

}  // namespace

TEST_CASE("Viscosity: powers and logarithms of vectors are those of numbers", "[unit]") {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> exponents(-100.0, 100.0);
  for (int k = 0; k < 20000; ++k) {
    const double x = k < 100 ? 0.25 * (k - 50) : exponents(engine);
    const double power = std::exp2(x);
    CHECK(std::abs(exp2Of(Doubles{} + x)[1] / power - 1.0) < 1e-15);
    CHECK(std::abs(exp2Of(Floats{} + float(x))[1] / std::exp2(double(float(x))) - 1.0) < 3e-7);
    CHECK(std::abs(log2Of(Doubles{} + power)[2] - x) < 1e-15 * std::max(1.0, std::abs(x)));
    const double whole = std::log2(double(float(power)));
    CHECK(std::abs(log2Of(Floats{} + float(power))[2] - whole) <
          2e-7 * std::max(1.0, std::abs(whole)));
  }
  CHECK(exp2Of(Doubles{} - 1e6)[0] < 1e-300);
  CHECK(exp2Of(Floats{} + 1e6F)[0] > 1e37F);
  CHECK(rootOf(Doubles{} + 2.0)[3] == std::sqrt(2.0));
}

TEST_CASE("Viscosity: Newton's method at a node leaves the relaxation time exact for every law",
          "[unit]") {
  for (const ViscosityLaw& law : iteratedLaws()) {
    INFO(nameOf(law.model) << " " << law.lowest << " to " << law.highest << ", n " << law.n
                           << ", a " << law.a << ", time " << law.timeConstant << ", K "
                           << law.consistency);
    CHECK(worstTau<Doubles, double>(law) < 1e-9);
    // Exponents next to 1 have a shear rate of 2^-4000 as their scale, whose logarithm floats
    // round.
    const bool nextToOne = law.model == FluidModel::PowerLaw && std::abs(law.n - 1.0) < 0.01;
    CHECK(worstTau<Floats, float>(law) < (nextToOne ? 3e-4 : 3e-5));
  }
}

TEST_CASE("Viscosity: tables leave the relaxation time as exact as Newton's method", "[unit]") {
  for (const ViscosityLaw& law : iteratedLaws()) {
    INFO(nameOf(law.model) << " " << law.lowest << " to " << law.highest << ", n " << law.n
                           << ", a " << law.a << ", time " << law.timeConstant << ", K "
                           << law.consistency);
    CHECK(worstTau<Doubles, double>(law, true) < 1e-10);
    CHECK(worstTau<Floats, float>(law, true) < 1e-6);
  }
  CHECK(excessTable<double>({.lowest = 0.1, .highest = 0.1, .smagorinsky = 0.2}) == nullptr);
}

TEST_CASE("Viscosity: the viscosity at a stress is that at its shear rate", "[unit]") {
  for (const ViscosityLaw& law : iteratedLaws())
    for (const double shearRate : {1e-6, 1e-3, 0.1})
      CHECK(viscosityAtStress(law, viscosityAt(law, shearRate) * shearRate) ==
            Approx(viscosityAt(law, shearRate)).epsilon(1e-9));
}

TEST_CASE("Viscosity: Casson and Smagorinsky are solved in closed form", "[unit]") {
  for (const double viscosity : {1e-3, 0.1, 1.0})
    for (const double share : {1e-8, 1e-5, 1e-2}) {
      const ViscosityLaw casson{.model = FluidModel::Casson,
                                .lowest = viscosity,
                                .highest = 40.0 * viscosity,
                                .yield = share};
      const ViscosityLaw smagorinsky{
          .lowest = viscosity, .highest = viscosity, .smagorinsky = std::sqrt(share)};
      INFO("viscosity " << viscosity << ", share " << share);
      CHECK(worstTau<Doubles, double>(casson) < 1e-12);
      CHECK(worstTau<Floats, float>(casson) < 1e-5);
      CHECK(worstTau<Doubles, double>(smagorinsky) < 1e-12);
      CHECK(worstTau<Floats, float>(smagorinsky) < 1e-6);
    }
}
