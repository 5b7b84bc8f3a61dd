// SPDX-License-Identifier: GPL-3.0-or-later
// Order, Richardson's value and error bars against values made with a known error; warnings of a
// comparison.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "postprocess/compare/comparison.hpp"

using namespace tessera;
using namespace tessera::postprocess::compare;

namespace {

using List = std::vector<double>;
const List halved{1.0, 2.0, 4.0};
const List uneven{0.7, 1.0, 1.6};

// f0 + a h^p at the spacings.
List withError(double f0, double a, double p, const List& h) {
  List f;
  for (const double spacing : h) f.push_back(f0 + a * std::pow(spacing, p));
  return f;
}

}  // namespace

TEST_CASE(
    "Mesh convergence: an error a h^p gives back its order and limit, for equal and unequal ratios",
    "[unit]") {
  for (const auto& h : {halved, uneven})
    for (const double p : {0.6, 1.0, 1.7, 2.0})
      for (const double a : {0.01, -0.3}) {
        INFO("p " << p << " a " << a << " h3 " << h[2]);
        const auto f = withError(5.0, a, p, h);
        const MeshConvergence found = meshConvergence(h, f, 5.0);
        REQUIRE(found.approach == Approach::Monotone);
        CHECK(*found.order == Approx(p).epsilon(1e-6));
        CHECK(*found.extrapolated == Approx(5.0).epsilon(1e-9));
        const double r = h[1] / h[0];
        const double index = 1.25 * std::abs((f[0] - f[1]) / f[0]) / (std::pow(r, p) - 1.0);
        CHECK(*found.index == Approx(index).epsilon(1e-5));
        CHECK(*found.uncertainty == Approx(index * std::abs(f[0])).epsilon(1e-5));
      }
}

TEST_CASE("Mesh convergence: at equal ratios the order is the logarithm of Roache's formula",
          "[unit]") {
  const MeshConvergence found = meshConvergence(halved, List{0.9713, 0.9654, 0.9418}, 1.0);
  CHECK(*found.order == Approx(std::log((0.9418 - 0.9654) / (0.9654 - 0.9713)) / std::log(2.0)));
  // order 2: f1 + (f1 - f2) / 3, and 1.25 times its distance from f1
  CHECK(*found.extrapolated == Approx(0.9713 + 0.0059 / 3.0));
  CHECK(*found.index == Approx(1.25 * 0.0059 / 3.0 / 0.9713));
}

TEST_CASE("Mesh convergence: the error bar contains the true value whatever the order", "[unit]") {
  for (const double p : {0.51, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    INFO("order " << p);
    const auto f = withError(3.0, 0.2, p, uneven);
    CHECK(std::abs(f[0] - 3.0) < *meshConvergence(uneven, f, 3.0).uncertainty);
  }
}

TEST_CASE("Mesh convergence: other values than of an order have the bar of a least-squares fit",
          "[unit]") {
  const MeshConvergence up = meshConvergence(halved, List{1.0, 1.2, 1.1}, 1.0);
  CHECK(up.approach == Approach::Oscillatory);
  CHECK_FALSE(up.order);
  // f = f_2 + a h^2 through (1, 1), (4, 1.2), (16, 1.1): f_2 = 1.0833.
  CHECK(*up.uncertainty == Approx(3.0 * 0.083333).epsilon(1e-4));
  // With an expected error of 0.1: 2 * 0.0833 is between 0.8 and 1.5 times that, or the difference.
  CHECK(*meshConvergence(halved, List{1.0, 1.2, 1.1}, 1.0, {0.1, 0.0}).uncertainty ==
        Approx(2.0 * 0.083333).epsilon(1e-4));
  const MeshConvergence same = meshConvergence(halved, List{1.0, 1.0 + 1e-9, 1.0 - 1e-9}, 1.0);
  CHECK(same.approach == Approach::Unchanged);
  CHECK(*same.uncertainty < 1e-8);
}

TEST_CASE("Mesh convergence: growing differences have a bar by the expected error only", "[unit]") {
  const List f{1.0, 1.2, 1.3};
  const MeshConvergence away = meshConvergence(halved, f, 1.0);
  CHECK(away.approach == Approach::Diverging);
  CHECK_FALSE(away.uncertainty);
  CHECK(*meshConvergence(halved, f, 1.0, {0.4, 0.01}).uncertainty == Approx(1.25 * 0.4 + 0.01));
  // An expected error that the values contradict does not bound the bar: the fit's limit is 1.05.
  CHECK(*meshConvergence(halved, f, 1.0, {0.001, 0.0}).uncertainty == Approx(2.0 * 0.05));
}

TEST_CASE("Mesh convergence: the expected error is a floor, and what stays is added", "[unit]") {
  // Orders below 0.5 have at least the bar of 0.5.
  const auto slow = withError(5.0, 0.01, 0.4, halved);
  CHECK(*meshConvergence(halved, slow, 5.0).uncertainty ==
        Approx(1.25 * (slow[1] - slow[0]) / (std::sqrt(2.0) - 1.0)));
  const auto f = withError(5.0, 0.01, 2.0, halved);
  const double bar = *meshConvergence(halved, f, 5.0).uncertainty;
  CHECK(*meshConvergence(halved, f, 5.0, {0.001, 0.002}).uncertainty == Approx(bar + 0.002));
  CHECK(*meshConvergence(halved, f, 5.0, {1.0, 0.0}).uncertainty == Approx(0.8));
  // Values that agree by chance.
  CHECK(*meshConvergence(halved, List{5.0, 5.0, 5.0}, 5.0, {0.1, 0.0}).uncertainty == Approx(0.08));
}

TEST_CASE("Mesh convergence: two spacings have a wider bar, four take part in the fit", "[unit]") {
  const List two{1.0, 2.0};
  const MeshConvergence found = meshConvergence(two, withError(3.0, 0.2, 2.0, two), 3.0);
  CHECK(found.approach == Approach::TwoSpacings);
  CHECK_FALSE(found.order);
  CHECK(*found.uncertainty == Approx(3.0 * 0.2));
  CHECK(*meshConvergence(two, List{3.0, 3.0}, 3.0, {0.1, 0.0}).uncertainty == Approx(0.125));
  const List four{1.0, 1.5, 2.25, 3.375}, values{1.0, 1.02, 1.01, 1.4};
  const List three{1.0, 1.5, 2.25}, first{1.0, 1.02, 1.01};
  CHECK(*meshConvergence(four, values, 1.0).uncertainty >
        *meshConvergence(three, first, 1.0).uncertainty);
}

TEST_CASE("Mesh convergence: bars of scattered values of second order cover the truth", "[unit]") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const List h{1.0, 1.4, 2.0};
  int covered = 0, wide = 0;
  constexpr int trials = 1000;
  for (int k = 0; k < trials; ++k) {
    // Both the regular part and the scatter are of the size of the expected error.
    List f;
    const double regular = normal(random);
    for (const double spacing : h)
      f.push_back(100.0 + 0.4 * spacing * spacing * (regular + normal(random)));
    const double bar = *meshConvergence(h, f, 100.0, {1.0, 0.0}).uncertainty;
    covered += std::abs(f[0] - 100.0) <= bar ? 1 : 0;
    wide += bar > 4.0 ? 1 : 0;
  }
  CHECK(covered >= 0.95 * trials);
  CHECK(wide < 0.1 * trials);
}

TEST_CASE("Mesh convergence: a limit of zero has no relative index", "[unit]") {
  const MeshConvergence zero = meshConvergence(halved, List{0.0, 3.0, 15.0}, 1.0);
  CHECK(*zero.order == Approx(2.0));
  CHECK_FALSE(zero.index);
  CHECK(*zero.uncertainty == Approx(1.25));
  const MeshConvergence agreed = meshConvergence(halved, List{1.0, 1.0, 1.5}, 1.0);
  CHECK(agreed.approach == Approach::Monotone);
  CHECK(*agreed.order == Approx(16.0));
  CHECK(*agreed.extrapolated == Approx(1.0));
}

TEST_CASE("Comparison: runs that recovered from divergence are warned about", "[unit]") {
  RunSummary plain;
  plain.name = "plain";
  plain.spacing = 1e-4;
  RunSummary recovered = plain;
  recovered.name = "recovered";
  recovered.settings.emplace_back("recovered", "half the time step from 0.1 s on");
  CHECK(compareRuns({plain, plain}).warnings.empty());
  const Comparison comparison = compareRuns({plain, recovered});
  REQUIRE(comparison.warnings.size() == 1);
  CHECK(comparison.warnings[0].starts_with("recovered diverged and continued with half the"));
}
