// SPDX-License-Identifier: GPL-3.0-or-later
// Probes and stations of a run, of each kind of stored state: against its fields at that step, on a
// GPU also against the CPU.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <tuple>

#include "solver/backend/gpu/device.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/case/place_values.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/oracle/reference.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::testing;

namespace {

constexpr double h = 1e-4;  // spacing, m
constexpr Int3 duct{26, 9, 8};
// Places along x, between two layers and on one.
constexpr double between = 6.3, onLayer = 17.0;

// One variant for each lattice, precision, tiling and state that is built.
std::vector<const VariantInfo*> variantsOfPlaces(bool cuda) {
  std::set<std::tuple<LatticeId, PrecisionId, TilingId, StateId>> seen;
  std::vector<const VariantInfo*> chosen;
  for (const VariantInfo& variant : variants()) {
    const VariantAxes& axes = variant.axes;
    const auto key = std::tuple(axes.lattice, axes.precision, axes.tiling, axes.state);
    if (axes.viscosity != ViscosityId::Constant || (cuda && variant.makeCuda == nullptr)) continue;
    if (seen.insert(key).second) chosen.push_back(&variant);
  }
  return chosen;
}

bool inPlane(const VariantInfo& variant) {
  return variant.axes.lattice == LatticeId::D2Q9;
}

// All fluid, openings 1 and 2 at the ends of x.
TilesFile ductFor(const VariantInfo& variant) {
  const auto fluid = [](int, int, int) { return true; };
  const std::vector<BoxFace> faces{{0, false, 1}, {0, true, 2}};
  if (inPlane(variant))
    return imageGeometry({duct[0], duct[1], 1}, fluid, {false, false, true}, faces, h, {1, 2, 0},
                         2);
  if (variant.axes.tiling == TilingId::Shifted)
    return shiftedTiles(imageLattice(duct, fluid, {}, faces, h), {0, 1, 2});
  return imageGeometry(duct, fluid, {}, faces, h, {1, 2, 3});
}

SolverCase caseFor(const VariantInfo& variant, const tiler::TiledGeometry& geometry) {
  SolverCase run = waterCase(variant.axes, 0.8);
  run.ramp = 0.0;
  run.openings = {Velocity{Profile::Parabolic, 2e-3}, Pressure{0.05}};
  const double z = inPlane(variant) ? 0.0 : 4.0;
  for (const double x : {between, onLayer}) {
    const Double3 at = geometry.frame.toWorld({x, 4.0, z});
    run.probes.push_back({"p" + std::to_string(run.probes.size()), at});
    run.stations.push_back({"s" + std::to_string(run.stations.size()), at, {1.0, 0.0, 0.0}, 0.0});
  }
  return run;
}

// Fields of one moment by node, SI.
class Moment {
 public:
  explicit Moment(Simulation& simulation) : geometry_(simulation.tiles().geometry) {
    const Scales& scales = simulation.setup().lattice.scales;
    const double reference = simulation.referencePressure();
    simulation.observe([&](std::size_t tile, const float* values) {
      for (int local = 0; local < 64; ++local) {
        const Int3 node = geometry_.nodeOf(tile, local);
        if (node[0] < 0 || node[0] >= duct[0] || node[1] < 0 || node[1] >= duct[1] || node[2] < 0 ||
            node[2] >= duct[2])
          continue;
        at(node) = {reference + scales.pressure() / 3.0 * static_cast<double>(values[local]),
                    scales.velocity() * static_cast<double>(values[64 + local])};
      }
    });
  }
  // Pressure and velocity along x at (x, 4, z).
  std::array<double, 2> onAxis(double x, int z) {
    return mixed(x, [&](int layer) { return at({layer, 4, z}); });
  }
  // Mean pressure of the layers around x, and their flow rate.
  std::array<double, 2> acrossAt(double x, int depth) {
    return mixed(x, [&](int layer) {
      std::array<double, 2> sum{};
      for (int y = 0; y < duct[1]; ++y)
        for (int z = 0; z < depth; ++z) {
          sum[0] += at({layer, y, z})[0] / (duct[1] * depth);
          sum[1] += at({layer, y, z})[1] * h * h;
        }
      return sum;
    });
  }

 private:
  std::array<double, 2>& at(const Int3& node) {
    return values_[static_cast<std::size_t>((node[0] * duct[1] + node[1]) * duct[2] + node[2])];
  }
  template <class OfLayer>
  static std::array<double, 2> mixed(double x, const OfLayer& of) {
    const int layer = static_cast<int>(x);
    const double t = x - layer;
    const std::array<double, 2> low = of(layer), high = of(layer + 1);
    return {(1.0 - t) * low[0] + t * high[0], (1.0 - t) * low[1] + t * high[1]};
  }

  const tiler::TiledGeometry& geometry_;
  std::vector<std::array<double, 2>> values_{static_cast<std::size_t>(duct[0] * duct[1] * duct[2])};
};

// Sample of a run, compared with the fields of its moment.
MonitorSample checkedSample(const VariantInfo& variant, const std::string& backend) {
  const TilesFile tiles = ductFor(variant);
  Simulation simulation(tiles, prepare(tiles.geometry, caseFor(variant, tiles.geometry), backend));
  simulation.advance(60);
  MonitorSample sample = simulation.sample();
  Moment moment(simulation);
  REQUIRE(sample.probes.size() == 2);
  REQUIRE(sample.stations.size() == 2);
  const int depth = inPlane(variant) ? 1 : duct[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const double x = k == 0 ? between : onLayer;
    INFO(backend << ", x = " << x);
    const auto [pressure, velocity] = moment.onAxis(x, inPlane(variant) ? 0 : 4);
    CHECK(velocity > 5e-4);
    CHECK(sample.probes[k].pressure == Approx(pressure).epsilon(1e-5));
    CHECK(sample.probes[k].velocity[0] == Approx(velocity).epsilon(1e-5));
    const auto [mean, flowRate] = moment.acrossAt(x, depth);
    const StationValues& station = sample.stations[k];
    // The raster of a section counts its rim to a few percent.
    CHECK(station.pressure == Approx(mean).epsilon(2e-4));
    CHECK(station.flowRate == Approx(flowRate).epsilon(1e-5));
    CHECK(station.velocity == Approx(flowRate / (duct[1] * depth * h * h)).epsilon(0.02));
  }
  return sample;
}

}  // namespace

TEST_CASE("Places: probes and stations are those of the fields at that step", "[unit]") {
  for (const VariantInfo* variant : variantsOfPlaces(false)) {
    INFO(variant->name());
    checkedSample(*variant, "cpu");
  }
}

TEST_CASE("Places: probes and stations on a CUDA device are those of its fields and of the CPU",
          "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: probes and stations are not sampled on one here");
    return;
  }
  const std::vector<const VariantInfo*> chosen = variantsOfPlaces(true);
  REQUIRE_FALSE(chosen.empty());
  for (const VariantInfo* variant : chosen) {
    INFO(variant->name());
    const MonitorSample cuda = checkedSample(*variant, "cuda");
    checkSamePlaces(checkedSample(*variant, "cpu"), cuda, toleranceOfCuda(*variant));
    checkSamePlaces(checkedSample(*variant, "cuda"), cuda, 0.0);
  }
}
