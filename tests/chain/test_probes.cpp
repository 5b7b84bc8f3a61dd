// SPDX-License-Identifier: GPL-3.0-or-later
// [[probe]] and [[station]]: velocity and pressure at points, flow rate and pressure of
// cross-sections in the monitor, against the fields of the same moment.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

// Flow through a tube of 8 nodes across; the monitor's row 100 and the fields of step 101 are of
// one state.
std::string probeCase(int steps, const std::string& more) {
  return "[fluid]\ndensity = \"1000 kg/m3\"\nviscosity = \"1e-6 m2/s\"\n"
         "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"0.01 m/s\"\n"
         "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"0 Pa\"\n"
         "[stop]\nsteps = " +
         std::to_string(steps) +
         "\nconverged = 1e-15\nrequire_convergence = true\n"
         "[output]\nmonitor_every = 50\nfields_every = 101\n" +
         more;
}

const std::string probes =
    "[[probe]]\nname = \"axis\"\nat = \"0.1 mm, 0.2 mm, 5.3 mm\"\n"
    "[[probe]]\nat = [\"1.5 mm\", 0, \"5.3 mm\"]\n";

const std::string stations =
    "[[station]]\nname = \"middle\"\nat = \"0, 0, 5.1 mm\"\nnormal = [0, 0, 1]\n"
    "[[station]]\nat = [\"1 mm\", 0, \"2.5 mm\"]\nnormal = [0.4, 0, -2]\n"
    "[[station]]\nname = \"core\"\nat = \"0, 0, 5.1 mm\"\nnormal = [0, 0, 1]\nradius = \"1 mm\"\n";

void makeTube(const WorkFolder& work) {
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '10 mm' --direction 0,0,1 -o t.stl");
  work.mustRun("tessera-preprocess --quiet --unit mm --across 8 t.stl --report r.json -o t.vdb");
  work.mustRun("tessera-tiler --quiet t.vdb -o t.tiles");
}

// Values of a row of a CSV file by column.
std::map<std::string, double> rowOf(const std::string& csv, const std::string& column,
                                    double value) {
  std::istringstream lines(csv);
  std::string line, cell;
  std::vector<std::string> names;
  for (std::map<std::string, double> row; std::getline(lines, line); row.clear()) {
    std::istringstream cells(line);
    for (std::size_t c = 0; std::getline(cells, cell, ','); ++c)
      if (names.empty() || c >= names.size())
        names.push_back(cell);
      else
        row[names[c]] = std::strtod(cell.c_str(), nullptr);
    if (row.contains(column) && std::abs(row[column] - value) < 1e-12) return row;
  }
  return {};
}

// Row of the monitor at a step of a run in the tube that the case's limit of steps ends.
std::map<std::string, double> monitorRow(const WorkFolder& work, const std::string& caseText,
                                         double step) {
  makeTube(work);
  work.write("case.toml", caseText);
  CHECK(work.run("tessera-solver --quiet t.tiles --case case.toml -o run.fields").code == 1);
  return rowOf(readWhole(work.path("run.monitor.csv")), "step", step);
}

}  // namespace

TEST_CASE("Probes: the monitor has the velocity and pressure that the fields have there",
          "[pipeline]") {
  const WorkFolder work;
  auto row = monitorRow(work, probeCase(160, probes), 100);
  REQUIRE(row.contains("probe_axis_velocity_z[m/s]"));
  work.mustRun(
      "tessera-postprocess --quiet run.0001.fields -o out --line 'a=0.1 mm,0.2 mm,5.3 mm;1.5 mm,0,"
      "5.3 mm;2'");
  const std::string lines = readWhole(work.path("out/lines.csv"));
  for (const std::string probe : {"axis", "2"}) {
    INFO(probe);
    const auto at = rowOf(lines, "x[m]", probe == "axis" ? 1e-4 : 1.5e-3);
    for (const std::string quantity :
         {"pressure[Pa]", "velocity_x[m/s]", "velocity_y[m/s]", "velocity_z[m/s]"})
      CHECK(row["probe_" + probe + "_" + quantity] ==
            Approx(at.at(quantity)).epsilon(1e-5).margin(1e-9));
  }
  CHECK(row["probe_axis_velocity_z[m/s]"] != 0.0);
}

TEST_CASE("Stations: the monitor has the flow and pressure of cross-sections of the fields",
          "[pipeline]") {
  const WorkFolder work;
  auto row = monitorRow(work, probeCase(160, stations), 100);
  work.mustRun(
      "tessera-postprocess --quiet run.0001.fields -o out --plane 'middle=0,0,5.1 mm;0,0,1' "
      "--plane "
      "'2=1 mm,0,2.5 mm;0.4,0,-2'");
  const std::string planes = readWhole(work.path("out/planes.csv"));
  for (const auto& [station, z] : {std::pair{"middle", 5.1e-3}, {"2", 2.5e-3}}) {
    INFO(station);
    const std::string name = std::string("station_") + station;
    const auto plane = rowOf(planes, "point_z[m]", z);
    REQUIRE(row.contains(name + "_flow_rate[m3/s]"));
    // Planes of fields fall to zero halfway at walls, and lose some of the flow of 8 nodes across.
    CHECK(row[name + "_flow_rate[m3/s]"] == Approx(plane.at("flow_rate[m3/s]")).epsilon(0.08));
    CHECK(row[name + "_pressure[Pa]"] == Approx(plane.at("mean_pressure[Pa]")).epsilon(1e-3));
    CHECK(row[name + "_velocity[m/s]"] == Approx(plane.at("mean_velocity[m/s]")).epsilon(0.08));
    CHECK(row[name + "_flow_rate[m3/s]"] != 0.0);
  }
  // The inner quarter of the section at up to twice the mean velocity.
  CHECK(row["station_core_velocity[m/s]"] > 1.1 * row["station_middle_velocity[m/s]"]);
  CHECK(row["station_core_flow_rate[m3/s]"] < 0.6 * row["station_middle_flow_rate[m3/s]"]);
  CHECK(fs::exists(work.path("out/places.png")));
  CHECK_THAT(readWhole(work.path("out/report.html")), Catch::Contains("Probes and stations"));
}

TEST_CASE("Stations: in a steady tube their flow is that of the inlet", "[pipeline]") {
  const WorkFolder work;
  auto row = monitorRow(work, probeCase(4000, stations), 3950);
  REQUIRE(row.contains("flow_rate_1[m3/s]"));
  const double inflow = -row["flow_rate_1[m3/s]"];
  CHECK(inflow > 0.0);
  CHECK(row["station_middle_flow_rate[m3/s]"] == Approx(inflow).epsilon(0.02));
  CHECK(row["station_2_flow_rate[m3/s]"] == Approx(-inflow).epsilon(0.02));
  CHECK(row["station_2_pressure[Pa]"] > row["station_middle_pressure[Pa]"]);
}

TEST_CASE("Probes: a resumed run continues their columns, with the same probes only",
          "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.write("case.toml", probeCase(200, probes + stations));
  CHECK(work.run("tessera-solver --quiet t.tiles --case case.toml -o whole.fields").code == 1);
  work.write("case.toml", probeCase(100, probes + stations));
  CHECK(work.run("tessera-solver --quiet t.tiles --case case.toml -o part.fields").code == 1);
  for (const char* more : {"[[probe]]\nat = [0, 0, 0.001]\n",
                           "[[station]]\nat = [0, 0, 0.001]\nnormal = [0, 0, 1]\n"}) {
    work.write("case.toml", probeCase(200, probes + stations + more));
    CHECK(
        work.run("tessera-solver --quiet t.tiles --case case.toml --resume -o part.fields").code ==
        3);
  }
  work.write("case.toml", probeCase(200, probes + stations));
  CHECK(work.run("tessera-solver --quiet t.tiles --case case.toml --resume -o part.fields").code ==
        1);
  CHECK(readWhole(work.path("part.monitor.csv")) == readWhole(work.path("whole.monitor.csv")));
}

TEST_CASE("Probes and stations: in the solid, two of one name and other mistakes are refused",
          "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  for (const auto& [more, words] :
       {std::pair<std::string, std::string>{"[[probe]]\nat = [0.1, 0, 0]\n", "outside"},
        {"[[probe]]\nname = \"2\"\nat = [0, 0, 0.001]\n[[probe]]\nat = [0, 0, 0.002]\n",
         "two probes"},
        {"[[probe]]\nname = \"a,b\"\nat = [0, 0, 0.001]\n", "letters"},
        {"[[probe]]\nname = \"a\"\n", "at = "},
        {"[[probe]]\nat = [0, 0, 0.001]\nevery = 5\n", "every"},
        {"[[station]]\nat = [0.1, 0, 0]\nnormal = [1, 0, 0]\n", "outside"},
        {"[[station]]\nat = [0, 0, 0.001]\n", "requires the normal"},
        {"[[station]]\nat = [0, 0, 0.001]\nnormal = [0, 0, 0]\n", "requires the normal"},
        {"[[station]]\nnormal = [0, 0, 1]\n", "a station requires its place"},
        {"[[station]]\nat = [0, 0, 0.001]\nnormal = [0, 0, 1]\nradius = 0\n", "above 0"},
        {"[[station]]\nat = [0, 0, 0.001]\nnormal = [0, 0, 1]\nradius = \"3 s\"\n", "radius"},
        {"[[station]]\nname = \"a\"\nat = [0, 0, 0.001]\nnormal = [0, 0, 1]\n[[station]]\nname = "
         "\"a\"\nat = [0, 0, 0.002]\nnormal = [0, 0, 1]\n",
         "two stations"}}) {
    INFO(more);
    work.write("case.toml", probeCase(10, more));
    checkRefused(work, "tessera-solver t.tiles --case case.toml -o run.fields", 2, words);
  }
}
