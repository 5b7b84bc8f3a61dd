// SPDX-License-Identifier: GPL-3.0-or-later
// Fluids whose viscosity depends on the shear rate between two plates and in a pipe, driven by a
// force F: the shear stress is F d (in a pipe F d / 2) at a distance d from the middle, the shear
// rate there solves nu(gamma) gamma = stress, and the velocity is its integral from the wall.
#include <cmath>

#include "solver/run/output.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;

namespace {

// Kinematic viscosity with Smagorinsky's share, lattice units.
double viscosityOf(const ViscosityLaw& law, double shearRate) {
  const double own = law.model == FluidModel::Newtonian ? law.lowest : viscosityAt(law, shearRate);
  return own + law.smagorinsky * law.smagorinsky * shearRate;
}

double shearRateAt(const ViscosityLaw& law, double stress) {
  double low = 0.0, high = stress / law.lowest;
  for (int k = 0; k < 80; ++k) {
    const double middle = 0.5 * (low + high);
    (viscosityOf(law, middle) * middle < stress ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Velocity at distances from the middle, `radius` to the wall; stress per distance.
double velocityAt(const ViscosityLaw& law, double distance, double radius, double slope) {
  constexpr int pieces = 400;
  const double step = (radius - distance) / pieces;
  double sum = 0.0;  // Simpson's rule
  for (int k = 0; k <= pieces; ++k)
    sum += (k == 0 || k == pieces ? 1.0
            : k % 2 == 1          ? 4.0
                                  : 2.0) *
           shearRateAt(law, slope * (distance + k * step));
  return sum * step / 3.0;
}

// A fluid by its numbers where 1 is the shear rate that the plastic, largest-shear or only
// viscosity 0.05 would have at the wall of a channel.
struct Fluid {
  const char* name;
  ViscosityLaw law;
  double order = 1.8;  // at least
};

constexpr double viscosity = 0.05;

std::vector<Fluid> fluids() {
  constexpr double v = viscosity;
  return {{"Carreau-Yasuda",
           {.model = FluidModel::CarreauYasuda,
            .lowest = v,
            .highest = 16.0 * v,
            .timeConstant = 20.0,
            .n = 0.3568}},
          {"power law 0.5",
           {.model = FluidModel::PowerLaw,
            .lowest = 0.2 * v,
            .highest = 60.0 * v,
            .n = 0.5,
            .consistency = v}},
          // Its profile goes with d^(5/3) in the middle, so no scheme has a higher order there.
          {"power law 1.5",
           {.model = FluidModel::PowerLaw,
            .lowest = 0.2 * v,
            .highest = 60.0 * v,
            .n = 1.5,
            .consistency = v},
           1.5},
          {"Casson",
           {.model = FluidModel::Casson, .lowest = v, .highest = 100.0 * v, .yield = 0.3 * v}},
          {"Smagorinsky", {.lowest = v, .highest = v, .smagorinsky = std::sqrt(v)}}};
}

constexpr double shearOfSpacing = 1.6;  // the shear rate 1 above, times squared nodes across

struct Run {
  Fluid fluid;
  int nodes;  // across
  Model model{LatticeId::D2Q9, CollisionId::Trt, EquilibriumId::QuasiCompressible,
              PrecisionId::F64};
  [[nodiscard]] double shear() const { return shearOfSpacing / (double(nodes) * nodes); }
  [[nodiscard]] double force() const { return 2.0 * viscosity * shear() / nodes; }
  // In lattice units: time in steps.
  [[nodiscard]] ViscosityLaw law() const {
    ViscosityLaw law = inLatticeUnits(fluid.law, 1.0, shear());
    law.lowest = fluid.law.lowest;
    law.highest = fluid.law.highest;
    law.yield = fluid.law.yield * shear();
    law.consistency = fluid.law.consistency * std::pow(shear(), 1.0 - fluid.law.n);
    law.smagorinsky = fluid.law.smagorinsky / std::sqrt(shear());
    return law;
  }
};

SolverCase caseOf(const Run& run) {
  SolverCase out = latticeCase(run.model, 0.5 + 3.0 * run.law().lowest);
  out.law = run.law();
  out.magic = 3.0 / 16.0;
  out.bodyForce = {run.force(), 0.0, 0.0};
  return out;
}

struct Profile {
  std::vector<double> place, velocity, expected;  // velocities over the peak expected
  double error = 0.0;                             // largest, over that peak
  double stress = 0.0;  // largest error of the shear stress, over that at the wall
  double plug = 0.0;    // least velocity within a fifth of the middle, over the largest
};

Profile between(const Run& run, const Options& options) {
  const bool flat = run.model.lattice == LatticeId::D2Q9;
  const int n = run.nodes;
  Flow flow = startFlow(testing::imageGeometry(
                            {flat ? 8 : 4, n, flat ? 1 : 4}, [](int, int, int) { return true; },
                            {true, false, true}, {}, 1.0, {0, 0, 0}, flat ? 2 : 3),
                        caseOf(run), options);
  flow.simulation->advance(static_cast<std::uint64_t>(1.3 * n * n / viscosity));
  const Moments moments = momentsOf(flow);
  const Fields fields = fieldsOf(*flow.simulation, {});
  Profile out;
  const double peak = velocityAt(run.law(), 0.0, 0.5 * n, run.force());
  double fastest = 0.0, slowest = 1.0;
  for (int y = 0; y < n; ++y) {
    const double distance = std::abs(y + 0.5 - 0.5 * n);
    out.place.push_back((y + 0.5) / n);
    out.velocity.push_back(moments.velocity(0, y)[0] / peak);
    out.expected.push_back(velocityAt(run.law(), distance, 0.5 * n, run.force()) / peak);
    out.error = std::max(out.error, std::abs(out.velocity.back() - out.expected.back()));
    fastest = std::max(fastest, out.velocity.back());
    if (distance < 0.1 * n) slowest = std::min(slowest, out.velocity.back());
  }
  out.plug = slowest / fastest;
  std::size_t at = 0;  // in the order of the fields
  const TiledGeometry& geometry = flow.tiles->geometry;
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (geometry.nodeType[t * tileNodes + l] == 0) continue;
      const double height = geometry.nodeOf(t, static_cast<int>(l))[1] + 0.5 - 0.5 * n;
      const double stress = double(fields.stress[at++][3]) * fields.stressFactor;
      out.stress = std::max(out.stress, std::abs(stress + run.force() * height));
    }
  out.stress /= 0.5 * n * run.force();
  return out;
}

// Largest error of the velocity in a pipe, over the peak.
double pipeError(const Run& run, const Options& options) {
  const int n = run.nodes;
  const double radius = 0.5 * n, middle = radius + 1.13;
  const auto distance = [=](const Double3& p) { return std::hypot(p[1] - middle, p[2] - middle); };
  const Int3 nodes{4, n + 3, n + 3};
  SolverCase pipe = caseOf(run);
  pipe.walls = WallScheme::Multireflection;
  Flow flow = startFlow(
      testing::inTiles(testing::levelLattice(
                           nodes, [=](const Double3& p) { return distance(p) - radius; },
                           {true, false, false}, 1.0, 3, 1, [](const Double3&) { return 0; }),
                       {0, 0, 0}),
      pipe, options);
  flow.simulation->advance(static_cast<std::uint64_t>(0.5 * n * n / viscosity));
  const Moments moments = momentsOf(flow);
  const double peak = velocityAt(run.law(), 0.0, radius, 0.5 * run.force());
  double error = 0.0;
  for (int z = 0; z < nodes[2]; ++z)
    for (int y = 0; y < nodes[1]; ++y) {
      const double r = distance({0.0, double(y), double(z)});
      if (r >= radius) continue;
      const double expected = velocityAt(run.law(), r, radius, 0.5 * run.force());
      error = std::max(error, std::abs(moments.velocity(0, y, z)[0] - expected) / peak);
    }
  return error;
}

}  // namespace

Findings nonNewtonian(const Options& options) {
  Findings out;
  out.setting =
      "Channel driven by a force, D2Q9, TRT with the magic parameter 3/16, double precision; "
      "largest error of any node over the peak. Pipe: D3Q19, walls by multireflection.";
  const std::string integral = "integral of the shear rate";
  Chart chart = chartOf("Channel, 32 nodes: lines expected, dots found", "velocity over its peak",
                        "height over the channel's");
  int number = 0;
  for (const Fluid& fluid : fluids()) {
    const std::vector<int> sizes =
        options.quick ? std::vector<int>{16, 32} : std::vector<int>{16, 32, 64};
    std::vector<double> errors;
    for (const int n : sizes) {
      const Profile profile = between({fluid, n}, options);
      errors.push_back(profile.error);
      const std::string name = std::string(", ") + fluid.name + ", " + std::to_string(n) + " nodes";
      if (n != 32) continue;
      out.atMost("error" + name, profile.error, 5e-3, integral);
      out.atMost("error of the shear stress" + name, profile.stress, 1e-4, "force balance");
      if (fluid.law.model == FluidModel::Casson)
        out.atLeast("velocity in the plug over the largest" + name, profile.plug, 0.995, integral);
      chart.curves.push_back(curve(fluid.name, profile.expected, profile.place, number));
      chart.curves.push_back(curve("", profile.velocity, profile.place, number++, true));
    }
    out.atLeast(std::string("order, ") + fluid.name,
                orderOf(errors[errors.size() - 2], errors.back()), fluid.order,
                fluid.order < 1.8 ? "order 5/3" : "second order");
  }
  out.charts.push_back(chart);
  for (const VariantInfo& row : variants()) {
    if (row.axes.viscosity != ViscosityId::Local || row.lattice.dimensions != 3) continue;
    out.atMost("error, Carreau-Yasuda, 16 nodes, " + row.name(),
               between({fluids()[0], 16, modelOf(row)}, options).error, 0.03, integral);
  }
  const int across = options.quick ? 12 : 32;
  for (const Fluid& fluid : fluids())
    if (!options.quick || fluid.law.model == FluidModel::CarreauYasuda)
      out.atMost("error, " + std::string(fluid.name) + " in a pipe of " + std::to_string(across) +
                     " nodes",
                 pipeError({fluid,
                            across,
                            {LatticeId::D3Q19, CollisionId::Trt, EquilibriumId::QuasiCompressible,
                             PrecisionId::F64}},
                           options),
                 options.quick ? 0.02 : 0.01, integral);
  return out;
}

}  // namespace tessera::validation
