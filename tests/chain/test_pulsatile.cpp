// SPDX-License-Identifier: GPL-3.0-or-later
// A pulsatile run, and a run that starts from the fields of another, through the programs: a plane
// channel from a picture, whose flow follows its inlet almost instantly (Womersley number 0.7), so
// that at any time it is Poiseuille's, with a wall shear stress of 6 mu U / H at the mean velocity
// U.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <sstream>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;

namespace {

constexpr double mean = 0.01, height = 1.2e-3, period = 4.0;  // m/s, m, s

const std::string channelCase = R"([fluid]
density = 1000
viscosity = "1e-3 Pa.s"
[solver]
lattice = "D2Q9"
precision = "f64"
lattice_velocity = 0.05
[[opening]]
name = "x-"
kind = "velocity"
profile = "parabolic"
)";
const std::string outlet = "[[opening]]\nname = \"x+\"\nkind = \"pressure\"\nvalue = 0\n";

void makeChannel(const WorkFolder& work) {
  work.mustRun("tessera-sample channel2d --size 24,14 -o channel.pgm");
  work.mustRun("tessera-preprocess --voxel 0.1mm --pore 0 --faces x-,x+ channel.pgm -o geom.vdb");
  work.mustRun("tessera-tiler geom.vdb -o geom.tiles");
}

// Mean velocity at the inlet over a period: mean (1 + swing sin).
void writeWaveform(const WorkFolder& work, double swing) {
  std::ostringstream rows;
  rows << "time[s],velocity[m/s]\n";
  for (int k = 0; k <= 40; ++k)
    rows << period * k / 40 << ','
         << mean * (1.0 + swing * std::sin(2.0 * std::numbers::pi * k / 40)) << '\n';
  work.write("inlet.csv", rows.str());
}

const std::string solve = "tessera-solver --backend cpu geom.tiles --report solver.json ";

}  // namespace

TEST_CASE("Pulsatile chain: phases, TAWSS and OSI from waveform to summary", "[pipeline]") {
  const WorkFolder work;
  makeChannel(work);
  // Turns round for a part of the period, at phases where 1 + 2 sin is below 0.
  const double swing = 2.0;
  writeWaveform(work, swing);
  work.write("case.toml", channelCase + "waveform = \"inlet.csv\"\nperiodic = true\n" + outlet +
                              "[time]\nphases = 4\ncycles = 3\n");
  work.mustRun(solve + "--case case.toml -o run.fields");
  const auto cycles = work.json("solver.json").at("cycles");
  CHECK(cycles.at("period_s").get<double>() == Approx(period));
  CHECK(cycles.at("change").get<double>() < 1e-3);
  for (const char* phase : {"1", "2", "3", "4"})
    CHECK(std::filesystem::exists(work.path("run.000" + std::string(phase) + ".fields")));

  work.mustRun("tessera-postprocess --no-pictures run.fields geom.tiles -o out");
  const auto summary = work.json("out/summary.json");
  INFO(summary.dump(2));
  const double shear = 6.0 * 1e-3 * mean / height;
  double magnitude = 0.0;
  for (int k = 0; k < 1000; ++k)
    magnitude += std::abs(1.0 + swing * std::sin(2.0 * std::numbers::pi * k / 1000)) / 1000;
  CHECK(summary.at("tawss_pa").at("p50").get<double>() == Approx(shear * magnitude).epsilon(0.03));
  CHECK(summary.at("osi").at("p50").get<double>() ==
        Approx(0.5 * (1.0 - 1.0 / magnitude)).epsilon(0.03));

  // A quarter of the period on the flow is strongest: mean (1 + swing).
  work.mustRun("tessera-postprocess --no-pictures run.0001.fields geom.tiles -o first");
  const auto strongest = work.json("first/summary.json");
  CHECK(strongest.at("wss_pa").at("p50").get<double>() ==
        Approx(shear * (1.0 + swing)).epsilon(0.03));
}

TEST_CASE(
    "Pulsatile chain: --initial continues from the fields of another run and refuses those of "
    "other tiles",
    "[pipeline]") {
  const WorkFolder work;
  makeChannel(work);
  const std::string steady = channelCase + "mean = \"10 mm/s\"\n" + outlet;
  work.write("steady.toml", steady + "[stop]\nsteps = 20000\nconverged = 1e-6\n");
  work.mustRun(solve + "--case steady.toml -o steady.fields");
  const auto first = work.json("solver.json");
  REQUIRE(first.at("converged").get<bool>());

  // Another time step, started from those fields and from rest.
  work.write("short.toml", steady + "[stop]\nsteps = 200\n[output]\nmonitor_every = 20\n");
  work.mustRun("sed -i 's/lattice_velocity = 0.05/lattice_velocity = 0.04/' short.toml");
  work.mustRun(solve + "--case short.toml --initial steady.fields -o on.fields");
  const auto goneOn = work.json("solver.json");
  work.mustRun(solve + "--case short.toml -o rest.fields");
  const auto fromRest = work.json("solver.json");
  const auto off = [&](const nlohmann::json& report, const char* what, std::size_t opening) {
    const double expected = first.at("openings").at(opening).at(what).get<double>();
    return std::abs(report.at("openings").at(opening).at(what).get<double>() / expected - 1.0);
  };
  CHECK(off(goneOn, "flow_rate_m3_s", 1) < 2e-3);
  CHECK(off(goneOn, "mean_pressure_pa", 0) < 0.02);
  CHECK(off(fromRest, "mean_pressure_pa", 0) > 0.1);

  work.mustRun("tessera-tiler --offset 1,0,0 geom.vdb -o other.tiles");
  checkRefused(work,
               "tessera-solver --backend cpu --quiet other.tiles --case short.toml"
               " --initial steady.fields -o wrong.fields",
               3, "steady.fields");
}
