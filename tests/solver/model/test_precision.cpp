// SPDX-License-Identifier: GPL-3.0-or-later
// Storage of populations in fewer digits than the arithmetic: effect on a step and on flows with
// closed forms.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "solver/backend/cpu/vectors.hpp"
#include "solver/model/precision/precision.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/oracle/reference.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

const VariantInfo& d3q19(CollisionId collision, PrecisionId precision) {
  return findVariant({.collision = collision, .precision = precision});
}

// Calls check(value, scalar, vector) for floats of all sizes, rounded as scalar and as vector.
template <class Check>
void forRounded(const Check& check) {
  constexpr int width = Vector<float>::width;
  std::mt19937 engine(5);
  for (int k = 0; k < 100000; ++k) {
    alignas(64) float values[width];
    ScaledHalf halves[width];
    for (float& value : values) {
      value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
      if (k % 2 == 0)
        value = std::ldexp(std::fmod(value, 1.0F), static_cast<int>(engine() % 64) - 40);
    }
    Vector<float>::type vector;
    std::memcpy(&vector, values, sizeof(vector));
    storeVector<F16>(vector, halves);
    for (int lane = 0; lane < width; ++lane)
      check(values[lane], F16::narrow(values[lane]), halves[lane]);
  }
}

}  // namespace

TEST_CASE("Precision: every half is converted exactly, and ties round to even", "[unit]") {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto minus = static_cast<std::uint16_t>(bits | 0x8000U);
    const float value = halfToFloat(half);
    REQUIRE(nearestHalf(value) == half);
    REQUIRE(nearestHalf(-value) == minus);
    REQUIRE(halfToFloat(minus) == -value);
    if (bits == 0x7bff) break;
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const float middle = 0.5F * (value + halfToFloat(above));
    REQUIRE(nearestHalf(middle) == (bits % 2 == 0 ? half : above));
    REQUIRE(nearestHalf(std::nextafter(middle, 1e6F)) == above);
    REQUIRE(nearestHalf(std::nextafter(middle, -1.0F)) == half);
  }
  CHECK(halfToFloat(0x0001) == 0x1p-24F);
  CHECK(halfToFloat(0x3c00) == 1.0F);
  CHECK(halfToFloat(0x7bff) == 65504.0F);
}

TEST_CASE("Precision: values beyond a half become the largest one, and NaN stays NaN", "[unit]") {
  for (const float value : {65504.0F, 65519.0F, 65520.0F, 1e30F, INFINITY}) {
    CHECK(nearestHalf(value) == 0x7bff);
    CHECK(nearestHalf(-value) == 0xfbff);
  }
  CHECK(std::isnan(halfToFloat(nearestHalf(NAN))));
  CHECK(static_cast<double>(ScaledHalf(5.0)) == 65504.0 / 32768.0);
  CHECK(static_cast<double>(ScaledHalf(-1e-9)) == Approx(-1e-9).epsilon(2e-3));
}

TEST_CASE("Precision: vectors round to halves and back like numbers do", "[unit]") {
  forRounded([](float value, ScaledHalf scalar, ScaledHalf vector) {
    if (std::isnan(value)) {
      REQUIRE(std::isnan(F16::widen(scalar)));
      REQUIRE(std::isnan(F16::widen(vector)));
    } else {
      REQUIRE(scalar.bits == vector.bits);
    }
  });
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    ScaledHalf halves[Vector<float>::width];
    for (ScaledHalf& half : halves)
      half.bits = static_cast<std::uint16_t>(bits | (bits & 1U) << 15U);
    const auto vector = loadVector<F16>(halves);
    REQUIRE(vector[0] == F16::widen(halves[0]));
    REQUIRE(vector[Vector<float>::width - 1] == vector[0]);
  }
}

TEST_CASE(
    "Precision: a step of narrow storage is a step of its arithmetic, rounded once, bit for bit",
    "[unit]") {
  const TilesFile tiles =
      imageGeometry({9, 6, 5}, strewn(0.85), {true, true, true}, {}, 1e-3, {1, 2, 3});
  const auto afterStep = [&](const VariantInfo& variant, const std::vector<double>& start) {
    SolverCase run = waterCase(variant.axes, 0.8);
    run.bodyForce = {5e-3, -2.5e-3, 1e-3};
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    simulation.setPopulations(start);
    simulation.advance(1);
    return simulation.populations();
  };
  std::mt19937 engine(3);
  std::vector<double> start(tiles.geometry.tiles() * 64 * 19);
  for (double& f : start)  // halves, so that every precision starts from the same
    f = static_cast<double>(
        ScaledHalf((static_cast<double>(engine()) / 4294967296.0 - 0.5) * 2e-3));
  for (const VariantInfo& variant : variants()) {
    const bool half = variant.axes.precision == PrecisionId::F16;
    if (!half && variant.axes.precision != PrecisionId::F32F64) continue;
    INFO(variant.name());
    const std::vector<double> found = afterStep(variant, start);
    const std::vector<double> exact =
        afterStep(d3q19(variant.axes.collision, half ? PrecisionId::F32 : PrecisionId::F64), start);
    std::vector<double> rounded(exact.size());
    std::transform(exact.begin(), exact.end(), rounded.begin(), [half](double f) {
      return half ? static_cast<double>(ScaledHalf(f)) : static_cast<double>(static_cast<float>(f));
    });
    CHECK(found != exact);
    CHECK(found == rounded);
  }
}

namespace {

// Plane channel of 16 nodes across, driven by a force to a largest velocity of 0.05: the largest
// error of the velocity against the parabola, relative to that.
double channelError(const VariantInfo& variant) {
  constexpr int height = 16;
  const TilesFile tiles = closedBox({4, height, 4}, {true, false, true}, 1e-3);
  SolverCase run = waterCase(variant.axes, 0.8);
  run.bodyForce[0] = 1.0;
  const double unit = prepare(tiles.geometry, run, "cpu").lattice.force[0];
  const double force = 0.05 * 8.0 * 0.1 / (height * height);  // lattice units
  run.bodyForce[0] = force / unit;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(20000);
  const std::vector<double> f = simulation.populations();
  double worst = 0.0;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      double u = -0.5 * force;
      double r = 0.0;
      for (std::size_t i = 0; i < 19; ++i) {
        const double population = f[(t * 19 + i) * 64 + static_cast<std::size_t>(l)];
        u += variant.lattice.velocities[i][0] * population;
        r += population;
      }
      const double y = tiles.geometry.nodeOf(t, l)[1] + 0.5;
      const double exact = force / 0.2 * y * (height - y);
      const double error = std::abs(u / (1.0 + r) - exact);
      if (!(error <= worst)) worst = error;  // a NaN must not pass
    }
  return worst / 0.05;
}

}  // namespace

TEST_CASE("Precision: the error of TRT in a plane channel is bounded for each storage type",
          "[unit]") {
  const auto error = [](PrecisionId precision) {
    return channelError(d3q19(CollisionId::Trt, precision));
  };
  CHECK(error(PrecisionId::F64) < 1e-12);
  CHECK(error(PrecisionId::F32) < 5e-6);
  CHECK(error(PrecisionId::F32F64) < 2e-5);
  // The last changes of a steady flow are below half the last stored digit.
  const double half = error(PrecisionId::F16);
  CHECK(half > 1e-3);
  CHECK(half < 0.05);
}

namespace {

// Velocities of decaying vortices (Taylor & Green 1937) of largest velocity 0.05 at the start, at
// fluid nodes, after some steps.
std::vector<double> vortices(const VariantInfo& variant, std::uint64_t steps) {
  constexpr int n = 32;
  const TilesFile tiles = closedBox({n, n, 4}, {true, true, true}, 1e-3);
  Simulation simulation(tiles, prepare(tiles.geometry, waterCase(variant.axes, 0.6), "cpu"));
  const LatticeInfo& lattice = variant.lattice;
  std::vector<double> f(tiles.geometry.tiles() * 19 * 64);
  const auto forPopulations = [&](const auto& visit) {
    for (std::size_t k = 0; k < f.size(); ++k)
      visit(k, k / 64 % 19, tiles.geometry.nodeOf(k / (19 * 64), static_cast<int>(k % 64)));
  };
  forPopulations([&](std::size_t k, std::size_t i, const Int3& node) {
    const double x = 2.0 * 3.14159265358979323846 / n * node[0];
    const double y = 2.0 * 3.14159265358979323846 / n * node[1];
    const double ux = -0.05 * std::cos(x) * std::sin(y);
    const double uy = 0.05 * std::sin(x) * std::cos(y);
    const double r = -0.75 * 0.05 * 0.05 * (std::cos(2.0 * x) + std::cos(2.0 * y));
    const double cu = lattice.velocities[i][0] * ux + lattice.velocities[i][1] * uy;
    f[k] = lattice.weights[i] * (r + 3.0 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
  });
  simulation.setPopulations(f);
  simulation.advance(steps);
  f = simulation.populations();
  std::vector<double> u(2 * f.size() / 19, 0.0);
  forPopulations([&](std::size_t k, std::size_t i, const Int3&) {
    const std::size_t node = k / (19 * 64) * 64 + k % 64;
    for (std::size_t a = 0; a < 2; ++a) u[2 * node + a] += lattice.velocities[i][a] * f[k];
  });
  return u;
}

}  // namespace

TEST_CASE("Precision: decaying vortices stay within the stated distance from double", "[unit]") {
  for (const VariantInfo& variant : variants()) {
    const PrecisionId precision = variant.axes.precision;
    if (variant.axes.lattice != LatticeId::D3Q19 || precision == PrecisionId::F64 ||
        variant.axes.equilibrium != EquilibriumId::QuasiCompressible ||
        variant.axes.tiling == TilingId::Shifted || variant.axes.viscosity != ViscosityId::Constant)
      continue;
    const std::vector<double> exact =
        vortices(d3q19(variant.axes.collision, PrecisionId::F64), 400);
    const std::vector<double> found = vortices(variant, 400);
    double difference = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      if (!(std::abs(found[k] - exact[k]) <= difference))
        difference = std::abs(found[k] - exact[k]);
      largest = std::max(largest, std::abs(exact[k]));
    }
    INFO(variant.name() << ": " << difference / largest);
    const std::map<PrecisionId, double> most{{PrecisionId::F32, 5e-5},
                                             {PrecisionId::F32F64, 1e-6},
                                             {PrecisionId::F16, 5e-3},
                                             {PrecisionId::M32F16, 1e-4}};
    CHECK(difference / largest < most.at(precision));
  }
}
