// SPDX-License-Identifier: GPL-3.0-or-later
// Poiseuille's flow between two plates, driven by a force. With TRT at the magic parameter 3/16 the
// walls lie exactly half way (Ginzburg, Verhaeghe & d'Humieres 2008), so the parabola is met to
// round-off; at any other magic parameter the whole profile slips by F / (2 nu) (4 M / 3 - 1 / 4)
// (He, Zou, Luo & Dembo 1997).
#include <cmath>

#include "solver/backend/sample.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

struct Channel {
  int height;  // nodes between the walls
  double tau;
  Model model;
  double force = 1e-6;
  [[nodiscard]] double nu() const { return (tau - 0.5) / 3.0; }
  [[nodiscard]] double peak() const { return force * height * height / (8.0 * nu()); }
  [[nodiscard]] double at(int y) const {
    return force / (2.0 * nu()) * (y + 0.5) * (height - y - 0.5);
  }
};

// Velocities across the channel over the peak, at one of its columns, and the largest error of any
// node.
struct Profile {
  std::vector<double> height, velocity;
  double error = 0.0;
};

Profile profileOf(const Channel& channel, const Options& options) {
  const bool flat = channel.model.lattice == LatticeId::D2Q9;
  SolverCase run = latticeCase(channel.model, channel.tau);
  run.magic = 3.0 / 16.0;
  run.bodyForce = {channel.force, 0.0, 0.0};
  Flow flow = startFlow(testing::imageGeometry(
                            {4, channel.height, flat ? 1 : 4}, [](int, int, int) { return true; },
                            {true, false, true}, {}, 1.0, {0, 0, 0}, flat ? 2 : 3),
                        run, options);
  // exp(-pi^2 3.2) is below 1e-13.
  flow.simulation->advance(
      static_cast<std::uint64_t>(3.2 * channel.height * channel.height / channel.nu()));
  const Moments moments = momentsOf(flow);
  Profile out;
  for (int y = 0; y < channel.height; ++y) {
    out.height.push_back((y + 0.5) / channel.height);
    out.velocity.push_back(moments.velocity(0, y)[0] / channel.peak());
    for (int z = 0; z < moments.nodes[2]; ++z)
      for (int x = 0; x < 4; ++x)
        out.error = largerOf(
            out.error, std::abs(moments.velocity(x, y, z)[0] - channel.at(y)) / channel.peak());
  }
  return out;
}

std::string describe(const Channel& c) {
  return std::string(nameOf(c.model.lattice)) + " " + nameOf(c.model.collision) + ", " +
         std::to_string(c.height) + " nodes, \u03c4 = " + shortNumber(c.tau, 4);
}

}  // namespace

Findings planeChannel(const Options& options) {
  const EquilibriumId compressible = EquilibriumId::QuasiCompressible;
  Findings out;
  out.setting =
      "Two plates, a constant force, magic parameter 3/16; largest error of any node over "
      "the peak velocity, in double precision.";
  const std::vector<Channel> exact{
      {11, 0.7, {LatticeId::D2Q9, CollisionId::Trt}},
      {8, 1.3, {LatticeId::D2Q9, CollisionId::Mrt, compressible}},
      {8, 0.5 + std::sqrt(3.0 / 16.0), {LatticeId::D2Q9, CollisionId::Bgk, compressible}},
      {8, 0.8, {}},
      {11, 1.3, {}},
      {8, 0.6, {LatticeId::D3Q19, CollisionId::Mrt}},
      {8, 0.9, {LatticeId::D3Q27, CollisionId::Trt, compressible}}};
  for (const Channel& channel : exact)
    out.atMost("error, " + describe(channel), profileOf(channel, options).error, 1e-10,
               "parabola of Poiseuille");
  const Channel slipping{8, 1.3, {LatticeId::D2Q9, CollisionId::Bgk, compressible}};
  const Profile slip = profileOf(slipping, options);
  const double magic = 0.8 * 0.8;
  out.relative("wall slip over the peak, " + describe(slipping), slip.error,
               (16.0 / 3.0 * magic - 1.0) / (8.0 * 8.0), 1e-8, "He, Zou, Luo & Dembo 1997");
  Chart chart =
      chartOf("Plane channel, 8 nodes", "velocity over its peak", "height over the channel's");
  std::vector<double> x, y;
  for (int k = 0; k <= 60; ++k) {
    y.push_back(k / 60.0);
    x.push_back(4.0 * y.back() * (1.0 - y.back()));
  }
  const Profile fine = profileOf({8, 0.8, {}}, options);
  chart.curves = {curve("parabola", x, y, 0), curve("TRT", fine.velocity, fine.height, 1, true),
                  curve("LBGK at \u03c4 = 1.3", slip.velocity, slip.height, 2, true)};
  out.charts.push_back(chart);
  return out;
}

}  // namespace tessera::validation
