// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in cycles: sampled steps, convergence between cycles, means over one and wall shear, also
// across a checkpoint.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "pipelines/stage/error.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

SolverCase channelCase() {
  SolverCase run = forcedChannelFlow(1.0);
  run.pulse.period = 0.1;
  run.pulse.cycles = 12;
  run.pulse.phases = 4;
  run.steps = 1000000;
  return run;
}

RunFiles filesIn(const TemporaryFolder& folder) {
  return {folder.path() / "run.monitor.csv",
          folder.path() / "run.ckpt",
          folder.path() / "run",
          "channel.tiles",
          "",
          folder.path() / "run.fields"};
}

struct Done {
  Fields fields;
  RunResult result;
};

Done runIn(const TemporaryFolder& folder, const TilesFile& tiles, const SolverCase& run,
           bool resume, const std::string& backend = "cpu") {
  Simulation simulation(tiles, prepare(tiles.geometry, run, backend));
  const RunFiles files = filesIn(folder);
  const RunResult result =
      runToEnd(simulation, files, resume, std::atomic<bool>{false}, newProvenance("test"));
  return {readFieldsFile(files.fields), result};
}

MonitorSample sampleOf(double flow, double pressure) {
  MonitorSample sample;
  sample.flowRate = {-flow, flow};
  sample.pressure = {pressure, 0.0};
  return sample;
}

}  // namespace

TEST_CASE("Pulsatile run: points of a cycle are spread evenly and end with it", "[unit]") {
  for (const auto& [n, N] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {1, 1}, {1, 7}, {7, 7}, {3, 10}, {20, 333}, {200, 201}}) {
    INFO(n << " points, " << N << " steps");
    std::uint64_t before = 0;
    for (std::uint64_t point = 1; point <= 3 * n; ++point) {
      const std::uint64_t p = nextPoint(before, n, N);
      CHECK(std::abs(double(p) - double(point) * double(N) / double(n)) <= 0.5);
      CHECK(pointAt(p, n, N) == (point - 1) % n + 1);
      for (std::uint64_t between = before + 1; between < p; ++between)
        CHECK(pointAt(between, n, N) == 0);
      before = p;
    }
    CHECK(before == 3 * N);
  }
}

TEST_CASE("Pulsatile run: the cycle after two that agree is recorded", "[unit]") {
  const auto recordedCycle = [](double threshold, std::uint64_t most, double ratio = 0.5) {
    Cycles cycles({100, most, 8, 10, threshold}, 2);
    std::uint64_t recorded = 0;
    while (!cycles.done()) {
      recorded = cycles.completed();
      const double amplitude = 1.0 + std::pow(ratio, double(cycles.completed()));
      for (int k = 1; k <= 8; ++k) {
        const double phase = 2.0 * 3.14159265358979323846 * k / 8.0;
        cycles.addPhase(sampleOf(std::sin(phase), 100.0 + amplitude * std::cos(phase)));
        std::vector<double> state = cycles.state();
        Cycles again({100, most, 8, 10, threshold}, 2);
        CHECK(again.restore(state));
        CHECK(again.state() == state);
        state.pop_back();
        CHECK_FALSE(again.restore(state));
      }
      cycles.close();
    }
    return std::make_pair(recorded, cycles.converged());
  };
  // Cycles c - 1 and c differ by 2^-c, over a spread of the pressures of about 100.
  CHECK(recordedCycle(1e-3, 20) == std::make_pair(std::uint64_t{5}, true));
  CHECK(recordedCycle(1e-3, 3) == std::make_pair(std::uint64_t{2}, false));
  CHECK(recordedCycle(0.0, 6) == std::make_pair(std::uint64_t{5}, false));
  CHECK(recordedCycle(1e-3, 1) == std::make_pair(std::uint64_t{0}, false));
  // Cycles c - 1 and c differ by 0.8^c / 4, the first of less than 0.1 being 5, but cycle 11 is the
  // first that is less than 0.1 away from the limit.
  CHECK(recordedCycle(1e-3, 60, 0.8) == std::make_pair(std::uint64_t{12}, true));
}

TEST_CASE("Pulsatile run: the distance from the periodic flow follows from changes that fall",
          "[unit]") {
  Cycles cycles({100, 20, 1, 10, 1e-3}, 2);
  const auto add = [&](double pressure) {
    cycles.addPhase(sampleOf(1.0, pressure));
    cycles.close();
  };
  add(1000.0);
  CHECK(cycles.distance() == 1.0);
  add(964.0);
  CHECK(cycles.distance() == cycles.change());  // no factor yet
  add(1004.0);
  CHECK(cycles.change() == Approx(40.0 / 1004.0));
  CHECK(cycles.distance() == cycles.change());  // the change grows
  add(984.0);
  const double ratio = (20.0 / 984.0) / (40.0 / 1004.0);
  CHECK(cycles.distance() == Approx(20.0 / 984.0 * ratio / (1.0 - ratio)));
  add(970.0);
  const double slower = (14.0 / 970.0) / (20.0 / 984.0);
  CHECK(cycles.distance() == Approx(14.0 / 970.0 * slower / (1.0 - slower)));
  // A checkpoint of version 0.2 lacks the change before the last.
  std::vector<double> state = cycles.state();
  state.erase(state.begin() + 4);
  state[3] = -1.0 - state[3];
  Cycles older({100, 20, 1, 10, 1e-3}, 2);
  REQUIRE(older.restore(state));
  CHECK(older.change() == cycles.change());
  CHECK(older.distance() == older.change());
  CHECK(cycles.distance() > 2.0 * older.distance());
}

TEST_CASE(
    "Pulsatile run: oscillating shear has no mean traction but its magnitude, exact at the wall",
    "[unit]") {
  const int height = 9;
  const TilesFile tiles = periodicChannel(height);
  const Setup setup = prepare(tiles.geometry, channelCase(), "cpu");
  // A stress linear across the channel, as of any parabola.
  std::vector<float> observed(setup.order.tiles * observedPerSlot, 0.0F);
  std::vector<std::unique_ptr<Accumulator>> all;
  all.push_back(makeCpuAccumulator(setup.order.tiles, setup.wallPoints.points));
  for (const double sign : {1.0, -1.0, 2.0, -2.0}) {
    for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
      for (int l = 0; l < tileNodes; ++l)
        observed[setup.order.slotOfTile[t] * observedPerSlot + 64 * 7 +
                 static_cast<std::size_t>(l)] =
            static_cast<float>(sign * (tiles.geometry.nodeOf(t, l)[1] - 0.5 * (height - 1)));
    for (const auto& accumulator : all) accumulator->add(observed.data());
  }
  CHECK(setup.wallPoints.points.size() == 16);
  for (const auto& accumulator : all)
    for (const auto& sum : accumulator->sums().wall) {
      CHECK(sum[0] == Approx(0.0).margin(1e-6));
      CHECK(sum[3] == Approx(6.0 * 0.5 * height).epsilon(1e-5));
    }
}

TEST_CASE("Pulsatile run: a settled flow repeats its cycle, with the wall shear of its parabola",
          "[unit]") {
  const int height = 16;
  const TilesFile tiles = periodicChannel(height);
  SolverCase run = channelCase();
  run.pulse.cycles = 30;
  run.pulse.converged = 1e-4;
  const TemporaryFolder folder;
  const Done done = runIn(folder, tiles, run, false);
  CHECK(done.result.converged);
  CHECK(done.result.cycles < 30);
  CHECK(done.result.cycles > 2);
  CHECK(done.fields.time == Approx(0.1 * double(done.result.cycles)));
  REQUIRE(done.fields.means);
  const MeanFields& means = *done.fields.means;
  CHECK(means.distance == done.result.cycleDistance);
  CHECK(means.distance > 0.0);
  // The fluid pulls on both walls with half the force on the fluid between them.
  const double shear = 0.5 * 1.0 * height * 1e-4;
  CHECK(means.wallNode.size() == 16);
  for (std::size_t k = 0; k < means.wallNode.size(); ++k) {
    CHECK(means.wallShear[k] * done.fields.stressFactor == Approx(shear).epsilon(2e-3));
    CHECK(means.wallTraction[k][0] == Approx(means.wallShear[k]).epsilon(1e-5));
  }
  CHECK(means.lastStep == done.fields.step);
  for (std::size_t n = 0; n < means.velocity.size(); ++n)
    CHECK(means.velocity[n][0] == Approx(done.fields.velocity[n][0]).epsilon(2e-3));
  // A file with means, and the fields of the phases.
  const Fields last = readFieldsFile(folder.path() / "run.0004.fields");
  CHECK(last.velocity == done.fields.velocity);
  REQUIRE(last.means);
  CHECK(last.means->wallShear == means.wallShear);
  CHECK(last.means->wallNode == means.wallNode);
  CHECK(last.means->pressure == means.pressure);
  CHECK(last.means->distance == means.distance);
  CHECK(last.converged == done.fields.converged);
  const Fields second = readFieldsFile(folder.path() / "run.0002.fields");
  CHECK(second.time == Approx(0.1 * (double(done.result.cycles) - 0.5)).epsilon(1e-3));
  CHECK_FALSE(second.means);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "run.0005.fields"));
}

TEST_CASE(
    "Pulsatile run: mean and magnitude of the wall shear of a pulsating channel are Womersley's",
    "[unit]") {
  using Complex = std::complex<double>;
  const double pi = 3.14159265358979323846;
  const int height = 15;
  const double period = 0.3;
  // Short against the acoustic wavelength of a period, so that compressibility is negligible.
  const TilesFile tiles = planeChannel(24, height);
  SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
  run.tau = 0.53;
  run.steps = 1000000;
  run.pulse = {period, 9, 2e-3, 4, 10};
  const double half = 0.5 * height * 1e-4;
  const double viscosity = 1e-3;
  const Complex lambda = std::sqrt(Complex(0.0, 2.0 * pi / period) / 1e-6) * half;
  // Amplitude of the shear for a mean velocity of amplitude 1; in the limit of a slow one 3 mu / h.
  const double perVelocity =
      std::abs(viscosity / half * lambda * std::tanh(lambda) / (1.0 - std::tanh(lambda) / lambda));
  for (const double steady : {0.0, 0.01}) {
    const double amplitude = 0.004;
    run.openings[0] = pulsating(
        periodicSeries(period,
                       [&](double s) { return steady + amplitude * std::sin(2.0 * pi * s); }),
        Profile::Womersley);
    const TemporaryFolder folder;
    const Done done = runIn(folder, tiles, run, false);
    REQUIRE(done.fields.means);
    const MeanFields& means = *done.fields.means;
    const double traction = 3.0 * viscosity * steady / half;
    const double magnitude = steady > 0.0 ? traction : 2.0 / pi * amplitude * perVelocity;
    CHECK(steady * 3.0 * viscosity / half >= (steady > 0.0 ? amplitude * perVelocity : 0.0));
    // The wall nodes half way along the channel.
    std::size_t looked = 0;
    std::uint64_t node = 0;
    for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
      for (int l = 0; l < tileNodes; ++l) {
        if (tiles.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
        const auto at = std::find(means.wallNode.begin(), means.wallNode.end(), node++);
        if (at == means.wallNode.end() || tiles.geometry.nodeOf(t, l)[0] != 12) continue;
        const auto k = static_cast<std::size_t>(at - means.wallNode.begin());
        const double pa = done.fields.stressFactor;
        INFO("steady " << steady << ", shear " << means.wallShear[k] * pa << " Pa, expected "
                       << magnitude);
        CHECK(means.wallShear[k] * pa == Approx(magnitude).epsilon(0.035));
        CHECK(means.wallTraction[k][0] * pa ==
              Approx(traction).epsilon(0.02).margin(0.02 * magnitude));
        ++looked;
      }
    CHECK(looked == 2);
  }
}

TEST_CASE("Pulsatile run: interrupted in its recorded cycle it gives the same means when resumed",
          "[unit]") {
  const TilesFile tiles = periodicChannel(12);
  SolverCase run = channelCase();
  run.pulse.cycles = 3;
  run.pulse.converged = 0.0;
  run.pulse.meanEvery = 7;
  const TemporaryFolder whole;
  const Done straight = runIn(whole, tiles, run, false);
  REQUIRE(straight.fields.means);
  const std::uint64_t cycle = straight.fields.step / 3;
  for (const std::uint64_t cut : {cycle + 11, 2 * cycle, 2 * cycle + 1, 2 * cycle + cycle / 2}) {
    INFO("cut off after " << cut << " of " << 3 * cycle);
    const TemporaryFolder halves;
    SolverCase first = run;
    first.steps = cut;
    CHECK_FALSE(runIn(halves, tiles, first, false).fields.means);
    const Done second = runIn(halves, tiles, run, true);
    CHECK(second.fields.velocity == straight.fields.velocity);
    REQUIRE(second.fields.means);
    CHECK(second.fields.means->samples == straight.fields.means->samples);
    CHECK(second.fields.means->velocity == straight.fields.means->velocity);
    CHECK(second.fields.means->wallShear == straight.fields.means->wallShear);
    CHECK(second.fields.means->wallTraction == straight.fields.means->wallTraction);
    CHECK(second.result.cycleChange == straight.result.cycleChange);
  }
}

TEST_CASE("Pulsatile run: means on a CUDA device are those on the CPU", "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: means are not compared with the CPU's here");
    return;
  }
  const TilesFile tiles = periodicChannel(12);
  SolverCase run = channelCase();
  run.pulse.cycles = 2;
  const TemporaryFolder first;
  const TemporaryFolder second;
  const Done cpu = runIn(first, tiles, run, false, "cpu");
  const Done cuda = runIn(second, tiles, run, false, "cuda");
  REQUIRE(cpu.fields.means);
  REQUIRE(cuda.fields.means);
  for (std::size_t k = 0; k < cpu.fields.means->wallShear.size(); ++k)
    CHECK(cuda.fields.means->wallShear[k] == Approx(cpu.fields.means->wallShear[k]).epsilon(1e-5));
  for (std::size_t n = 0; n < cpu.fields.means->velocity.size(); ++n)
    CHECK(cuda.fields.means->velocity[n][0] ==
          Approx(cpu.fields.means->velocity[n][0]).epsilon(1e-5));
  // Cut off and resumed there too.
  const TemporaryFolder halves;
  SolverCase cut = run;
  cut.steps = cuda.fields.step * 3 / 4;
  runIn(halves, tiles, cut, false, "cuda");
  const Done resumed = runIn(halves, tiles, run, true, "cuda");
  REQUIRE(resumed.fields.means);
  CHECK(resumed.fields.means->wallShear == cuda.fields.means->wallShear);
  CHECK(resumed.fields.means->velocity == cuda.fields.means->velocity);
}

TEST_CASE("Pulsatile run: a period that does not fit the run is refused", "[unit]") {
  const TilesFile tiles = periodicChannel(12);
  const std::string base =
      fluidOf("1e-6 m2/s").table("solver").with("tau", 0.9).with("precision", "f64").toml();
  const auto refused = [&](const std::string& text, const std::string& part) {
    INFO(text);
    std::string told;
    try {
      prepare(tiles.geometry,
              readSolverCase(CaseFile::parse(base + text, "case.toml"), tiles.geometry), "cpu");
    } catch (const StageError& error) {
      CHECK(error.code() == ExitCode::Usage);
      told = error.what();
    }
    CHECK_THAT(told, Catch::Contains(part));
  };
  refused("[time]\ncycles = 5\n", "period");
  refused("[time]\nperiod = \"1 m\"\n", "period");
  refused("[time]\nperiod = \"1 s\"\ncylces = 5\n", "cycles");
  refused("[time]\nperiod = \"1 s\"\nphases = 0\n", "phases");
  refused("[time]\nperiod = \"10 ms\"\nphases = 100\n", "phases");
  refused("[time]\nperiod = \"1 s\"\n[stop]\nconverged = 1e-6\n", "cycle_converged");
  refused("[time]\nperiod = \"1 s\"\n[output]\nfields_every = 100\n", "fields_every");
  const Setup setup = prepare(
      tiles.geometry,
      readSolverCase(CaseFile::parse(base + "[time]\nperiod = \"1 s\"\ncycles = 4\n", "case.toml"),
                     tiles.geometry),
      "cpu");
  // tau = 0.9 makes 750.00... steps of it; one more is made, each that much shorter.
  CHECK(setup.lattice.scales.timeStep * double(setup.cycles.steps) == Approx(1.0).epsilon(1e-12));
  CHECK(setup.lattice.tau == Approx(0.9).epsilon(2e-3));
  CHECK(setup.run.steps == 4 * setup.cycles.steps);
}
