// SPDX-License-Identifier: GPL-3.0-or-later
// Developed flow where no wall lies half way between nodes: a pipe, and a square duct along (2, 1,
// 0) whose walls cross the links at all distances; velocity and shear stress against the closed
// form, with the order at which the errors fall, the staircase of halfway walls beside. Errors
// depend on how the walls happen to lie between the nodes, unevenly from size to size, so at each
// size they are means over several places of the axis.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "postprocess/quantity/wall_stress.hpp"
#include "solver/run/output.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;

namespace {

constexpr double force = 1e-6;

// Velocity along the duct, and its slope on the second axis across it.
struct Value {
  double u = 0.0, slope = 0.0;
};

// Point on the wall, normal out of the fluid, and stress along the duct there.
struct WallPoint {
  Double3 point{}, normal{};
  double shear = 0.0;
};

struct Duct {
  Int3 nodes{};
  std::array<bool, 3> periodic{};
  double tau = 0.0;
  Double3 along{};     // unit vector
  double width = 0.0;  // nodes
  std::function<double(const Double3&)> level;
  std::function<double(const Double3&)> exact;  // velocity along the duct
  std::vector<WallPoint> wall;
};

double viscosity(double tau) {
  return (tau - 0.5) / 3.0;
}

// For position k the axis is moved by parts of a spacing, which fill the cell evenly.
double moved(int k, double step) {
  return std::fmod(k * step, 1.0) - 0.5;
}

// n: across the box.
Duct roundPipe(int n, int place) {
  Duct duct;
  duct.nodes = {4, n, n};
  duct.periodic = {true, false, false};
  duct.tau = 0.8;
  duct.along = {1.0, 0.0, 0.0};
  const double radius = 0.45 * n, nu = viscosity(duct.tau);
  const double cy = 0.5 * (n - 1) + 0.9 * moved(place, 0.7549) + 0.13;
  const double cz = 0.5 * (n - 1) + 0.9 * moved(place, 0.5698) - 0.05;
  duct.width = 2.0 * radius;
  duct.level = [=](const Double3& p) { return std::hypot(p[1] - cy, p[2] - cz) - radius; };
  duct.exact = [=](const Double3& p) {
    const double y = p[1] - cy, z = p[2] - cz;
    return force / (4.0 * nu) * (radius * radius - y * y - z * z);
  };
  for (int k = 0; k < 64; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.3) / 64.0;
    const Double3 normal{0.0, std::cos(angle), std::sin(angle)};
    duct.wall.push_back(
        {{1.5, cy + radius * normal[1], cz + radius * normal[2]}, normal, -0.5 * force * radius});
  }
  return duct;
}

// Velocity in a duct of half widths a and b, by the series of White 2006, section 3-3; y, z from
// its middle.
Value ductSeries(double y, double z, double a, double b, double nu, int terms) {
  Value sum;
  const double unit = 16.0 * a * a * force / (nu * std::pow(std::numbers::pi, 3));
  for (int n = 1; n < 2 * terms; n += 2) {
    const double k = 0.5 * n * std::numbers::pi / a;
    const double sign = n % 4 == 1 ? 1.0 : -1.0;
    // cosh(k z) / cosh(k b) and its slope without overflow.
    const double plus = std::exp(k * (z - b)), minus = std::exp(-k * (z + b));
    const double whole = 1.0 + std::exp(-2.0 * k * b);
    const double part = sign * unit / std::pow(n, 3) * std::cos(k * y);
    sum.u += part * (1.0 - (plus + minus) / whole);
    sum.slope -= part * k * (plus - minus) / whole;
  }
  return sum;
}

// n: height of the periodic box, which the duct leaves on the right and enters on the left. Nodes
// lie at distances from its sloping walls that repeat by half a spacing on y, from the others by a
// spacing: the widths are rounded so that they are the same whatever n, which makes the duct square
// to 3 % only.
Duct inclinedDuct(int n, int place) {
  Duct duct;
  const double cosine = 2.0 / std::sqrt(5.0);
  const double halfOnY = 0.5 * (0.5 * std::round(2.0 * 0.742 * n) + 0.19), a = halfOnY * cosine;
  const double b = 0.5 * (std::round(2.0 * a) + 0.37);
  duct.nodes = {2 * n, n, static_cast<int>(2.0 * b) + 4};
  duct.periodic = {true, true, false};
  duct.tau = 1.1;
  duct.along = {cosine, 0.5 * cosine, 0.0};
  const Double3 across{-0.5 * cosine, cosine, 0.0};
  duct.width = a + b;
  const double nu = viscosity(duct.tau), shift = 0.5 * moved(place, 0.7549) + 0.17;
  const double cz = 2.0 + b + moved(place, 0.5698);
  const auto fromMiddle = [=](const Double3& p) {
    const double y = p[1] - 0.5 * p[0] - shift;
    return (y - n * std::floor(y / n) - 0.5 * n) * cosine;
  };
  duct.level = [=](const Double3& p) {
    return std::max(std::abs(fromMiddle(p)) - a, std::abs(p[2] - cz) - b);
  };
  duct.exact = [=](const Double3& p) {
    return ductSeries(fromMiddle(p), p[2] - cz, a, b, nu, 60).u;
  };
  // Away from the corners, where the stress goes to 0 within a few nodes.
  for (int k = -6; k <= 6; ++k)
    for (const double side : {-1.0, 1.0}) {
      const double onY = n + shift + 0.5 * n, part = 0.1 * k;
      duct.wall.push_back({{2.0 * n, onY + side * halfOnY, cz + part * b},
                           {side * across[0], side * across[1], 0.0},
                           nu * ductSeries(part * b, a, b, a, nu, 2000).slope});
      duct.wall.push_back({{2.0 * n, onY + part * halfOnY, cz + side * b},
                           {0.0, 0.0, side},
                           nu * ductSeries(part * a, b, a, b, nu, 2000).slope});
    }
  return duct;
}

// Root mean squares over those of the solution.
struct Errors {
  double velocity = 0.0;  // at all nodes
  double shear = 0.0;     // at points of the wall
};

double shearError(const Flow& flow, const Fields& fields, const Duct& duct) {
  const NodeLookup lookup(flow.tiles->geometry);
  double difference = 0.0, whole = 0.0;
  for (const WallPoint& at : duct.wall) {
    const StressAtWall found = stressAtWall(lookup, fields, at.point, at.normal);
    const double shear = dot(stressTimes(found.stress, at.normal), duct.along);
    difference += std::pow(found.measured ? shear - at.shear : at.shear, 2);
    whole += at.shear * at.shear;
  }
  return std::sqrt(difference / whole);
}

// Started from the closed form, so that only the difference from it has to develop: to a thousandth
// of itself in this time.
Flow developed(const Duct& duct, WallScheme scheme, const Options& options) {
  SolverCase run = latticeCase({}, duct.tau);
  run.magic = 3.0 / 16.0;
  run.walls = scheme;
  for (std::size_t a = 0; a < 3; ++a) run.bodyForce[a] = force * duct.along[a];
  Flow flow =
      startFlow(testing::inTiles(testing::levelLattice(duct.nodes, duct.level, duct.periodic, 1.0,
                                                       3, 1, [](const Double3&) { return 0; }),
                                 {0, 0, 0}),
                run, options);
  const LatticeInfo& lattice = flow.simulation->setup().variant->lattice;
  std::vector<double> f(flow.tiles->geometry.tiles() * lattice.velocities.size() * tileNodes);
  forPopulations(flow, [&](std::size_t at, std::size_t i, const Int3& node) {
    const auto& c = lattice.velocities[i];
    f[at] = 3.0 * lattice.weights[i] * dot({double(c[0]), double(c[1]), double(c[2])}, duct.along) *
            duct.exact({double(node[0]), double(node[1]), double(node[2])});
  });
  flow.simulation->setPopulations(f);
  flow.simulation->advance(
      static_cast<std::uint64_t>(0.35 * duct.width * duct.width / viscosity(duct.tau)));
  return flow;
}

Errors errorsOf(const Duct& duct, WallScheme scheme, const Options& options) {
  Flow flow = developed(duct, scheme, options);
  RunResult result;
  result.last = flow.simulation->sample();
  const Fields fields = fieldsOf(*flow.simulation, result);
  const Moments moments = momentsOf(flow);
  double difference = 0.0, whole = 0.0;
  for (int z = 0; z < duct.nodes[2]; ++z)
    for (int y = 0; y < duct.nodes[1]; ++y)
      for (int x = 0; x < duct.nodes[0]; ++x) {
        const Double3 at{double(x), double(y), double(z)};
        if (duct.level(at) >= 0.0) continue;
        const double exact = duct.exact(at);
        difference += std::pow(dot(moments.velocity(x, y, z), duct.along) - exact, 2);
        whole += exact * exact;
      }
  return {std::sqrt(difference / whole), shearError(flow, fields, duct)};
}

// Root mean square over places of the axis.
Errors meanErrors(const std::function<Duct(int, int)>& make, int n, int places, WallScheme scheme,
                  const Options& options) {
  Errors mean;
  for (int place = 0; place < places; ++place) {
    const Errors errors = errorsOf(make(n, place), scheme, options);
    mean.velocity += errors.velocity * errors.velocity / places;
    mean.shear += errors.shear * errors.shear / places;
  }
  return {std::sqrt(mean.velocity), std::sqrt(mean.shear)};
}

struct Scheme {
  const char* name;
  WallScheme scheme;
  double velocityOrder, shearOrder;  // at least; 0: not looked at, a staircase's may not converge
  const char* known;
};
constexpr std::array schemes{
    Scheme{"multireflection", WallScheme::Multireflection, 1.8, 1.5, "second order"},
    Scheme{"Bouzidi", WallScheme::Bouzidi, 1.8, 0.9, "linear interpolation"},
    Scheme{"halfway", WallScheme::Halfway, 0.7, 0.0, "first order"}};

struct Series {
  std::string name;
  std::function<Duct(int, int)> make;
  std::vector<int> sizes;
  int places;
  double shearError;  // of multireflection at the last size, at most
};

void addOrders(const Series& series, const Options& options, Findings& out) {
  const std::string across = "nodes across, as a power of two";
  Chart velocity = chartOf(series.name + ": velocity", across, "relative error", true);
  Chart shear = chartOf(series.name + ": shear stress at the wall", across, "relative error", true);
  int number = 0;
  for (const Scheme& scheme : schemes) {
    std::vector<double> nodes, logarithms, velocities, shears;
    for (const int n : series.sizes) {
      const Errors errors = meanErrors(series.make, n, series.places, scheme.scheme, options);
      nodes.push_back(series.make(n, 0).width);
      logarithms.push_back(std::log2(nodes.back()));
      velocities.push_back(errors.velocity);
      shears.push_back(errors.shear);
    }
    velocity.curves.push_back(curve(scheme.name, logarithms, velocities, number));
    shear.curves.push_back(curve(scheme.name, logarithms, shears, number++));
    const std::string what = ", " + series.name + ", " + scheme.name;
    out.atLeast("order of the velocity" + what, fittedOrder(nodes, velocities),
                scheme.velocityOrder, scheme.known);
    if (scheme.shearOrder == 0.0) continue;
    out.atLeast("order of the wall shear stress" + what, fittedOrder(nodes, shears),
                scheme.shearOrder, scheme.known);
    if (scheme.scheme == WallScheme::Multireflection)
      out.atMost(
          "error of the wall shear stress" + what + ", " + shortNumber(nodes.back(), 3) + " nodes",
          shears.back(), series.shearError, "closed form");
  }
  out.charts.push_back(velocity);
  out.charts.push_back(shear);
}

// Single-node walls are at Bouzidi's positions: the arriving population is then that of the step
// before.
void compareSingleNode(int n, const Options& options, Findings& out) {
  Flow one = developed(roundPipe(n, 0), WallScheme::Bouzidi, options);
  Flow two = developed(roundPipe(n, 0), WallScheme::SingleNode, options);
  const Moments a = momentsOf(one), b = momentsOf(two);
  double difference = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < a.u.size(); ++k) {
    difference = std::max(difference, std::abs(a.u[k][0] - b.u[k][0]));
    largest = std::max(largest, std::abs(a.u[k][0]));
  }
  out.atMost("velocity with single-node walls, off Bouzidi's, pipe", difference / largest, 1e-4,
             "the same when steady");
}

}  // namespace

Findings curvedWalls(const Options& options) {
  Findings out;
  out.setting =
      "D3Q19, TRT with magic parameter 3/16, \u03c4 = 0.8 in the pipe and 1.1 in the duct, driven "
      "by "
      "a force; root mean square errors of the velocity at all nodes and of the wall shear stress, "
      "as postprocess finds it, over 4 places of the axis between the nodes; orders fitted over "
      "all "
      "sizes. Of the duct's walls the middle 60 %. The error of linear interpolation "
      "differs from link to link by as much as it is large, second order in the velocity, so its "
      "slope, the shear at the wall, is of first order; multireflection's is smooth.";
  addOrders({"pipe", roundPipe,
             options.quick ? std::vector<int>{12, 24} : std::vector<int>{12, 17, 24, 34, 48}, 4,
             options.quick ? 1e-3 : 2e-4},
            options, out);
  compareSingleNode(options.quick ? 12 : 24, options, out);
  if (!options.quick)
    addOrders({"inclined duct", inclinedDuct, {16, 24, 36}, 4, 0.02}, options, out);
  return out;
}

}  // namespace tessera::validation
