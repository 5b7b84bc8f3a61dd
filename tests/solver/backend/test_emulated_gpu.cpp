// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels and driver of the GPU backend on a GPU that the CPU emulates (emulated_gpu.hpp), with
// wavefronts of 32 and of 64 lanes: as the CPU backend steps and samples, and strict where hardware
// would go wrong silently. Compiled once for each width.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "solver/backend/gpu/moments.cuh"
#include "solver/backend/gpu/populations.cuh"
#include "solver/backend/registry.hpp"
#include "solver/model/variant_types.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/case/place_values.hpp"
#include "tests/fixtures/case/water_cases.hpp"
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

template <class Made>
std::unique_ptr<Backend> make(solver::domain::Domain domain, const Relaxation& relaxation) {
  return std::make_unique<Made>(std::move(domain), relaxation);
}

// The lines of variants.def that are emulated: a node and two nodes per thread, values of 2, 4 and
// 8 bytes, the shifted tiling, columns of moments, of mixed ones too; with 64 lanes, which change
// exchanges alone, half of them.
struct Emulated {
  VariantAxes axes;
  BackendMaker maker;
};

template <class C, class P, class M>
using Of = Variant<D3Q19, C, QuasiCompressible, ConstantViscosity, P, M>;

std::vector<Emulated> emulatedLines() {
  const auto axes = [](CollisionId collision, PrecisionId precision, TilingId tiling,
                       StateId state) {
    VariantAxes all{.collision = collision, .precision = precision};
    all.tiling = tiling;
    all.state = state;
    return all;
  };
  using Id = PrecisionId;
  std::vector<Emulated> lines{
      {axes(CollisionId::Bgk, Id::F16, TilingId::Aligned, StateId::Populations),
       &make<GpuPopulationsBackend<Of<Bgk, F16, AlignedTiling>>>},
      {axes(CollisionId::Trt, Id::F64, TilingId::Shifted, StateId::Populations),
       &make<GpuPopulationsBackend<Of<Trt, F64, ShiftedTiling>>>},
      {axes(CollisionId::Regularised, Id::F64, TilingId::Aligned, StateId::Moments),
       &make<GpuMomentsBackend<Of<Regularised, F64, AlignedTiling>>>}};
#if TESSERA_WIDEST_WAVE == 32
  lines.push_back({axes(CollisionId::Bgk, Id::F64, TilingId::Aligned, StateId::Populations),
                   &make<GpuPopulationsBackend<Of<Bgk, F64, AlignedTiling>>>});
  lines.push_back({axes(CollisionId::Trt, Id::F32, TilingId::Aligned, StateId::Populations),
                   &make<GpuPopulationsBackend<Of<Trt, F32, AlignedTiling>>>});
  lines.push_back({axes(CollisionId::Regularised, Id::F32, TilingId::Aligned, StateId::Moments),
                   &make<GpuMomentsBackend<Of<Regularised, F32, AlignedTiling>>>});
  lines.push_back({axes(CollisionId::Regularised, Id::M32F16, TilingId::Aligned, StateId::Moments),
                   &make<GpuMomentsBackend<Of<Regularised, M32F16, AlignedTiling>>>});
#endif
  return lines;
}

struct Situation {
  std::string name;
  TilesFile tiles;
  WallScheme walls = WallScheme::Halfway;
};

// Walls anywhere between nodes.
LatticeGeometry withDistances(LatticeGeometry geometry) {
  std::mt19937 engine(11);
  setWalls(geometry, 1, [&](const Int3&, const Int3&, double& distance, int&) {
    distance = 0.02 + 0.96 * static_cast<double>(engine()) / 4294967296.0;
  });
  return geometry;
}

std::vector<Situation> situations() {
  const auto porous = strewn(0.85);
  const auto opened = [&](int x, int y, int z) { return x < 2 || porous(x, y, z); };
  const auto wide = [&](int x, int y, int z) { return x < 2 || porous(x / 3, y / 3, z / 3); };
  const std::vector<BoxFace> faces{{0, false, 1}, {0, true, 2}, {2, true, 3}};
  return {
      {"closed", imageGeometry({37, 10, 9}, porous, {}, {}, 1e-3, {0, 0, 0})},
      {"periodic", imageGeometry({9, 6, 3}, porous, {true, true, true}, {}, 1e-3, {1, 2, 3})},
      {"openings", imageGeometry({14, 9, 8}, opened, {}, faces, 1e-3, {2, 1, 3})},
      {"cut links, openings",
       inTiles(withDistances(withCutLinks(imageLattice({14, 9, 8}, opened, {}, faces, 1e-3), 0.02)),
               {2, 1, 3}),
       WallScheme::Bouzidi},
      {"cut links, openings, multireflection",
       inTiles(withDistances(imageLattice({26, 14, 12}, wide, {}, faces, 1e-3)), {0, 0, 0}),
       WallScheme::Multireflection},
      {"in rows, openings",
       shiftedTiles(imageLattice({14, 9, 13}, opened, {}, faces, 1e-3), {0, 1, 2})},
      {"walls alone",
       inTiles(withDistances(imageLattice({14, 9, 8}, porous, {}, {}, 1e-3)), {0, 0, 0}),
       WallScheme::Multireflection},
      {"periodic walls",
       inTiles(withDistances(imageLattice({9, 6, 3}, porous, {true, true, true}, {}, 1e-3)),
               {1, 2, 3}),
       WallScheme::Bouzidi},
      {"openings, periodic",
       imageGeometry({14, 9, 8}, opened, {false, true, false}, faces, 1e-3, {2, 1, 3})}};
}

SolverCase caseFor(const VariantInfo& variant, const Situation& situation) {
  SolverCase run = waterCase(variant.axes, 0.8);
  run.ramp = 0.0;
  run.walls = situation.walls;
  run.bodyForce = {5e-3, -2.5e-3, 1e-3};
  run.openings.assign(situation.tiles.geometry.openings.size(), Pressure{});
  if (run.openings.empty()) return run;
  run.openings[0] = Velocity{Profile::Parabolic, 2e-4};
  run.openings[1] =
      Windkessel{.proximal = 2e5, .compliance = 2.5e-6, .resistance = 8e5, .initial = 1e-4};
  run.openings[2] = Pressure{1e-4};
  const Double3 at = situation.tiles.geometry.frame.toWorld({0.6, 4.3, 3.8});
  run.probes = {{"1", at}};
  run.stations = {{"1", at, unit(Double3{1.0, 0.2, 0.1}), 0.0}};
  return run;
}

// A line with the backend on the emulated GPU.
const VariantInfo& lineOf(const Emulated& line) {
  const VariantInfo& found = findVariant(line.axes);
  // The registry is a vector of this program, where no build has a GPU.
  const_cast<VariantInfo&>(found).makeCuda = line.maker;
  return found;
}

Setup setUp(const Situation& situation, const SolverCase& run, const char* backend) {
  return prepare(situation.tiles.geometry, run, backend);
}

// Results of a run: its state, fields, and flow rates and pressures of openings.
struct Outcome {
  std::vector<double> state;
  std::vector<double> fields;
  MonitorSample sample;
  int stepsInPass = 1;
};

std::vector<double> quiet(const VariantInfo& variant, const TilesFile& tiles) {
  std::mt19937 engine(7);
  std::vector<double> f(tiles.geometry.tiles() * 64 * variant.lattice.velocities.size());
  for (double& value : f)
    value = static_cast<float>((static_cast<double>(engine()) / 4294967296.0 - 0.5) * 2e-3);
  return f;
}

Outcome after(const Situation& situation, Setup setup, std::uint64_t steps) {
  Simulation simulation(situation.tiles, std::move(setup));
  simulation.setPopulations(quiet(*simulation.setup().variant, situation.tiles));
  // The first step alone; those behind it may be recorded.
  simulation.advance(1);
  simulation.advance(steps - 1);
  Outcome out;
  out.sample = simulation.sample();
  out.state = simulation.state();
  out.stepsInPass = simulation.backend().stepsInPass();
  out.fields.resize(situation.tiles.geometry.tiles() * observedValues * 64);
  simulation.observe([&](std::size_t tile, const float* values) {
    std::copy_n(values, observedValues * 64, out.fields.begin() + tile * observedValues * 64);
  });
  return out;
}

void checkEqual(const Situation& situation, const VariantInfo& variant, const Outcome& cpu,
                const Outcome& gpu) {
  const double tolerance = toleranceOfCuda(variant);
  CHECK(largestDifference(situation.tiles, cpu.state, gpu.state) < tolerance);
  CHECK(largestDifference(situation.tiles, cpu.fields, gpu.fields) < std::max(tolerance, 1e-5));
  CHECK(gpu.sample.nodes.kineticEnergy == Approx(cpu.sample.nodes.kineticEnergy).epsilon(1e-4));
  REQUIRE(gpu.sample.walls.size() == cpu.sample.walls.size());
  for (std::size_t k = 0; k < gpu.sample.walls.size(); ++k)
    CHECK(length(gpu.sample.walls[k].force - cpu.sample.walls[k].force) <=
          100.0 * tolerance * length(cpu.sample.walls[k].force));
  REQUIRE(gpu.sample.flowRate.size() == situation.tiles.geometry.openings.size());
  for (std::size_t k = 0; k < gpu.sample.flowRate.size(); ++k) {
    CHECK(gpu.sample.flowRate[k] == Approx(cpu.sample.flowRate[k]).epsilon(100.0 * tolerance));
    CHECK(gpu.sample.pressure[k] == Approx(cpu.sample.pressure[k]).epsilon(100.0 * tolerance));
  }
  checkSamePlaces(cpu.sample, gpu.sample, 100.0 * tolerance);
}

}  // namespace

TEST_CASE("Emulated GPU: it steps and samples as the CPU", "[unit]") {
  constexpr std::uint64_t steps = 14;
  for (const Emulated& line : emulatedLines()) {
    const VariantInfo& variant = lineOf(line);
    for (const Situation& situation : situations()) {
      if (situation.tiles.geometry.isShifted() != (line.axes.tiling == TilingId::Shifted)) continue;
      INFO(variant.name() << ", " << situation.name);
      const SolverCase run = caseFor(variant, situation);
      const Outcome cpu = after(situation, setUp(situation, run, "cpu"), steps);
      tessera::emulated::kernelsRun() = 0;
      checkEqual(situation, variant, cpu, after(situation, setUp(situation, run, "cuda"), steps));
      CHECK(tessera::emulated::kernelsRun() > steps);
    }
  }
}

TEST_CASE("Emulated GPU: one and two steps in a pass, in wide and narrow columns", "[unit]") {
  const std::vector<Situation> all = situations();
  for (const Emulated& line : emulatedLines()) {
    const VariantInfo& variant = lineOf(line);
    if (!variant.storesMoments()) continue;
    for (const std::size_t number : {0, 2, 3, 4}) {
      const Situation& situation = all[number];
      const SolverCase run = caseFor(variant, situation);
      const Outcome cpu = after(situation, setUp(situation, run, "cpu"), 8);
      std::vector<std::vector<double>> states;
      for (const int kibibytes : {64, 227})
        for (const int stepsInPass : {1, 2}) {
          if (kibibytes == 64 && &situation != all.data()) continue;  // narrow columns once
          INFO(variant.name() << ", " << situation.name << ", " << kibibytes << " KiB, "
                              << stepsInPass << " steps");
          tessera::emulated::mostShared() = kibibytes * 1024;
          Setup setup = setUp(situation, run, "cuda");
          setup.stepsInPass = stepsInPass;
          const Outcome gpu = after(situation, std::move(setup), 8);
          checkEqual(situation, variant, cpu, gpu);
          if (kibibytes == 227) CHECK(gpu.stepsInPass == stepsInPass);
          states.push_back(gpu.state);
        }
      for (const std::vector<double>& state : states) CHECK(state == states.front());
    }
  }
  tessera::emulated::mostShared() = 64 * 1024;
}

TEST_CASE("Emulated GPU: the in-place update gives the bits of two copies", "[unit]") {
  const auto porous = strewn(0.85);
  const std::vector<BoxFace> faces{{2, false, 1}, {2, true, 2}, {0, false, 3}};
  const std::array tall{
      Situation{"tall", imageGeometry({8, 8, 260}, porous, {}, {}, 1e-3, {0, 0, 0})},
      Situation{
          "tall, openings and walls",
          inTiles(withDistances(imageLattice({8, 8, 260}, porous, {}, faces, 1e-3)), {0, 0, 0}),
          WallScheme::Multireflection}};
  for (const Emulated& line : emulatedLines()) {
    const VariantInfo& variant = lineOf(line);
    if (line.axes.precision != PrecisionId::F64 || line.axes.tiling == TilingId::Shifted) continue;
    for (const Situation& situation : tall) {
      if (situation.walls != WallScheme::Halfway && !variant.storesMoments()) continue;
      INFO(variant.name() << ", " << situation.name);
      SolverCase run = caseFor(variant, situation);
      std::vector<std::vector<double>> states;
      for (const char* copies : {"2", "1"}) {
        run.copies = copies;
        Setup setup = setUp(situation, run, "cuda");
        CHECK(setup.copies == (copies[0] == '1' ? 1 : 2));
        states.push_back(after(situation, std::move(setup), 6).state);
      }
      CHECK(states[0] == states[1]);
    }
  }
}

TEST_CASE("Emulated GPU: memory that cannot be pinned changes nothing", "[unit]") {
  const std::vector<BoxFace> faces{{2, false, 1}, {2, true, 2}, {0, false, 3}};
  const Situation situation{
      "openings and walls",
      inTiles(withDistances(imageLattice({8, 8, 24}, strewn(0.85), {}, faces, 1e-3)), {0, 0, 0}),
      WallScheme::Multireflection};
  bool populations = false, moments = false;
  for (const Emulated& line : emulatedLines()) {
    const VariantInfo& variant = lineOf(line);
    bool& done = variant.storesMoments() ? moments : populations;
    if (done || line.axes.precision != PrecisionId::F64 || line.axes.tiling == TilingId::Shifted)
      continue;
    INFO(variant.name());
    done = true;
    const SolverCase run = caseFor(variant, situation);
    const auto state = [&] { return after(situation, setUp(situation, run, "cuda"), 6).state; };
    const std::vector<double> pinned = state();
    tessera::emulated::refusesPins() = true;
    CHECK(state() == pinned);
    tessera::emulated::refusesPins() = false;
  }
  CHECK((populations || moments));  // those of this program
}

// ---- The emulation itself

namespace {

using tessera::emulated::Block;

void run(unsigned threads, std::function<void()> kernel) {
  Block(std::move(kernel), 0, threads, nullptr).run();
}

}  // namespace

TEST_CASE("Emulated GPU: a team exchanges values and bits, whatever the other does", "[unit]") {
  std::array<std::int32_t, 128> from{};
  std::array<std::uint32_t, 128> bits{};
  run(128, [&] {
    const unsigned k = threadIdx.x;
    // Every second team exchanges one time more.
    if (k / teamLanes % 2 == 1) bits[k] = lanesWhere(k % 3 == 0);
    from[k] = fromLane(static_cast<std::int32_t>(10 * k), 5);
    if (k / teamLanes % 2 == 0) bits[k] = lanesWhere(k % 3 == 0);
  });
  for (unsigned k = 0; k < 128; ++k) {
    const unsigned first = k / teamLanes * teamLanes;
    std::uint32_t wanted = 0;
    for (unsigned lane = 0; lane < teamLanes; ++lane)
      wanted |= std::uint32_t{(first + lane) % 3 == 0} << lane;
    CHECK(from[k] == static_cast<std::int32_t>(10 * (first + 5)));
    CHECK(bits[k] == wanted);
  }
}

TEST_CASE("Emulated GPU: it refuses what hardware leaves undefined", "[unit]") {
  // Half of a team in an exchange.
  CHECK_THROWS(run(64, [] {
    if (threadIdx.x % 2 == 0) (void)fromLane(1, 0);
    __syncthreads();
  }));
  // A lane that has ended.
  CHECK_THROWS(run(32, [] {
    if (threadIdx.x != 3) (void)fromLane(1, 3);
  }));
  // Two barriers side by side: teams of one wavefront where that has 64 lanes, else two.
  const auto apart = [](unsigned part) {
    run(128, [part] {
      if (threadIdx.x < part)
        __syncthreads();
      else
        __syncthreads();
    });
  };
  CHECK_NOTHROW(apart(64));
  if (widestWave == 64)
    CHECK_THROWS(apart(32));
  else
    CHECK_NOTHROW(apart(32));
  CHECK_THROWS(apart(48));
}
