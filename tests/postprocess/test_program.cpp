// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-postprocess as a user calls it: the folder it leaves, its exit codes, and what other
// programs read from it.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analytic_pipe.hpp"
#include "tiler/tiles_file.hpp"

using namespace tessera;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

// A run on disk: the Poiseuille pipe's geom.tiles and run.fields in a folder of their own.
struct RunOnDisk {
  fs::path folder = fs::temp_directory_path() / ("postprocess_" + std::to_string(::getpid()));
  AnalyticPipe pipe = analyticPipe({8.0, 24.0});

  RunOnDisk() {
    fs::remove_all(folder);
    fs::create_directory(folder);
    writeTilesFile(folder / "geom.tiles", pipe.geometry, newProvenance("test"));
    pipe.fields.tilesHash = readTilesFile(folder / "geom.tiles").contentHash;
    pipe.fields.provenance = newProvenance("test");
    pipe.fields.monitorColumns = {"step", "time[s]", "flow_rate_1[m3/s]"};
    pipe.fields.monitorRows = {0, 0, -1e-6, 100, 0.5, -2e-6};
    writeFieldsFile(folder / "run.fields", pipe.fields);
  }
  RunOnDisk(const RunOnDisk&) = delete;
  RunOnDisk& operator=(const RunOnDisk&) = delete;
  ~RunOnDisk() { fs::remove_all(folder); }

  // Exit code; stdout and stderr go to files beside.
  [[nodiscard]] int run(const std::string& arguments) const {
    const std::string command = "cd '" + folder.string() +
                                "' && '" TESSERA_BIN "/tessera-postprocess' " + arguments +
                                " >stdout 2>stderr";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

std::size_t linesOf(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a run becomes a folder of results", "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o out --report report.json") == 0);
  const auto summary = nlohmann::json::parse(disk.text("out/summary.json"));
  CHECK(disk.text("report.json") == disk.text("out/summary.json"));
  CHECK(summary.at("schema_version") == 1);
  CHECK(summary.at("openings").size() == 2);
  CHECK(summary.at("openings")[0].at("flow_rate_m3_s").get<double>() ==
        Approx(-disk.pipe.flowRate()));
  CHECK(summary.at("openings")[1].at("flow_rate_inside_m3_s").get<double>() ==
        Approx(disk.pipe.flowRate()).epsilon(0.03));
  CHECK(summary.at("pressure_drop_pa").get<double>() ==
        Approx(disk.pipe.gradient * disk.pipe.length()));
  CHECK(summary.at("mass_residual") == 0.0);
  CHECK(summary.at("wss_pa").at("mean").get<double>() ==
        Approx(disk.pipe.wallShear()).epsilon(0.01));
  CHECK(summary.at("forces_n").contains("wall"));
  CHECK_FALSE(summary.contains("permeability_m2"));
  CHECK(linesOf(disk.text("out/openings.csv")) == 3);
  CHECK(linesOf(disk.text("out/wss_percentiles.csv")) == 6);
  CHECK(disk.text("out/monitor.csv") ==
        "step,time[s],flow_rate_1[m3/s]\n0,0,-1e-06\n100,0.5,-2e-06\n");
  const std::string table = disk.text("stdout");
  for (const char* expected :
       {"inlet", "outlet", "pressure drop", "wall shear stress", "out/report.html", "Next:"})
    CHECK(table.find(expected) != std::string::npos);
}

TEST_CASE("the same bytes on any number of threads, and again", "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o one --threads 1") == 0);
  REQUIRE(disk.run("geom.tiles run.fields -o two --threads 2") == 0);
  for (const auto& entry : fs::directory_iterator(disk.folder / "one")) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK(disk.text("one/" + name) == disk.text("two/" + name));
  }
}

TEST_CASE("planes are reduced by name", "[pipeline]") {
  const RunOnDisk disk;
  const Double3 m = disk.pipe.middle;
  const std::string point =
      std::to_string(1e3 * m[0]) + " mm," + std::to_string(m[1]) + "," + std::to_string(m[2]);
  REQUIRE(disk.run("run.fields -o out --plane 'neck=" + point + ";0.48,0.6,0.64' --plane '" +
                   point + ";-0.48,-0.6,-0.64'") == 0);
  const auto planes = nlohmann::json::parse(disk.text("out/summary.json")).at("planes");
  REQUIRE(planes.size() == 2);
  CHECK(planes[0].at("name") == "neck");
  CHECK(planes[1].at("name") == "plane2");
  CHECK(planes[0].at("flow_rate_m3_s").get<double>() == Approx(disk.pipe.flowRate()).epsilon(0.03));
  CHECK(planes[1].at("flow_rate_m3_s").get<double>() ==
        Approx(-planes[0].at("flow_rate_m3_s").get<double>()).epsilon(1e-3));
  CHECK(linesOf(disk.text("out/planes.csv")) == 3);
}

TEST_CASE("old results stay until the new ones are whole, other folders are left alone",
          "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o out") == 0);
  std::ofstream(disk.folder / "out/mine.txt") << "note\n";
  REQUIRE(disk.run("run.fields -o out --plane '0,0,0;0,0,1'") == 2);
  CHECK(fs::exists(disk.folder / "out/mine.txt"));
  REQUIRE(disk.run("run.fields -o out/") == 0);
  CHECK_FALSE(fs::exists(disk.folder / "out/mine.txt"));
  CHECK(fs::exists(disk.folder / "out/summary.json"));
  CHECK(disk.run("run.fields -o .") == 2);
  CHECK(fs::exists(disk.folder / "run.fields"));
  CHECK(disk.run("run.fields -o run.fields") == 2);
  CHECK(disk.run("run.fields -o none/out") == 4);
  for (const auto& entry : fs::directory_iterator(disk.folder))
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("bad input: one sentence, the contract's exit code, no target", "[pipeline]") {
  RunOnDisk disk;
  const auto refused = [&](const std::string& arguments, int code, const std::string& says) {
    INFO(arguments);
    CHECK(disk.run(arguments) == code);
    const std::string said = disk.text("stderr");
    INFO(said);
    CHECK(linesOf(said) == 1);
    CHECK(said.find(says) != std::string::npos);
    CHECK_FALSE(fs::exists(disk.folder / "out"));
  };
  refused("run.fields", 2, "-o");
  refused("run.fields -o out --plane '1,2;0,0,1'", 2, "x,y,z;nx,ny,nz");
  refused("run.fields -o out --plane '1,2,3;0,0,0'", 2, "x,y,z;nx,ny,nz");
  refused("none.fields -o out", 3, "none.fields");
  refused("geom.tiles -o out", 3, "geom.tiles");
  refused("run.fields none.tiles -o out", 3, "none.tiles");
  const auto size = fs::file_size(disk.folder / "run.fields");
  fs::copy_file(disk.folder / "run.fields", disk.folder / "short.fields");
  fs::resize_file(disk.folder / "short.fields", size / 2);
  refused("short.fields -o out", 3, "short.fields");
  disk.pipe.fields.tilesHash = std::string(32, '0');
  writeFieldsFile(disk.folder / "other.fields", disk.pipe.fields);
  refused("other.fields -o out", 3, "another geometry");
  disk.pipe.fields.tilesName = "away.tiles";
  writeFieldsFile(disk.folder / "away.fields", disk.pipe.fields);
  refused("away.fields -o out", 3, "second input");
}

TEST_CASE("--plan writes nothing", "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o out --plan") == 0);
  CHECK_FALSE(fs::exists(disk.folder / "out"));
  CHECK(disk.text("stdout").find("memory") != std::string::npos);
}
