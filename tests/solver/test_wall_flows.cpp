// SPDX-License-Identifier: GPL-3.0-or-later
// Flows with closed forms between interpolated, moving and symmetric walls, with the observed order
// of velocity and of shear at the wall, the first order of the staircase beside it.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "postprocess/wall_stress.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "solver/simulation.hpp"
#include "tests/solver/geometries.hpp"

using namespace tessera;
using namespace tessera::testing;

namespace {

constexpr double viscosity = 1e-6;  // m2/s
constexpr double density = 1000.0;  // kg/m3
constexpr double force = 1e-1;      // N/m3

SolverCase plainCase(const TilesFile& tiles, WallScheme scheme, double tau) {
  SolverCase run;
  run.density = density;
  run.kinematicViscosity = viscosity;
  run.lattice = tiles.geometry.dimensions == 2 ? "D2Q9" : "D3Q19";
  run.precision = "f64";
  run.tau = tau;
  run.ramp = 0.0;
  run.walls = scheme;
  return run;
}

// Velocity (m/s) and shear stress (Pa) of a flow at a position in nodes.
struct Exact {
  std::function<Double3(const Double3&)> velocity;
  // The component along the flow of the stress on a plane across `normal`.
  std::function<double(const Double3&)> shear;
  std::function<std::array<Double3, 2>(const Double3&)> flowAndNormal;
};

struct Errors {
  double velocity = 0.0;  // root mean square over nodes, of that of the velocity
  double shear = 0.0;     // the same of the shear, over nodes at walls
  double flow = 0.0;      // of the sum of velocities along the flow
  double wall = 0.0;      // shear as postprocess finds it at the wall itself
  double mass = 0.0;      // change over the run, of all mass
};

double along(const std::array<float, 6>& s, const Double3& a, const Double3& b) {
  return s[0] * a[0] * b[0] + s[1] * a[1] * b[1] + s[2] * a[2] * b[2] +
         s[3] * (a[0] * b[1] + a[1] * b[0]) + s[4] * (a[0] * b[2] + a[2] * b[0]) +
         s[5] * (a[1] * b[2] + a[2] * b[1]);
}

// A run from rest and what came of it.
struct Flow {
  const TilesFile& tiles;
  Fields fields;
  double mass = 0.0;

  Flow(const TilesFile& geometry, const SolverCase& run, std::uint64_t steps) : tiles(geometry) {
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    simulation.advance(steps);
    RunResult result;
    result.last = simulation.sample();
    fields = simulation.fields(result);
    const std::vector<double> f = simulation.populations();
    const std::size_t q = simulation.setup().variant->lattice.velocities.size();
    for (std::size_t k = 0; k < f.size(); ++k)
      if (tiles.geometry.nodeType[k / (q * 64) * 64 + k % 64] != 0) mass += f[k];
    mass /= static_cast<double>(tiles.geometry.fluidNodes);
  }
  // visit(position in nodes, type, index in the fields)
  template <class Visit>
  void forNodes(const Visit& visit) const {
    const TiledGeometry& g = tiles.geometry;
    std::uint64_t node = 0;
    for (std::size_t t = 0; t < g.tiles(); ++t)
      for (int l = 0; l < tileNodes; ++l) {
        const auto type = static_cast<NodeType>(g.nodeType[t * 64 + static_cast<std::size_t>(l)]);
        if (type == NodeType::Solid) continue;
        const Int3 at = g.nodeOf(t, l);
        visit(Double3{double(at[0]), double(at[1]), double(at[2])}, type, node++);
      }
  }
};

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

int anyLabel(const Double3&) {
  return 0;
}

// A plane channel along (2, 1), driven by a force; height: of the periodic box, nodes.
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

// A pipe along x driven by a force; radius in nodes.
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

// Between two cylinders, of which the inner one of half the radius turns.
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

double order(double coarse, double fine, double doublings) {
  return std::log2(coarse / fine) / doublings;
}

// Says the figures when a check fails, or with -s.
std::string told(const Errors& e) {
  std::ostringstream text;
  text << "velocity " << e.velocity << ", shear at nodes " << e.shear << ", flow " << e.flow
       << ", shear at the wall " << e.wall << ", mass " << e.mass;
  return text.str();
}

constexpr WallScheme interpolated[] = {WallScheme::Bouzidi, WallScheme::SingleNode,
                                       WallScheme::Multireflection};

}  // namespace

TEST_CASE("inclined channel: second order with interpolated walls, not with a staircase",
          "[unit]") {
  for (const WallScheme scheme : interpolated) {
    const Errors coarse = inclined(12, scheme, 1.1);
    const Errors fine = inclined(48, scheme, 1.1);
    INFO("scheme " << int(scheme) << ": " << told(coarse) << "; " << told(fine));
    CHECK(order(coarse.velocity, fine.velocity, 2.0) > 1.8);
    CHECK(order(coarse.shear, fine.shear, 2.0) > 1.1);
    CHECK(fine.shear < 4e-3);
  }
  const Errors coarse = inclined(12, WallScheme::Halfway, 1.1);
  const Errors fine = inclined(48, WallScheme::Halfway, 1.1);
  INFO("staircase: " << told(coarse) << "; " << told(fine));
  CHECK(order(coarse.velocity, fine.velocity, 2.0) < 1.2);
  CHECK(fine.shear > 0.05);
}

TEST_CASE("multireflection does not depend on the viscosity, Bouzidi's walls do", "[unit]") {
  const double a = inclined(12, WallScheme::Multireflection, 0.6).velocity;
  const double b = inclined(12, WallScheme::Multireflection, 1.1).velocity;
  CHECK(a == Approx(b).epsilon(0.05));
  const double c = inclined(12, WallScheme::Bouzidi, 0.6).velocity;
  const double d = inclined(12, WallScheme::Bouzidi, 1.1).velocity;
  CHECK(std::abs(c / d - 1.0) > 0.1);
}

TEST_CASE("pipe: wall shear is far better than with a staircase", "[unit]") {
  const Errors coarse = pipe(5.3, WallScheme::Multireflection, 0.8);
  const Errors fine = pipe(10.6, WallScheme::Multireflection, 0.8);
  INFO(told(coarse) << "; " << told(fine));
  CHECK(order(coarse.velocity, fine.velocity, 1.0) > 1.8);
  CHECK(fine.velocity < 3e-3);
  CHECK(coarse.wall < 1e-3);
  CHECK(fine.wall < 5e-4);
  CHECK(order(coarse.wall, fine.wall, 1.0) > 0.8);
  CHECK(std::abs(fine.mass) < 1e-6);
  const Errors linear = pipe(10.6, WallScheme::Bouzidi, 0.8);
  INFO("Bouzidi: " << told(linear));
  CHECK(linear.velocity < 5e-3);
  CHECK(linear.wall < 0.01);
  const Errors staircase = pipe(10.6, WallScheme::Halfway, 0.8);
  INFO("staircase: " << told(staircase));
  CHECK(staircase.velocity > 0.02);
  CHECK(staircase.wall > 0.1);
}

TEST_CASE("pipe: orders over four radii", "[.slow]") {
  for (const WallScheme scheme :
       {WallScheme::Halfway, WallScheme::Bouzidi, WallScheme::Multireflection})
    for (const double tau : {0.6, 1.1}) {
      std::vector<Errors> errors;
      for (const double radius : {5.3, 10.6, 21.2}) {
        errors.push_back(pipe(radius, scheme, tau));
        WARN("scheme " << int(scheme) << ", tau " << tau << ", radius " << radius << ": "
                       << told(errors.back()));
      }
      if (scheme == WallScheme::Halfway) continue;
      CHECK(order(errors[0].velocity, errors[2].velocity, 2.0) > 1.5);
      if (scheme == WallScheme::Multireflection)
        CHECK(order(errors[0].velocity, errors[2].velocity, 2.0) > 1.9);
    }
}

TEST_CASE("turning cylinder in another: second order with interpolated walls", "[unit]") {
  for (const WallScheme scheme : interpolated) {
    const Errors coarse = cylinders(8.3, scheme, 0.8);
    const Errors fine = cylinders(33.2, scheme, 0.8);
    INFO("scheme " << int(scheme) << ": " << told(coarse) << "; " << told(fine));
    CHECK(order(coarse.velocity, fine.velocity, 2.0) >
          (scheme == WallScheme::Multireflection ? 1.6 : 1.8));
    CHECK(order(coarse.shear, fine.shear, 2.0) > 1.2);
    CHECK(fine.velocity < 3e-3);
    CHECK(std::abs(fine.mass) < 1e-5);
  }
  const Errors coarse = cylinders(8.3, WallScheme::Halfway, 0.8);
  const Errors fine = cylinders(33.2, WallScheme::Halfway, 0.8);
  INFO("staircase: " << told(coarse) << "; " << told(fine));
  CHECK(order(coarse.velocity, fine.velocity, 2.0) < 1.5);
  CHECK(std::abs(fine.mass) < 1e-12);
}

TEST_CASE("a plate that slides over a resting one, each at any distance: exact", "[unit]") {
  for (const WallScheme scheme : interpolated)
    for (const double low : {0.125, 0.5, 0.8125}) {
      const double height = 8.25 + low;  // plates at -low and 8.25
      const TilesFile tiles = inTiles(
          levelLattice(
              {4, 12, 1},
              [&](const Double3& p) {
                return std::abs(p[1] - 1.0 - (0.5 * height - low)) - 0.5 * height;
              },
              {true, false, true}, 1e-4, 2, 2, [](const Double3& p) { return p[1] > 5.0 ? 1 : 0; }),
          {0, 0, 0});
      SolverCase run = plainCase(tiles, scheme, 0.7);
      run.wallConditions.resize(2);
      run.wallConditions[1] = {WallKind::Moving, {1e-3, 0.0, 0.0}, {}, {}};
      const Flow flow(tiles, run, 6000);
      flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
        const double u = flow.fields.velocity[node][0] * flow.fields.velocityFactor;
        CHECK(u == Approx(1e-3 * (at[1] - 1.0 + low) / height).epsilon(1e-6));
      });
    }
}

TEST_CASE("two symmetry planes and a quarter of a duct are the whole duct", "[unit]") {
  const auto flowOf = [](int side, bool quarter) {
    LatticeGeometry geometry = imageLattice(
        {4, side, side}, [](int, int, int) { return true; }, {true, false, false}, {}, 1e-4);
    setWalls(geometry, 2, [&](const Int3& node, const Int3& step, double&, int& label) {
      label = quarter && (node[1] + step[1] >= side || node[2] + step[2] >= side) &&
                      node[1] + step[1] >= 0 && node[2] + step[2] >= 0
                  ? 1
                  : 0;
    });
    return inTiles(geometry, {1, 2, 3});
  };
  const TilesFile whole = flowOf(12, false);
  const TilesFile part = flowOf(6, true);
  const auto velocities = [](const TilesFile& tiles, bool plane) {
    SolverCase run = plainCase(tiles, WallScheme::Halfway, 0.9);
    run.bodyForce = {force, 0.0, 0.0};
    run.wallConditions.resize(2);
    if (plane) run.wallConditions[1].kind = WallKind::Symmetry;
    const Flow flow(tiles, run, 400);
    std::map<Int3, float> u;
    flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
      u[{int(at[0]), int(at[1]), int(at[2])}] = flow.fields.velocity[node][0];
    });
    return u;
  };
  const auto expected = velocities(whole, false);
  for (const auto& [node, u] : velocities(part, true))
    CHECK(u == Approx(expected.at(node)).epsilon(1e-6));
}

TEST_CASE("lid-driven cavity at a Reynolds number of 100: Ghia, Ghia & Shin 1982", "[unit]") {
  constexpr int n = 51;
  LatticeGeometry geometry = imageLattice(
      {n, n, 1}, [](int, int, int) { return true; }, {false, false, true}, {}, 1e-3 / n, 2);
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] >= n ? 1 : 0;
  });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  const double speed = 100.0 * viscosity / 1e-3;
  SolverCase run = plainCase(tiles, WallScheme::Halfway, 0.0);
  run.tau.reset();
  run.velocityScale = 0.15;
  run.wallConditions.resize(2);
  run.wallConditions[1] = {WallKind::Moving, {speed, 0.0, 0.0}, {}, {}};
  const Flow flow(tiles, run, 9000);
  std::vector<double> u(n), v(n);  // on the two middle lines
  flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
    const auto& velocity = flow.fields.velocity[node];
    if (at[0] == n / 2) u[std::size_t(at[1])] = velocity[0] * flow.fields.velocityFactor / speed;
    if (at[1] == n / 2) v[std::size_t(at[0])] = velocity[1] * flow.fields.velocityFactor / speed;
  });
  const auto between = [](const std::vector<double>& values, double position) {
    const double place = position * n - 0.5;
    const auto k = std::min(static_cast<std::size_t>(place), values.size() - 2);
    const double part = place - static_cast<double>(k);
    return (1.0 - part) * values[k] + part * values[k + 1];
  };
  const std::pair<double, double> ghiaU[] = {
      {0.9531, 0.68717},  {0.8516, 0.23151},  {0.7344, 0.00332},  {0.6172, -0.13641},
      {0.5000, -0.20581}, {0.4531, -0.21090}, {0.2813, -0.15662}, {0.1719, -0.10150},
      {0.1016, -0.06434}, {0.0547, -0.03717}};
  for (const auto& [y, expected] : ghiaU) CHECK(between(u, y) == Approx(expected).margin(0.006));
  const std::pair<double, double> ghiaV[] = {
      {0.9688, -0.05906}, {0.9453, -0.10313}, {0.9063, -0.16914}, {0.8047, -0.24533},
      {0.5000, 0.05454},  {0.2344, 0.17527},  {0.1563, 0.16077},  {0.0625, 0.09233}};
  for (const auto& [x, expected] : ghiaV) CHECK(between(v, x) == Approx(expected).margin(0.006));
}
