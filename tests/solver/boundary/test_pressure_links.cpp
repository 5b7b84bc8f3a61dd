// SPDX-License-Identifier: GPL-3.0-or-later
// Pressure links at any angle: Hagen-Poiseuille flow between two pressures in slanted tubes, and
// the stencils that carry the shear through the plane of the opening.
#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <numbers>

#include "solver/backend/registry.hpp"
#include "solver/boundary/advection_share.hpp"
#include "solver/domain/build.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

struct TubeFlow {
  double rate = 0.0;      // over that of Hagen and Poiseuille, less 1
  double velocity = 0.0;  // largest error within two spacings of a plane, over the largest velocity
};

// A tube of three radii between two pressures whose flow has this largest velocity.
TubeFlow betweenPressures(const Double3& axis, double radius, double tau, double speed) {
  const double length = 3.0 * radius;
  const TilesFile tiles = tiltedTube(axis, radius, length);
  SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
  run.lattice = LatticeId::D3Q19;
  run.walls = WallScheme::Multireflection;
  run.tau = tau;
  const Scales scales = latticeRun(run, tiles.geometry).scales;
  const double nu = (tau - 0.5) / 3.0;
  const double drop = 4.0 * nu * speed / (radius * radius) * length;
  run.openings[0] = Pressure{drop * scales.pressure()};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(static_cast<std::uint64_t>(1.2 * radius * radius / nu + 20.0 * radius));
  const TiledGeometry& g = tiles.geometry;
  const Opening& inlet = g.openings[0];
  TubeFlow out;
  out.rate = -simulation.sample().flowRate[0] / scales.flowRate() /
                 (0.5 * std::numbers::pi * radius * radius * speed) -
             1.0;
  const std::vector<double> f = simulation.populations();
  for (std::size_t t = 0; t < g.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const auto local = static_cast<std::size_t>(l);
      if (g.nodeType[t * tileNodes + local] == 0) continue;
      const Int3 at = g.nodeOf(t, l);
      const Double3 x =
          (1.0 / g.frame.spacing) *
          (g.frame.toWorld({double(at[0]), double(at[1]), double(at[2])}) - inlet.centre);
      const double in = -dot(x, inlet.normal);
      if (in > 2.0 && in < length - 2.0) continue;
      Double3 u{};
      for (std::size_t i = 0; i < 19; ++i)
        for (std::size_t a = 0; a < 3; ++a)
          u[a] += simulation.setup().variant->lattice.velocities[i][a] *
                  f[(t * 19 + i) * tileNodes + local];
      const double exact = speed * (1.0 - (dot(x, x) - in * in) / (radius * radius));
      out.velocity = std::max(
          out.velocity, std::sqrt(dot(u + exact * inlet.normal, u + exact * inlet.normal)) / speed);
    }
  return out;
}

const Double3 slanted{1.0, 2.0, 3.0};

}  // namespace

TEST_CASE("Pressure links: a short tube along (1,2,3) has its flow rate and profile at its ends",
          "[unit]") {
  const TubeFlow flow = betweenPressures(slanted, 6.0, 0.8, 0.01);
  INFO("flow rate off by " << flow.rate << ", velocity near the openings by " << flow.velocity);
  CHECK(std::abs(flow.rate) < 0.01);
  CHECK(flow.velocity < 0.03);
}

TEST_CASE("Pressure links: the error hardly depends on the angle or the relaxation time",
          "[unit]") {
  for (const Double3& axis : {Double3{1, 0, 0}, Double3{1, 1, 0}, Double3{1, 0.1, 0.03}})
    for (const double tau : {0.6, 1.0, 2.0}) {
      const TubeFlow flow = betweenPressures(axis, 5.3, tau, 0.01);
      INFO("tau " << tau << ", along " << axis[0] << " " << axis[1] << " " << axis[2] << ": "
                  << flow.rate << ", " << flow.velocity);
      CHECK(std::abs(flow.rate) < 0.02);
      CHECK(flow.velocity < 0.05);
    }
}

TEST_CASE("Pressure links: order over four radii and three placements", "[.slow]") {
  double xx = 0.0;
  double xy = 0.0;
  std::vector<std::array<double, 2>> points;
  for (const double radius : {5.0, 7.0, 10.0, 14.0})
    for (const double shift : {0.0, 0.13, 0.31})
      points.push_back(
          {std::log(radius + shift),
           std::log(std::abs(betweenPressures(slanted, radius + shift, 0.8, 0.01).velocity))});
  std::array<double, 2> mean{};
  for (const auto& point : points)
    for (std::size_t a = 0; a < 2; ++a) mean[a] += point[a] / double(points.size());
  for (const auto& point : points) {
    xx += (point[0] - mean[0]) * (point[0] - mean[0]);
    xy += (point[0] - mean[0]) * (point[1] - mean[1]);
  }
  INFO("order " << -xy / xx << ", mean error " << std::exp(mean[1]));
  CHECK(-xy / xx > 1.8);
}

TEST_CASE("Pressure links: a stencil gives the shear of a parabola and the pressure half a link on",
          "[unit]") {
  const double radius = 6.0;
  const TilesFile tiles = tiltedTube(slanted, radius, 14.0);
  SolverCase run = planeCase();
  run.lattice = LatticeId::D3Q19;
  run.walls = WallScheme::Bouzidi;
  const Setup setup = prepare(tiles.geometry, run, "cpu");
  const auto domain = solver::domain::buildDomain(setup.order, tiles.geometry, setup.run,
                                                  setup.lattice, setup.variant->lattice);
  const TiledGeometry& g = tiles.geometry;
  const std::vector<Double3> places = [&] {
    std::map<std::uint64_t, Double3> at;
    for (std::size_t t = 0; t < g.tiles(); ++t)
      for (int l = 0; l < tileNodes; ++l) {
        const Int3 x = g.nodeOf(t, l);
        at[(setup.order.slotOfTile[t] * 19ULL) * tileNodes + static_cast<std::uint64_t>(l)] = {
            double(x[0]), double(x[1]), double(x[2])};
      }
    std::vector<Double3> out;
    for (const std::uint64_t node : domain.stencils.nodes) out.push_back(at.at(node));
    return out;
  }();
  REQUIRE(domain.stencils.links.size() == domain.links.size());
  double worstShear = 0.0;
  double worstPressure = 0.0;
  double worstAdvection = 0.0;
  for (std::size_t k = 0; k < domain.links.size(); ++k) {
    const solver::tiles::OpeningLink& link = setup.order.openingLinks[k];
    const LatticeOpening opening = inLattice(g.openings[link.opening], g);
    const auto depth = [&](const Double3& x) { return -dot(x - opening.centre, opening.normal); };
    const auto speed = [&](const Double3& x) {
      const Double3 d = x - opening.centre;
      return 1.0 - (dot(d, d) - std::pow(depth(x), 2)) / (radius * radius);
    };
    const LinkStencil& stencil = domain.stencils.links[k];
    double change = 0.0;
    double advection = 0.0;
    double r = stencil.gain * 5.0;
    for (std::uint32_t e = stencil.first; e < stencil.first + stencil.count; ++e) {
      const StencilEntry& entry = domain.stencils.entries[e];
      change += double(entry.velocity) * speed(places[entry.node]);
      advection += double(entry.advection) * speed(places[entry.node]);
      r += double(entry.pressure) * (5.0 + 0.2 * depth(places[entry.node]));
    }
    const Int3 at = g.nodeOf(link.tile, link.local);
    const Double3 x{double(at[0]), double(at[1]), double(at[2])};
    const Double3 c = velocityOf(setup.variant->lattice, link.direction);
    // 2 magic - 1/2 of TRT times the second derivative of (4.5 (c . n)^2 - 1.5) speed.
    const double cn = dot(c, opening.normal);
    const double curvature = -2.0 * (dot(c, c) - cn * cn) / (radius * radius);
    const double exact = (2.0 * setup.lattice.magic - 0.5) * (4.5 * cn * cn - 1.5) * curvature;
    worstAdvection = std::max(worstAdvection, std::abs(advection - exact));
    worstShear = std::max(worstShear, std::abs(change - (speed(x + c) - speed(x))));
    worstPressure = std::max(worstPressure, std::abs(r - (5.0 + 0.2 * depth(x + 0.5 * c))));
  }
  CHECK(worstShear < 1e-4);  // distances to the wall are whole multiples of 2^-16
  CHECK(worstPressure < 1e-4);
  CHECK(worstAdvection < 1e-4);
}

TEST_CASE("Pressure links: advection of a flow normal to the plane, mrt on D3Q27", "[unit]") {
  const LatticeInfo& info = findVariant({LatticeId::D3Q27, CollisionId::Mrt,
                                         EquilibriumId::QuasiCompressible, ViscosityId::Constant,
                                         PrecisionId::F64, TilingId::Aligned, StateId::Populations})
                                .lattice;
  const double length = std::sqrt(14.0);
  const Double3 n{1.0 / length, 2.0 / length, 3.0 / length};
  const AdvectionShares shares =
      advectionShares(LatticeId::D3Q27, CollisionId::Mrt, 0.505, 0.5 * 0.005);
  CHECK(shares.whole == Approx(0.0).margin(1e-12));
  CHECK(shares.second == Approx(-0.495));
  for (std::size_t i = 1; i < 27; ++i) {
    const Double3 c = velocityOf(info, i);
    // Third moments of second derivatives of u u, but for those of one axis, which D3Q27 lacks;
    // second derivatives of U^2 of a pipe's axis, 1 - n_a^2 along axis a, 2 altogether.
    double exact = (dot(c, n) * dot(c, n) - 1.0 / 3.0) * 2.0 / 3.0;
    for (std::size_t a = 0; a < 3; ++a)
      exact -= (c[a] * c[a] - 1.0 / 3.0) * n[a] * n[a] * (1.0 - n[a] * n[a]);
    const AdvectionMatrix matrix = advectionMatrix(info, i, n, shares);
    double found = 0.0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        found += matrix[a][b] * ((a == b ? 1.0 : 0.0) - n[a] * n[b]);
    CHECK(found == Approx(-0.495 * 4.5 * exact).margin(1e-12));
  }
}
