// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/boundary/wall_flows.hpp"
#include "solver/run/output.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "postprocess/quantity/wall_stress.hpp"

namespace tessera::testing {

using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::preprocess::file;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;
namespace {

// Velocity (m/s) and shear stress (Pa) of a flow at a position in nodes.
struct Exact {
  std::function<Double3(const Double3&)> velocity;
  // The component along the flow of the stress on a plane across `normal`.
  std::function<double(const Double3&)> shear;
  std::function<std::array<Double3, 2>(const Double3&)> flowAndNormal;
};

double along(const std::array<float, 6>& s, const Double3& a, const Double3& b) {
  return s[0] * a[0] * b[0] + s[1] * a[1] * b[1] + s[2] * a[2] * b[2] +
         s[3] * (a[0] * b[1] + a[1] * b[0]) + s[4] * (a[0] * b[2] + a[2] * b[0]) +
         s[5] * (a[1] * b[2] + a[2] * b[1]);
}

Errors errorsOf(const Flow& flow, const Exact& exact) {
  double velocity[2]{};
  double shear[2]{};
  double sum[2]{};
  flow.forNodes([&](const Double3& at, NodeType type, std::uint64_t node) {
    const Double3 expected = exact.velocity(at);
    const auto [direction, normal] = exact.flowAndNormal(at);
    for (std::size_t a = 0; a < 3; ++a) {
      const double u = flow.fields.velocity[node][a] * flow.fields.velocityFactor;
      velocity[0] += (u - expected[a]) * (u - expected[a]);
      velocity[1] += expected[a] * expected[a];
      sum[0] += u * direction[a];
      sum[1] += expected[a] * direction[a];
    }
    if (type != NodeType::Wall) return;
    const double s = along(flow.fields.stress[node], direction, normal) * flow.fields.stressFactor;
    shear[0] += std::pow(s - exact.shear(at), 2);
    shear[1] += std::pow(exact.shear(at), 2);
  });
  Errors errors;
  errors.velocity = std::sqrt(velocity[0] / velocity[1]);
  errors.shear = std::sqrt(shear[0] / shear[1]);
  errors.flow = std::abs(sum[0] / sum[1] - 1.0);
  errors.mass = flow.mass;
  return errors;
}

// Shear as postprocess finds it, at points around the wall of a pipe along x.
double shearErrorOfPipe(const Flow& flow, double middle, double radius, double expected) {
  const NodeLookup lookup(flow.tiles.geometry);
  double sum = 0.0;
  constexpr int points = 197;
  for (int k = 0; k < points; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.3) / points;
    const Double3 normal{0.0, std::cos(angle), std::sin(angle)};
    const Double3 point{1.5, middle + radius * normal[1], middle + radius * normal[2]};
    const StressAtWall at = stressAtWall(lookup, flow.fields, point, normal);
    sum += std::pow(-stressTimes(at.stress, normal)[0] / expected - 1.0, 2);
  }
  return std::sqrt(sum / points);
}

}  // namespace

SolverCase plainCase(const TilesFile& tiles, WallScheme scheme, double tau) {
  SolverCase run;
  run.density = density;
  run.kinematicViscosity = viscosity;
  run.lattice = tiles.geometry.dimensions == 2 ? LatticeId::D2Q9 : LatticeId::D3Q19;
  run.precision = PrecisionId::F64;
  run.tau = tau;
  run.ramp = 0.0;
  run.walls = scheme;
  return run;
}

Flow::Flow(const TilesFile& geometry, const SolverCase& run, std::uint64_t steps)
    : tiles(geometry) {
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(steps);
  RunResult result;
  result.last = simulation.sample();
  fields = fieldsOf(simulation, result);
  const std::vector<double> f = simulation.populations();
  const std::size_t q = simulation.setup().variant->lattice.velocities.size();
  for (std::size_t k = 0; k < f.size(); ++k)
    if (tiles.geometry.nodeType[k / (q * 64) * 64 + k % 64] != 0) mass += f[k];
  mass /= static_cast<double>(tiles.geometry.fluidNodes);
}
int anyLabel(const Double3&) {
  return 0;
}

Errors inclined(int height, WallScheme scheme, double tau) {
  const double spacing = 1e-3 / height;
  const double half = 0.371 * height;  // of the channel, on y
  const double cosine = 2.0 / std::sqrt(5.0);
  const Double3 direction{cosine, 0.5 * cosine, 0.0};
  const Double3 normal{-0.5 * cosine, cosine, 0.0};
  const auto across = [=](const Double3& p) {
    const double y = p[1] - 0.5 * p[0] - 0.17;
    return y - height * std::floor(y / height) - 0.5 * height;  // on y, from the middle
  };
  const auto level = [=](const Double3& p) { return std::abs(across(p)) - half; };
  const TilesFile tiles = inTiles(
      levelLattice({2 * height, height, 1}, level, {true, true, true}, spacing, 2, 1, anyLabel),
      {0, 0, 0});
  SolverCase run = plainCase(tiles, scheme, tau);
  for (std::size_t a = 0; a < 3; ++a) run.bodyForce[a] = force * direction[a];
  const double factor = force / (2.0 * viscosity * density) * std::pow(spacing * cosine, 2);
  Exact exact;
  exact.velocity = [=](const Double3& p) {
    const double u = factor * (half * half - std::pow(across(p), 2));
    return Double3{u * direction[0], u * direction[1], 0.0};
  };
  exact.shear = [=](const Double3& p) { return -force * across(p) * cosine * spacing; };
  exact.flowAndNormal = [=](const Double3&) { return std::array<Double3, 2>{direction, normal}; };
  const double width = 2.0 * half * cosine;
  const auto steps = static_cast<std::uint64_t>(4.0 * width * width / (tau - 0.5));
  return errorsOf(Flow(tiles, run, steps), exact);
}

Errors pipe(double radius, WallScheme scheme, double tau) {
  const double spacing = 1e-3 / radius;
  const int nodes = static_cast<int>(std::ceil(2.0 * radius)) + 2;
  const double middle = 0.5 * (nodes - 1) + 0.13;
  const auto distance = [=](const Double3& p) { return std::hypot(p[1] - middle, p[2] - middle); };
  const TilesFile tiles =
      inTiles(levelLattice(
                  {4, nodes, nodes}, [=](const Double3& p) { return distance(p) - radius; },
                  {true, false, false}, spacing, 3, 1, anyLabel),
              {0, 0, 0});
  SolverCase run = plainCase(tiles, scheme, tau);
  run.bodyForce = {force, 0.0, 0.0};
  const double factor = force / (4.0 * viscosity * density) * spacing * spacing;
  Exact exact;
  exact.velocity = [=](const Double3& p) {
    return Double3{factor * (radius * radius - std::pow(distance(p), 2)), 0.0, 0.0};
  };
  exact.shear = [=](const Double3& p) { return -0.5 * force * spacing * distance(p); };
  exact.flowAndNormal = [=](const Double3& p) {
    const double r = distance(p);
    return std::array<Double3, 2>{Double3{1.0, 0.0, 0.0},
                                  Double3{0.0, (p[1] - middle) / r, (p[2] - middle) / r}};
  };
  const Flow flow(tiles, run, static_cast<std::uint64_t>(6.0 * radius * radius / (tau - 0.5)));
  Errors errors = errorsOf(flow, exact);
  errors.wall = shearErrorOfPipe(flow, middle, radius, 0.5 * force * 1e-3);
  return errors;
}

Errors cylinders(double radius, WallScheme scheme, double tau) {
  const double spacing = 1e-3 / radius;
  const int nodes = static_cast<int>(std::ceil(2.0 * radius)) + 2;
  const double middle = 0.5 * (nodes - 1) + 0.13;
  const double inner = 0.5 * radius;
  const auto distance = [=](const Double3& p) { return std::hypot(p[0] - middle, p[1] - middle); };
  const TilesFile tiles = inTiles(
      levelLattice(
          {nodes, nodes, 1},
          [=](const Double3& p) { return std::max(distance(p) - radius, inner - distance(p)); },
          {false, false, true}, spacing, 2, 2,
          [=](const Double3& p) { return distance(p) < 0.75 * radius ? 1 : 0; }),
      {0, 0, 0});
  SolverCase run = plainCase(tiles, scheme, tau);
  const double rate = 1e-2;
  run.wallConditions.resize(2);
  run.wallConditions[1] = {
      WallKind::Moving, {}, {middle * spacing, middle * spacing, 0.0}, {0.0, 0.0, rate}};
  // u = a r + b / r
  const double a = -rate * inner * inner / (radius * radius - inner * inner);
  const double b = -a * radius * radius;
  Exact exact;
  exact.velocity = [=](const Double3& p) {
    const double r = distance(p);
    const double u = (a * r + b / r) * spacing / r;
    return Double3{-u * (p[1] - middle), u * (p[0] - middle), 0.0};
  };
  exact.shear = [=](const Double3& p) {
    return -2.0 * viscosity * density * b / std::pow(distance(p), 2);
  };
  exact.flowAndNormal = [=](const Double3& p) {
    const double r = distance(p);
    const double x = (p[0] - middle) / r;
    const double y = (p[1] - middle) / r;
    return std::array<Double3, 2>{Double3{-y, x, 0.0}, Double3{x, y, 0.0}};
  };
  return errorsOf(Flow(tiles, run, static_cast<std::uint64_t>(3.0 * radius * radius / (tau - 0.5))),
                  exact);
}

}  // namespace tessera::testing
