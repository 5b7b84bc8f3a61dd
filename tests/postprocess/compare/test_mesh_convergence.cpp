// SPDX-License-Identifier: GPL-3.0-or-later
// Order, Richardson's value and grid convergence index against values made with a known error;
// warnings of a comparison.
#include <catch2/catch.hpp>
#include <cmath>

#include "postprocess/compare/comparison.hpp"

using namespace tessera;
using namespace tessera::postprocess::compare;

namespace {

constexpr std::array<double, 3> halved{1.0, 2.0, 4.0};
constexpr std::array<double, 3> uneven{0.7, 1.0, 1.6};

// f0 + a h^p at the three spacings.
std::array<double, 3> withError(double f0, double a, double p, const std::array<double, 3>& h) {
  std::array<double, 3> f{};
  for (std::size_t i = 0; i < 3; ++i) f[i] = f0 + a * std::pow(h[i], p);
  return f;
}

}  // namespace

TEST_CASE(
    "Mesh convergence: an error a h^p gives back its order and limit, for equal and unequal ratios",
    "[unit]") {
  for (const auto& h : {halved, uneven})
    for (const double p : {0.5, 1.0, 1.7, 2.0, 3.0})
      for (const double a : {0.01, -0.3}) {
        INFO("p " << p << " a " << a << " h3 " << h[2]);
        const auto f = withError(5.0, a, p, h);
        const MeshConvergence found = meshConvergence(h, f, 5.0);
        REQUIRE(found.approach == Approach::Monotone);
        CHECK(*found.order == Approx(p).epsilon(1e-6));
        CHECK(*found.extrapolated == Approx(5.0).epsilon(1e-9));
        const double q = std::min(p, 2.0), r = h[1] / h[0];
        const double index = 1.25 * std::abs((f[0] - f[1]) / f[0]) / (std::pow(r, q) - 1.0);
        CHECK(*found.index == Approx(index).epsilon(1e-6));
        CHECK(*found.uncertainty == Approx(index * std::abs(f[0])).epsilon(1e-6));
      }
}

TEST_CASE("Mesh convergence: at equal ratios the order is the logarithm of Roache's formula",
          "[unit]") {
  const MeshConvergence found = meshConvergence(halved, {0.9713, 0.9654, 0.9418}, 1.0);
  CHECK(*found.order == Approx(std::log((0.9418 - 0.9654) / (0.9654 - 0.9713)) / std::log(2.0)));
  // order 2: f1 + (f1 - f2) / 3, and 1.25 times its distance from f1
  CHECK(*found.extrapolated == Approx(0.9713 + 0.0059 / 3.0));
  CHECK(*found.index == Approx(1.25 * 0.0059 / 3.0 / 0.9713));
}

TEST_CASE("Mesh convergence: the error bar contains the true value whenever the order is below two",
          "[unit]") {
  for (const double p : {0.7, 1.0, 1.5, 2.0}) {
    const auto f = withError(3.0, 0.2, p, uneven);
    CHECK(std::abs(f[0] - 3.0) < *meshConvergence(uneven, f, 3.0).uncertainty);
  }
}

TEST_CASE("Mesh convergence: values that do not converge are reported as such", "[unit]") {
  const MeshConvergence up = meshConvergence(halved, {1.0, 1.2, 1.1}, 1.0);
  CHECK(up.approach == Approach::Oscillatory);
  CHECK(*up.uncertainty == Approx(0.1));
  CHECK_FALSE(up.order);
  const MeshConvergence away = meshConvergence(halved, {1.0, 1.2, 1.3}, 1.0);
  CHECK(away.approach == Approach::Diverging);
  CHECK_FALSE(away.uncertainty);
  const MeshConvergence same = meshConvergence(halved, {1.0, 1.0 + 1e-9, 1.0 - 1e-9}, 1.0);
  CHECK(same.approach == Approach::Unchanged);
  CHECK(*same.uncertainty == 0.0);
}

TEST_CASE(
    "Mesh convergence: a finest pair that agrees is the limit, and a limit of zero has no relative "
    "index",
    "[unit]") {
  const MeshConvergence agreed = meshConvergence(halved, {1.0, 1.0, 1.5}, 1.0);
  CHECK(agreed.approach == Approach::Monotone);
  CHECK(*agreed.order == Approx(16.0));
  CHECK(*agreed.extrapolated == Approx(1.0));
  CHECK(*agreed.uncertainty == 0.0);
  const MeshConvergence zero = meshConvergence(halved, {0.0, 3.0, 15.0}, 1.0);
  CHECK(*zero.order == Approx(2.0));
  CHECK_FALSE(zero.index);
  CHECK(*zero.uncertainty == Approx(1.25));
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
