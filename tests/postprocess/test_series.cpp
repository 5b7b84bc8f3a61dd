// SPDX-License-Identifier: GPL-3.0-or-later
// Several fields of one run, and units of length, as a user of tessera-postprocess has them.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tiler/file/tiles_file.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

// The Poiseuille pipe at three times, with once, twice and three times the flow.
struct PulseOnDisk {
  TemporaryFolder folder;
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});

  PulseOnDisk() {
    pipe.geometry.frame.lengthUnit = lengthUnitOf(1e-3);
    writeTilesFile(folder / "geom.tiles", pipe.geometry, newProvenance("test"));
    pipe.fields.tilesName = "geom.tiles";
    pipe.fields.tilesHash = readTilesFile(folder / "geom.tiles").contentHash;
    pipe.fields.provenance = newProvenance("test");
    for (std::uint64_t k = 1; k <= 3; ++k) write("pulse.000" + std::to_string(k) + ".fields", k);
  }
  void write(const std::string& name, std::uint64_t k, const std::string& caseText = "") {
    Fields fields = pipe.fields;
    const auto times = static_cast<double>(k);
    fields.step = 100 * k;
    fields.time = 0.25 * times;
    fields.caseText = caseText;
    fields.velocityFactor *= times;
    fields.stressFactor *= times;
    for (OpeningResult& opening : fields.openings) opening.flowRate *= times;
    writeFieldsFile(folder / name, fields);
  }
  // Exit code; stdout and stderr go to files.
  [[nodiscard]] int run(const std::string& arguments) const {
    const std::string command = "cd '" + folder.path().string() +
                                "' && '" TESSERA_BIN "/tessera-postprocess' " + arguments +
                                " >stdout 2>stderr";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(folder / name); }
};

// Values of a column, as text.
std::vector<std::string> columnOf(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::string line, cell;
  std::vector<std::string> values;
  std::size_t at = 0;
  for (std::size_t row = 0; std::getline(lines, line); ++row) {
    std::istringstream cells(line);
    for (std::size_t c = 0; std::getline(cells, cell, ','); ++c) {
      if (row == 0 && cell == name) at = c + 1;
      if (row > 0 && c + 1 == at) values.push_back(cell);
    }
  }
  return values;
}

// Frames that an animated PNG declares.
int framesOf(const std::string& png) {
  const std::size_t at = png.find("acTL");
  return at == std::string::npos ? 0 : static_cast<unsigned char>(png[at + 7]);
}

}  // namespace

TEST_CASE("Series: several fields become one folder over time, in any order", "[pipeline]") {
  const PulseOnDisk disk;
  REQUIRE(disk.run("pulse.0003.fields pulse.0001.fields pulse.0002.fields -o out --threads 2") ==
          0);
  CHECK(columnOf(disk.text("out/openings.csv"), "time[s]") ==
        std::vector<std::string>{"0.25", "0.25", "0.5", "0.5", "0.75", "0.75"});
  const auto rates = columnOf(disk.text("out/openings.csv"), "flow_rate[m3/s]");
  CHECK(std::stod(rates[4]) == Approx(3.0 * std::stod(rates[0])));
  CHECK(columnOf(disk.text("out/wss_percentiles.csv"), "time[s]").size() == 15);
  const auto shear = columnOf(disk.text("out/series.csv"), "wss_mean[Pa]");
  REQUIRE(shear.size() == 3);
  CHECK(std::stod(shear[1]) == Approx(2.0 * disk.pipe.wallShear()).epsilon(0.02));
  const auto summary = nlohmann::json::parse(disk.text("out/summary.json"));
  REQUIRE(summary.at("series").size() == 3);
  CHECK(summary.at("series")[0].at("name") == "pulse.0001.fields");
  CHECK(summary.at("run").at("time_s") == 0.75);
  CHECK(summary.at("provenance").at("inputs").size() == 4);
  CHECK(disk.text("out/report.html").find("<h1>pulse</h1>") != std::string::npos);
  const std::string table = disk.text("stdout");
  for (const char* expected : {"3 moments from 250 ms to 750 ms", "out/wall.pvd",
                               "out/wall_wss_animation.png", "lengths mm"})
    CHECK(table.find(expected) != std::string::npos);
}

TEST_CASE("Series: files of ParaView, animations and the report's slider have every time",
          "[pipeline]") {
  const PulseOnDisk disk;
  REQUIRE(disk.run("pulse.*.fields -o out --export vtkhdf,vtu --threads 1") == 0);
  for (const std::string kind : {"fields", "wall", "openings"}) {
    INFO(kind);
    const std::string list = disk.text("out/" + kind + ".pvd");
    const std::string ending = kind == "fields" ? ".vtu" : ".vtp";
    CHECK(list.find("timestep=\"0.5\" part=\"0\" file=\"series/" + kind + "_0001" + ending) !=
          std::string::npos);
    for (const char* number : {"0000", "0001", "0002"})
      CHECK(disk.has("out/series/" + kind + "_" + number + ending));
  }
  CHECK(disk.has("out/fields.vtkhdf"));
  CHECK(disk.has("out/series.svg"));
  CHECK(framesOf(disk.text("out/wall_wss_animation.png")) == 3);
  CHECK(framesOf(disk.text("out/velocity_slice_animation.png")) == 3);
  const std::string page = disk.text("out/report.html");
  CHECK(page.find("class=\"view-time\"") != std::string::npos);
  CHECK(page.find("\"t = 0.5000 s\"") != std::string::npos);
  REQUIRE(disk.run("pulse.*.fields -o again --export vtkhdf,vtu --threads 2") == 0);
  const std::string same = "diff -r '" + (disk.folder / "out").string() + "' '" +
                           (disk.folder / "again").string() + "' >/dev/null";
  CHECK(std::system(same.c_str()) == 0);
}

TEST_CASE("Series: fields of another case or geometry, and options of single runs, are refused",
          "[pipeline]") {
  PulseOnDisk disk;
  disk.write("other.fields", 4, "[stop]\nsteps = 1\n");
  CHECK(disk.run("pulse.0001.fields other.fields -o out") == 3);
  CHECK(disk.text("stderr").find("other.fields is of another case than pulse.0001.fields") !=
        std::string::npos);
  disk.pipe.fields.tilesHash = std::string(32, '0');
  disk.write("moved.fields", 5);
  CHECK(disk.run("pulse.0001.fields moved.fields -o out") == 3);
  CHECK(disk.text("stderr").find("another geometry") != std::string::npos);
  CHECK(disk.run("pulse.*.fields --with pulse.0001.fields -o out") == 2);
  CHECK(disk.run("pulse.*.fields notes.txt -o out") == 2);
  CHECK_FALSE(disk.has("out"));
}

TEST_CASE("Series: two files of one time count once, and --plan lists the times", "[pipeline]") {
  PulseOnDisk disk;
  disk.write("pulse.fields", 3);
  REQUIRE(disk.run("pulse.0001.fields pulse.0003.fields pulse.fields geom.tiles --plan -o out") ==
          0);
  CHECK(disk.text("stdout").find("2 moments") != std::string::npos);
  CHECK(disk.text("stderr").find("same time") != std::string::npos);
  CHECK_FALSE(disk.has("out"));
}

TEST_CASE("Units: tables are in metres, or all in the unit that --length-unit names",
          "[pipeline]") {
  const PulseOnDisk disk;
  REQUIRE(disk.run("--no-pictures pulse.0001.fields -o out") == 0);
  REQUIRE(disk.run("--no-pictures pulse.0001.fields --length-unit mm -o mm") == 0);
  const std::string metres = disk.text("out/openings.csv"), mm = disk.text("mm/openings.csv");
  CHECK(mm.substr(0, mm.find('\n')).find("[m]") == std::string::npos);
  for (const auto& [name, factor] :
       {std::pair<std::string, double>{"radius[m", 1e3}, {"centre_y[m", 1e3}}) {
    const double si = std::stod(columnOf(metres, name + "]").at(0));
    CHECK(std::stod(columnOf(mm, name + "m]").at(0)) == Approx(factor * si));
  }
  CHECK(std::stod(columnOf(mm, "area[mm2]").at(0)) ==
        Approx(1e6 * std::stod(columnOf(metres, "area[m2]").at(0))));
  CHECK(columnOf(mm, "flow_rate[m3/s]") == columnOf(metres, "flow_rate[m3/s]"));
  CHECK(disk.text("out/wall.vtp") == disk.text("mm/wall.vtp"));  // the input's unit is mm
  REQUIRE(disk.run("--no-pictures pulse.0001.fields --length-unit m -o m") == 0);
  CHECK(disk.text("out/wall.vtp") != disk.text("m/wall.vtp"));
  const auto summary = nlohmann::json::parse(disk.text("m/summary.json"));
  CHECK(summary.at("run").at("vtk_length_unit") == "m");
  CHECK(summary.at("run").contains("spacing_m"));
  CHECK(disk.run("pulse.0001.fields --length-unit inch -o x") == 2);
}
