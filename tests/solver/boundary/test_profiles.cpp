// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles across openings: developed flow from Poisson's equation, Womersley's from its harmonics.
#include <catch2/catch.hpp>

#include "solver/boundary/developed_profile.hpp"
#include "solver/run/output.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

constexpr double pi = 3.14159265358979323846;

struct Profiled {
  std::vector<double> w;  // squared spacings
  LatticeOpening shape;
  TileOrder order;
  std::vector<std::uint32_t> links;
};

// The developed profile of opening 1.
Profiled developedAt(const TilesFile& tiles) {
  const TiledGeometry& g = tiles.geometry;
  const VariantInfo& variant =
      findVariant({.lattice = g.dimensions == 2 ? LatticeId::D2Q9 : LatticeId::D3Q19,
                   .precision = PrecisionId::F64});
  Profiled out;
  out.order = orderTiles(g, variant.lattice.velocities);
  for (std::size_t k = 0; k < out.order.openingLinks.size(); ++k)
    if (out.order.openingLinks[k].opening == 0) out.links.push_back(static_cast<std::uint32_t>(k));
  out.shape = inLattice(g.openings[0], g);
  std::vector<Double3> positions;
  for (const std::uint32_t k : out.links) positions.push_back(out.order.openingLinks[k].position);
  out.w = developedProfile(g, out.order, out.shape, out.links, positions);
  return out;
}

// Largest difference from the parabola (R^2 - r^2) / 4 over its peak; beyond the rim it may lie
// closer to 0, but not above.
double tubeError(const TilesFile& tiles) {
  const Profiled p = developedAt(tiles);
  const double squared = p.shape.radius * p.shape.radius;
  double worst = 0.0;
  for (std::size_t n = 0; n < p.links.size(); ++n) {
    const double s = squaredRadiusAt(p.shape, p.order.openingLinks[p.links[n]].position);
    const double parabola = 0.25 * squared * (1.0 - s);
    worst = std::max(worst,
                     s < 1.0 ? std::abs(p.w[n] - parabola) : std::max(p.w[n], parabola - p.w[n]));
  }
  return worst / (0.25 * squared);
}

// -laplacian w = 1 on a square of side 1, at (x, y) from its corner.
double squareDuct(double x, double y) {
  double sum = 0.0;
  for (int n = 1; n < 200; n += 2)
    sum += 4.0 / (std::pow(pi, 3) * n * n * n) *
           (1.0 - std::cosh(n * pi * (y - 0.5)) / std::cosh(0.5 * n * pi)) * std::sin(n * pi * x);
  return sum;
}

double squareError(int n) {
  const TilesFile tiles = openBox({5, n, n});
  const Profiled p = developedAt(tiles);
  double worst = 0.0;
  for (std::size_t k = 0; k < p.links.size(); ++k) {
    const Double3& at = p.order.openingLinks[p.links[k]].position;
    const double x = (at[1] + 0.5) / n;
    const double y = (at[2] + 0.5) / n;
    if (x < 0.0 || x > 1.0 || y < 0.0 || y > 1.0) continue;
    worst = std::max(worst, std::abs(p.w[k] / (n * n) - squareDuct(x, y)));
  }
  return worst / 0.0736712888;
}

}  // namespace

TEST_CASE(
    "Profiles: the developed one of a square opening equals the duct's series, to second order",
    "[unit]") {
  const double coarse = squareError(8);
  const double fine = squareError(32);
  INFO("errors " << coarse << " and " << fine);
  CHECK(std::log2(coarse / fine) / 2.0 > 1.8);
  CHECK(fine < 2e-3);
}

TEST_CASE("Profiles: the developed one of a plane channel is its parabola exactly", "[unit]") {
  const TilesFile tiles = planeChannel(12, 9);
  const Profiled p = developedAt(tiles);
  for (std::size_t n = 0; n < p.links.size(); ++n) {
    const double y = p.order.openingLinks[p.links[n]].position[1] + 0.5;
    if (y >= 0.0 && y <= 9.0) CHECK(p.w[n] == Approx(0.5 * y * (9.0 - y)).margin(1e-8));
  }
}

// Quadratics are fitted exactly, save at nodes at the rim with too few neighbours.
TEST_CASE("Profiles: the developed one of a round opening is the parabola at any orientation",
          "[unit]") {
  for (const Double3& axis : {Double3{1.0, 0.0, 0.0}, Double3{0.6, 0.8, 0.0},
                              Double3{1.0, 1.0, 1.0}, Double3{0.3, -0.5, 0.9}})
    for (const double radius : {3.2, 5.3, 21.2}) {
      INFO("axis " << axis[0] << " " << axis[1] << " " << axis[2] << ", radius " << radius);
      CHECK(tubeError(tiltedTube(axis, radius, 14.0)) < 2e-3);
    }
}

TEST_CASE("Profiles: Womersley's is the parabola at low alpha and has mean 1 at any", "[unit]") {
  CHECK(std::abs(womersley(3, 1e-4, 0.36) - 2.0 * 0.64) < 1e-8);
  CHECK(std::abs(womersley(2, 1e-4, 0.36) - 1.5 * 0.64) < 1e-8);
  for (const double alpha : {0.5, 4.0, 12.0, 24.9, 25.1, 60.0}) {
    std::complex<double> tube;
    std::complex<double> channel;
    const int n = 10000;
    for (int k = 0; k < n; ++k) {
      const double s = (k + 0.5) / n;
      tube += womersley(3, alpha, s) / double(n);  // equal areas
      channel += womersley(2, alpha, s * s) / double(n);
    }
    INFO("alpha " << alpha);
    CHECK(std::abs(tube - 1.0) < 1e-4);
    CHECK(std::abs(channel - 1.0) < 1e-4);
  }
  // Both ways of computing agree where one takes over from the other.
  for (const double s : {0.1, 0.5, 0.9, 0.99})
    for (const int dimensions : {2, 3})
      CHECK(std::abs(womersley(dimensions, 24.9999, s) - womersley(dimensions, 25.0001, s)) < 1e-4);
}

TEST_CASE("Profiles: Womersley's has the amplitude and phase of the Bessel series", "[unit]") {
  // u(0) and u(R/2) over Q, amplitude relative to that of a parabola and phase in degrees, of a
  // rigid tube, for alpha = 2, 4, 8: from a table of the series in arbitrary precision.
  struct Value {
    double alpha, centre, centrePhase, half, halfPhase, flow, flowPhase;
  };
  for (const Value& v : {Value{2, 0.81650, -37.966, 0.61777, -34.447, 0.82494, -33.262},
                         Value{4, 0.30802, -80.948, 0.25940, -69.908, 0.35310, -65.568},
                         Value{8, 0.06173, -91.219, 0.06755, -88.674, 0.10480, -78.941}}) {
    // Velocities are over G R^2 / 4 mu, the flow rate over pi R^4 G / 8 mu: the mean is half of it.
    const auto ratio = [&](double amplitude, double phase) {
      return std::polar(2.0 * amplitude / v.flow, (phase - v.flowPhase) * pi / 180.0);
    };
    CHECK(std::abs(womersley(3, v.alpha, 0.0) - ratio(v.centre, v.centrePhase)) < 1e-4);
    CHECK(std::abs(womersley(3, v.alpha, 0.25) - ratio(v.half, v.halfPhase)) < 1e-4);
  }
}

TEST_CASE("Profiles: a Womersley inlet lets in exactly the series' flow rate", "[unit]") {
  const TilesFile tiles = tiltedTube({0.6, 0.8, 0.0}, 5.3, 14.0);
  const auto wave = periodicSeries(0.5, [](double s) {
    return 0.003 * (1.0 + 0.8 * std::sin(2.0 * pi * s) + (s < 0.3 ? s : 0.43 * (1.0 - s)));
  });
  SolverCase run = planeCase();
  run.lattice = LatticeId::D3Q19;
  run.equilibrium = EquilibriumId::QuasiCompressible;
  run.openings[0] = pulsating(wave, Profile::Womersley);
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  for (int k = 0; k < 8; ++k) {
    simulation.advance(7);
    const double t = (7 * (k + 1) + 0.5) * simulation.setup().lattice.scales.timeStep;
    CHECK(simulation.sample().flowRate[0] ==
          Approx(-wave->at(t) * tiles.geometry.openings[0].area).epsilon(1e-9));
  }
}

TEST_CASE("Profiles: behind a slanted inlet the flow has its parabola at once", "[unit]") {
  const double radius = 9.0;
  const TilesFile tiles = tiltedTube({0.36, 0.48, 0.8}, radius, 20.0);
  SolverCase run = planeCase();
  run.lattice = LatticeId::D3Q19;
  run.walls = WallScheme::Bouzidi;
  run.openings[0] = Velocity{Profile::Parabolic, 1e-3};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(1500);
  RunResult result;
  result.last = simulation.sample();
  const Fields fields = fieldsOf(simulation, result);
  const Opening& inlet = tiles.geometry.openings[0];
  double squares = 0.0;
  int nodes = 0;
  std::size_t node = 0;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      if (tiles.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      const Int3 at = tiles.geometry.nodeOf(t, l);
      const Float3& u = fields.velocity[node++];
      const Double3 d =
          tiles.geometry.frame.toWorld({double(at[0]), double(at[1]), double(at[2])}) -
          inlet.centre;
      const double in = -dot(d, inlet.normal) / 1e-4;
      if (in < 1.0 || in > radius) continue;
      const double s = (dot(d, d) / 1e-8 - in * in) / (radius * radius);
      const double exact = 2.0 * (1.0 - s);
      const double along =
          -dot(Double3{u[0], u[1], u[2]}, inlet.normal) * fields.velocityFactor / 1e-3;
      squares += (along - exact) * (along - exact);
      ++nodes;
    }
  INFO("root mean square over " << nodes << " nodes " << std::sqrt(squares / nodes));
  REQUIRE(nodes > 1500);
  CHECK(std::sqrt(squares / nodes) < 0.004);
}
