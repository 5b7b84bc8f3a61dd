// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the registry on every backend against the plain reference, on geometries that have
// everything: obstacles, openings, periodic axes that tiles meet and that they do not, a force.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "solver/backend/gpu/device.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/device_steps.hpp"
#include "tests/fixtures/each_collision.hpp"
#include "tests/fixtures/oracle/reference.hpp"

using namespace tessera;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

struct StepSituation {
  std::string name;
  TilesFile tiles;
  bool forced;
  bool zouHe = false;   // openings 1 and 2
  bool inTime = false;  // series in time, a profile with harmonics or a developed one, a Windkessel
};

// Tiles in rows of every order; obstacles so dense that layers and rows are shifted.
void addRows(std::vector<StepSituation>& all) {
  const auto grains = [](int x, int y, int z) {
    return strewn(0.3)(x / 3, y / 3, z / 3) && strewn(0.9)(x, y, z);
  };
  for (const auto& axes : rowOrders) {
    all.push_back({"in rows, closed",
                   shiftedTiles(imageLattice({17, 14, 15}, grains, {}, {}, 1e-3), axes), false});
    all.push_back(
        {"in rows, periodic, forced",
         shiftedTiles(imageLattice({16, 13, 12}, grains, {true, true, true}, {}, 1e-3), axes),
         true});
    all.push_back(
        {"in rows, velocity and pressure openings",
         shiftedTiles(
             imageLattice(
                 {14, 9, 13}, [&](int x, int y, int z) { return x < 2 || grains(x, y, z); },
                 {false, true, false}, {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3),
             axes),
         false});
  }
}

void addInTime(std::vector<StepSituation>& all) {
  const auto porous = strewn(0.85);
  const std::vector<BoxFace> faces{{0, false, 1}, {0, true, 2}, {1, true, 3}};
  all.push_back(
      {"in time, Windkessel and resistance",
       imageGeometry({14, 9, 8}, [&](int x, int y, int z) { return x < 2 || porous(x, y, z); }, {},
                     faces, 1e-3, {2, 1, 3}),
       false, false, true});
  all.push_back({"2D, in time, Windkessel and resistance",
                 imageGeometry(
                     {22, 9, 1}, [](int x, int y, int) { return x % 5 != 3 || y % 4 != 1; },
                     {false, false, true}, faces, 1e-3, {2, 1, 0}, 2),
                 false, false, true});
  all.push_back(
      {"in rows, in time, Windkessel and resistance",
       shiftedTiles(imageLattice(
                        {14, 9, 8}, [&](int x, int y, int z) { return x < 2 || porous(x, y, z); },
                        {}, faces, 1e-3),
                    rowOrders[1]),
       false, false, true});
}

void addZouHe(std::vector<StepSituation>& all) {
  const auto porous = strewn(0.85);
  const std::vector<BoxFace> faces{{0, false, 1}, {0, true, 2}};
  for (const bool forced : {false, true})
    all.push_back(
        {"openings by Zou & He",
         imageGeometry({14, 9, 8},
                       [&](int x, int y, int z) { return x < 2 || x > 11 || porous(x, y, z); },
                       {false, true, false}, faces, 1e-3, {2, 1, 3}),
         forced, true});
  all.push_back({"2D, openings by Zou & He",
                 imageGeometry(
                     {22, 9, 1}, [](int x, int y, int) { return x % 5 != 3 || y % 4 != 1; },
                     {false, false, true}, faces, 1e-3, {2, 1, 0}, 2),
                 false, true});
}

// Walls between fluid nodes: sheets, solids thinner than a spacing, vessels that nearly touch.
void addCutLinks(std::vector<StepSituation>& all) {
  const auto porous = strewn(0.85);
  const auto opened = [&](int x, int y, int z) { return x < 2 || porous(x, y, z); };
  all.push_back(
      {"cut links, closed",
       inTiles(withCutLinks(imageLattice({13, 10, 9}, porous, {}, {}, 1e-3), 0.15), {0, 1, 2}),
       false});
  all.push_back(
      {"cut links, periodic, forced",
       inTiles(withCutLinks(imageLattice({12, 8, 12}, porous, {true, true, true}, {}, 1e-3), 0.15),
               {0, 0, 0}),
       true});
  all.push_back(
      {"cut links, velocity and pressure openings",
       inTiles(withCutLinks(imageLattice({14, 9, 8}, opened, {},
                                         {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3),
                            0.15),
               {2, 1, 3}),
       false});
  all.push_back(
      {"2D, cut links, closed",
       inTiles(
           withCutLinks(imageLattice({21, 13, 1}, porous, {false, false, true}, {}, 1e-3, 2), 0.15),
           {0, 0, 0}),
       false});
}

std::vector<StepSituation> stepSituations() {
  const auto porous = strewn(0.85);
  std::vector<StepSituation> all;
  all.push_back({"closed box with obstacles",
                 imageGeometry({13, 10, 9}, porous, {false, false, false}, {}, 1e-3, {0, 0, 0}),
                 false});
  all.push_back({"periodic, whole tiles, forced",
                 imageGeometry({8, 12, 8}, porous, {true, true, true}, {}, 1e-3, {0, 0, 0}), true});
  all.push_back({"periodic, tiles do not meet, forced",
                 imageGeometry({9, 6, 1}, porous, {true, true, true}, {}, 1e-3, {1, 2, 3}), true});
  all.push_back(
      {"velocity and pressure openings",
       imageGeometry({14, 9, 8}, [&](int x, int y, int z) { return x < 2 || porous(x, y, z); },
                     {false, true, false}, {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3,
                     {2, 1, 3}),
       false});
  const auto grid = [](int x, int y, int) { return x % 5 != 3 || y % 4 != 1; };
  all.push_back({"2D, closed",
                 imageGeometry({21, 13, 1}, grid, {false, false, true}, {}, 1e-3, {0, 0, 0}, 2),
                 false});
  all.push_back({"2D, periodic, tiles do not meet, forced",
                 imageGeometry({19, 16, 1}, grid, {true, true, true}, {}, 1e-3, {3, 0, 0}, 2),
                 true});
  all.push_back({"2D, velocity and pressure openings",
                 imageGeometry({22, 9, 1}, grid, {false, false, true},
                               {{0, false, 1}, {0, true, 2}, {1, true, 3}}, 1e-3, {2, 1, 0}, 2),
                 false});
  addRows(all);
  addInTime(all);
  addZouHe(all);
  addCutLinks(all);
  return all;
}

// The variants for a situation's tiles.
std::vector<VariantInfo> variantsFor(const StepSituation& situation) {
  std::vector<VariantInfo> rows;
  for (const VariantInfo& row : variants())
    if (row.lattice.dimensions == situation.tiles.geometry.dimensions &&
        (row.axes.tiling == TilingId::Shifted) == situation.tiles.geometry.isShifted() &&
        !(row.storesMoments() && situation.zouHe))
      rows.push_back(row);
  return rows;
}

void driveInTime(SolverCase& run, int dimensions) {
  const auto wave = periodicSeries(3.0, [](double s) {
    return 1e-4 * (1.0 + std::sin(6.283185307179586 * s) + (s < 0.5 ? s : 1.0 - s));
  });
  run.openings[0] = pulsating(wave, dimensions == 2 ? Profile::Womersley : Profile::Developed);
  run.openings[1] =
      Windkessel{.proximal = 2e5, .compliance = 2.5e-6, .resistance = 8e5, .initial = 1e-4};
  run.openings[2] = Resistance{.resistance = 1e6, .distal = 1e-4, .initial = 1e-4};
  run.ramp = 2.0;
}

// The fluids a variant is tested with: where viscosity is local one of every model, so that the
// shear rates of quietNoise, some 0.04 / s, lie where its viscosity changes.
std::vector<ViscosityLaw> lawsFor(const VariantInfo& variant) {
  if (variant.axes.viscosity == ViscosityId::Constant) return {{}};
  return {{.model = FluidModel::CarreauYasuda,
           .lowest = 1e-6,
           .highest = 5e-6,
           .timeConstant = 50.0,
           .n = 0.36},
          {.model = FluidModel::Casson, .lowest = 1e-6, .highest = 2e-5, .yield = 1e-8},
          {.model = FluidModel::PowerLaw,
           .lowest = 1e-6,
           .highest = 1e-5,
           .n = 0.5,
           .consistency = 4e-7},
          {.model = FluidModel::PowerLaw,
           .lowest = 1e-6,
           .highest = 1e-5,
           .n = 1.5,
           .consistency = 1e-5},
          {.smagorinsky = 3.0}};
}

SolverCase caseFor(const VariantInfo& variant, const StepSituation& situation,
                   const ViscosityLaw& law) {
  SolverCase run = waterCase(variant.axes, 0.8);
  run.law = law;
  run.ramp = 0.0;
  // dt = 0.1 s, so a lattice velocity of 0.05 is 5e-4 m/s, a force of 1e-4 is 1e-3 N/m3 ...
  if (situation.forced)
    run.bodyForce = {5e-3, -2.5e-3, variant.lattice.dimensions == 3 ? 1e-3 : 0.0};
  run.openings.assign(situation.tiles.geometry.openings.size(), Pressure{});
  if (!run.openings.empty()) {
    run.openings[0] = Velocity{Profile::Parabolic, 2e-4, nullptr, situation.zouHe};
    run.openings.back() = Pressure{1e-4};
  }
  if (situation.zouHe) std::get<Pressure>(run.openings[1]).zouHe = true;
  if (situation.inTime) driveInTime(run, variant.lattice.dimensions);
  return run;
}

std::vector<double> quietNoise(const Simulation& simulation, const TilesFile& tiles) {
  std::mt19937 engine(7);
  std::vector<double> f(tiles.geometry.tiles() * 64 *
                        simulation.setup().variant->lattice.velocities.size());
  for (double& value : f)
    value = static_cast<float>((static_cast<double>(engine()) / 4294967296.0 - 0.5) * 2e-3);
  return f;
}

std::vector<double> afterSteps(const StepSituation& situation, const VariantInfo& variant,
                               const ViscosityLaw& law, const std::string& backend,
                               std::uint64_t steps) {
  Simulation simulation(situation.tiles, prepare(situation.tiles.geometry,
                                                 caseFor(variant, situation, law), backend));
  simulation.setPopulations(quietNoise(simulation, situation.tiles));
  simulation.advance(steps);
  return simulation.populations();
}

}  // namespace

EACH_COLLISION_TEST_CASE("Step: every variant equals the plain reference on the CPU", "[unit]") {
  for (const StepSituation& situation : stepSituations()) {
    std::map<int, ReferenceRuns> runs;  // by law
    for (const VariantInfo& variant : variantsFor(situation)) {
      if (variant.axes.collision != collision) continue;
      int number = 0;
      for (const ViscosityLaw& law : lawsFor(variant)) {
        INFO(situation.name << ", " << variant.name() << ", " << nameOf(law.model));
        Simulation simulation(situation.tiles, prepare(situation.tiles.geometry,
                                                       caseFor(variant, situation, law), "cpu"));
        simulation.setPopulations(quietNoise(simulation, situation.tiles));
        const std::vector<double>& expected = runs[number++].after(situation.tiles, simulation, 20);
        simulation.advance(20);
        const double difference =
            largestDifference(situation.tiles, expected, simulation.populations());
        INFO("difference " << difference);
        CHECK(difference < toleranceOfReference(variant));
      }
    }
  }
}

TEST_CASE("Step: the CPU gives the same bits for any number of threads", "[unit]") {
  for (const StepSituation& situation : stepSituations()) {
    if (situation.tiles.geometry.openings.empty()) continue;
    for (const VariantInfo& variant : variantsFor(situation)) {
      const ViscosityLaw law = lawsFor(variant).front();
      const std::vector<double> many = afterSteps(situation, variant, law, "cpu", 25);
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      CHECK(many == afterSteps(situation, variant, law, "cpu", 25));
    }
  }
}

EACH_COLLISION_TEST_CASE("Step: CUDA equals the CPU and repeats its bits", "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: CUDA is not compared with the CPU here");
    return;
  }
  const std::uint64_t steps = stepsOnDevice(1000);
  for (const StepSituation& situation : stepSituations()) {
    for (const VariantInfo& variant : variantsFor(situation)) {
      if (variant.axes.collision != collision) continue;
      for (const ViscosityLaw& law : lawsFor(variant)) {
        INFO(situation.name << ", " << variant.name() << ", " << nameOf(law.model));
        // Powers and logarithms of a device are its own.
        const double powers = law.local() && variant.storageBytes == 8 ? 100.0 : 1.0;
        const std::vector<double> cpu = afterSteps(situation, variant, law, "cpu", steps);
        const std::vector<double> cuda = afterSteps(situation, variant, law, "cuda", steps);
        CHECK(largestDifference(situation.tiles, cpu, cuda) < powers * toleranceOfCuda(variant));
        CHECK(cuda == afterSteps(situation, variant, law, "cuda", steps));
      }
    }
  }
}

TEST_CASE("Step: a closed box keeps its mass to round-off", "[unit]") {
  const StepSituation box = stepSituations().front();
  const VariantInfo& variant = findVariant({.precision = PrecisionId::F64});
  Simulation simulation(box.tiles, prepare(box.tiles.geometry, caseFor(variant, box, {}), "cpu"));
  const auto mass = [&] {
    double sum = 0.0;
    const std::vector<double> f = simulation.populations();
    for (std::size_t k = 0; k < f.size(); ++k)
      if (box.tiles.geometry.nodeType[k / (19 * 64) * 64 + k % 64] != 0) sum += f[k];
    return sum;
  };
  simulation.setPopulations(quietNoise(simulation, box.tiles));
  const double before = mass();
  simulation.advance(2000);
  CHECK(std::abs(mass() - before) < 1e-12 * static_cast<double>(box.tiles.geometry.fluidNodes));
}
