// SPDX-License-Identifier: GPL-3.0-or-later
// Developed flow where no wall lies half way between nodes: a pipe, and a square duct along (2, 1,
// 0) whose walls cross the links at all distances; velocity and shear stress against the closed
// form, with the order at which the errors fall, the staircase of halfway walls beside.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "postprocess/wall_stress.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

namespace {

constexpr double tau = 0.8, nu = (tau - 0.5) / 3.0, force = 1e-6;

// Velocity along the duct and its slopes on the two axes across it.
struct Value {
  double u = 0.0, slope1 = 0.0, slope2 = 0.0;
};

// A place on the wall, the normal out of the fluid, and the stress along the duct there.
struct WallPoint {
  Double3 point{}, normal{};
  double shear = 0.0;
};

struct Duct {
  Int3 nodes{};
  std::array<bool, 3> periodic{};
  Double3 along{}, across1{}, across2{};  // unit vectors
  double width = 0.0;                     // nodes
  std::function<double(const Double3&)> level;
  std::function<Value(const Double3&)> exact;
  std::vector<WallPoint> wall;
};

double dot(const Double3& a, const Double3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// n: across the box; the axis lies beside the nodes.
Duct pipe(int n) {
  Duct duct;
  duct.nodes = {4, n, n};
  duct.periodic = {true, false, false};
  duct.along = {1.0, 0.0, 0.0};
  duct.across1 = {0.0, 1.0, 0.0};
  duct.across2 = {0.0, 0.0, 1.0};
  const double radius = 0.45 * n, cy = 0.5 * (n - 1) + 0.13, cz = 0.5 * (n - 1) - 0.21;
  duct.width = 2.0 * radius;
  duct.level = [=](const Double3& p) { return std::hypot(p[1] - cy, p[2] - cz) - radius; };
  duct.exact = [=](const Double3& p) {
    const double y = p[1] - cy, z = p[2] - cz;
    return Value{force / (4.0 * nu) * (radius * radius - y * y - z * z), -force * y / (2.0 * nu),
                 -force * z / (2.0 * nu)};
  };
  for (int k = 0; k < 64; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.3) / 64.0;
    const Double3 normal{0.0, std::cos(angle), std::sin(angle)};
    duct.wall.push_back(
        {{1.5, cy + radius * normal[1], cz + radius * normal[2]}, normal, -0.5 * force * radius});
  }
  return duct;
}

// Of a square duct of half width a, by the series of White 2006, section 3-3; y, z from its middle.
Value squareSeries(double y, double z, double a, int terms) {
  Value sum;
  const double unit = 16.0 * a * a * force / (nu * std::pow(std::numbers::pi, 3));
  for (int n = 1; n < 2 * terms; n += 2) {
    const double k = 0.5 * n * std::numbers::pi / a;
    const double sign = n % 4 == 1 ? 1.0 : -1.0;
    // cosh(k z) / cosh(k a) and its slope without overflow.
    const double plus = std::exp(k * (z - a)), minus = std::exp(-k * (z + a));
    const double whole = 1.0 + std::exp(-2.0 * k * a);
    const double ratio = (plus + minus) / whole, slope = (plus - minus) / whole;
    const double part = sign * unit / std::pow(n, 3);
    sum.u += part * (1.0 - ratio) * std::cos(k * y);
    sum.slope1 -= part * k * (1.0 - ratio) * std::sin(k * y);
    sum.slope2 -= part * k * slope * std::cos(k * y);
  }
  return sum;
}

// n: height of the periodic box, which the duct leaves on the right and enters on the left.
Duct inclinedDuct(int n) {
  Duct duct;
  const double cosine = 2.0 / std::sqrt(5.0), halfOnY = 0.371 * n, half = halfOnY * cosine;
  duct.nodes = {2 * n, n, static_cast<int>(2.0 * half) + 3};
  duct.periodic = {true, true, false};
  duct.along = {cosine, 0.5 * cosine, 0.0};
  duct.across1 = {-0.5 * cosine, cosine, 0.0};
  duct.across2 = {0.0, 0.0, 1.0};
  duct.width = 2.0 * half;
  const double cz = 0.5 * (duct.nodes[2] - 1) + 0.07;
  const auto fromMiddle = [=](const Double3& p) {
    const double y = p[1] - 0.5 * p[0] - 0.17;
    return (y - n * std::floor(y / n) - 0.5 * n) * cosine;
  };
  duct.level = [=](const Double3& p) {
    return std::max(std::abs(fromMiddle(p)), std::abs(p[2] - cz)) - half;
  };
  duct.exact = [=](const Double3& p) { return squareSeries(fromMiddle(p), p[2] - cz, half, 60); };
  // Away from the corners, where the stress goes to 0 with a kink.
  for (int k = -8; k <= 8; ++k)
    for (const double side : {-1.0, 1.0}) {
      const double s = 0.1 * k * half, onY = n + 0.17 + 0.5 * n;
      const double slope = nu * squareSeries(s, half, half, 2000).slope2;
      duct.wall.push_back({{2.0 * n, onY + side * halfOnY, cz + s},
                           {side * duct.across1[0], side * duct.across1[1], 0.0},
                           slope});
      duct.wall.push_back({{2.0 * n, onY + s / cosine, cz + side * half}, {0.0, 0.0, side}, slope});
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

Errors errorsOf(const Duct& duct, WallScheme scheme, const Options& options) {
  SolverCase run = latticeCase({}, tau);
  run.magic = 3.0 / 16.0;
  run.walls = scheme;
  for (std::size_t a = 0; a < 3; ++a) run.bodyForce[a] = force * duct.along[a];
  Flow flow =
      startFlow(testing::inTiles(testing::levelLattice(duct.nodes, duct.level, duct.periodic, 1.0,
                                                       3, 1, [](const Double3&) { return 0; }),
                                 {0, 0, 0}),
                run, options);
  flow.simulation->advance(static_cast<std::uint64_t>(0.8 * duct.width * duct.width / nu));
  RunResult result;
  result.last = flow.simulation->sample();
  const Fields fields = flow.simulation->fields(result);
  const Moments moments = momentsOf(flow);
  double difference = 0.0, whole = 0.0;
  for (int z = 0; z < duct.nodes[2]; ++z)
    for (int y = 0; y < duct.nodes[1]; ++y)
      for (int x = 0; x < duct.nodes[0]; ++x) {
        const Double3 at{double(x), double(y), double(z)};
        if (duct.level(at) >= 0.0) continue;
        const double exact = duct.exact(at).u;
        difference += std::pow(dot(moments.velocity(x, y, z), duct.along) - exact, 2);
        whole += exact * exact;
      }
  return {std::sqrt(difference / whole), shearError(flow, fields, duct)};
}

struct Scheme {
  const char* name;
  WallScheme scheme;
};
constexpr std::array schemes{Scheme{"Bouzidi", WallScheme::Bouzidi},
                             Scheme{"single-node", WallScheme::SingleNode},
                             Scheme{"halfway", WallScheme::Halfway}};

void addOrders(const std::string& name, const std::function<Duct(int)>& make,
               const std::vector<int>& sizes, const Options& options, Findings& out) {
  const std::string across = "nodes across, as a power of two";
  Chart velocity = chartOf(name + ": velocity", across, "relative error", true);
  Chart shear = chartOf(name + ": shear stress at the wall", across, "relative error", true);
  int number = 0;
  for (const Scheme& scheme : schemes) {
    std::vector<double> nodes, logarithms, velocities, shears;
    for (const int n : sizes) {
      const Duct duct = make(n);
      const Errors errors = errorsOf(duct, scheme.scheme, options);
      nodes.push_back(duct.width);
      logarithms.push_back(std::log2(duct.width));
      velocities.push_back(errors.velocity);
      shears.push_back(errors.shear);
    }
    velocity.curves.push_back(curve(scheme.name, logarithms, velocities, number));
    shear.curves.push_back(curve(scheme.name, logarithms, shears, number++));
    const std::string what = ", " + name + ", " + scheme.name;
    const bool staircase = scheme.scheme == WallScheme::Halfway;
    out.atLeast("order of the velocity" + what, fittedOrder(nodes, velocities),
                staircase ? 0.7 : 1.8, staircase ? "first order" : "second order");
    if (staircase) continue;
    if (!options.quick)
      out.atLeast("order of the wall shear stress" + what, fittedOrder(nodes, shears), 0.9,
                  "first order of linear interpolation");
    out.atMost(
        "error of the wall shear stress" + what + ", " + shortNumber(nodes.back(), 3) + " nodes",
        shears.back(), options.quick ? 0.01 : 0.005, "closed form");
  }
  out.charts.push_back(velocity);
  out.charts.push_back(shear);
}

}  // namespace

Findings curvedWalls(const Options& options) {
  Findings out;
  out.setting =
      "D3Q19, TRT with magic parameter 3/16, \u03c4 = 0.8, driven by a force; root mean square "
      "errors of the velocity at all nodes and of the wall shear stress.";
  addOrders("pipe", pipe,
            options.quick ? std::vector<int>{12, 24} : std::vector<int>{12, 17, 24, 34, 48},
            options, out);
  if (!options.quick) addOrders("inclined duct", inclinedDuct, {12, 18, 24, 36}, options, out);
  return out;
}

}  // namespace tessera::validation
