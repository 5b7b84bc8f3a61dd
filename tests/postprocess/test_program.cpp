// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-postprocess as a user calls it: its folder, its exit codes, and the files as other
// programs read them.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tiler/file/tiles_file.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::solver::file;
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

  // Exit code; stdout and stderr go to files.
  [[nodiscard]] int run(const std::string& arguments) const {
    const std::string command = "cd '" + folder.string() +
                                "' && '" TESSERA_BIN "/tessera-postprocess' " + arguments +
                                " >stdout 2>stderr";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Place on the pipe's axis so many lengths from its middle, as a command line has it.
  [[nodiscard]] std::string pointOnAxis(double part) const {
    const Double3 place = pipe.middle + (part * pipe.length()) * pipe.spec.direction;
    return std::to_string(1e3 * place[0]) + " mm," + std::to_string(1e3 * place[1]) + " mm," +
           std::to_string(1e3 * place[2]) + " mm";
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

TEST_CASE("tessera-postprocess: a run becomes a folder of results", "[pipeline]") {
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

TEST_CASE("tessera-postprocess: the advice to continue a run depends on its stop rule",
          "[pipeline]") {
  RunOnDisk disk;
  const auto next = [&](bool converged, const std::string& caseText) {
    disk.pipe.fields.converged = converged;
    disk.pipe.fields.caseText = caseText;
    writeFieldsFile(disk.folder / "run.fields", disk.pipe.fields);
    REQUIRE(disk.run("run.fields --no-pictures -o out") == 0);
    const std::string table = disk.text("stdout");
    return table.substr(table.find("Next: "));
  };
  CHECK_THAT(next(true, ""), Catch::Contains("spacing") && !Catch::Contains("--resume"));
  CHECK_THAT(next(false, "[stop]\nconverged = 1e-6\n"), Catch::Contains("--resume"));
  CHECK_THAT(next(false, "[time]\ncycles = 2\n"), Catch::Contains("--resume"));
  const std::string fixed = next(false, "[stop]\nsteps = 10\n");
  CHECK_THAT(fixed, Catch::Contains("--initial run.fields") && !Catch::Contains("--resume"));
}

TEST_CASE("tessera-postprocess: the bytes do not depend on the number of threads or repetition",
          "[pipeline]") {
  const RunOnDisk disk;
  const std::string asked =
      " --stations 5 --line '" + disk.pointOnAxis(-0.3) + ";" + disk.pointOnAxis(0.3) + ";9'";
  REQUIRE(disk.run("run.fields -o one --threads 1" + asked) == 0);
  REQUIRE(disk.run("geom.tiles run.fields -o two --threads 2" + asked) == 0);
  for (const auto& entry : fs::directory_iterator(disk.folder / "one")) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK(disk.text("one/" + name) == disk.text("two/" + name));
  }
}

TEST_CASE("tessera-postprocess: planes are reduced by name", "[pipeline]") {
  const RunOnDisk disk;
  const Double3 m = disk.pipe.middle;
  const std::string point =
      std::to_string(1e3 * m[0]) + " mm," + std::to_string(m[1]) + "," + std::to_string(m[2]);
  REQUIRE(disk.run("run.fields --no-pictures -o out --plane 'neck=" + point +
                   ";0.48,0.6,0.64' --plane '" + point + ";-0.48,-0.6,-0.64'") == 0);
  const auto planes = nlohmann::json::parse(disk.text("out/summary.json")).at("planes");
  REQUIRE(planes.size() == 2);
  CHECK(planes[0].at("name") == "neck");
  CHECK(planes[1].at("name") == "plane2");
  CHECK(planes[0].at("flow_rate_m3_s").get<double>() == Approx(disk.pipe.flowRate()).epsilon(0.03));
  CHECK(planes[1].at("flow_rate_m3_s").get<double>() ==
        Approx(-planes[0].at("flow_rate_m3_s").get<double>()).epsilon(1e-3));
  CHECK(linesOf(disk.text("out/planes.csv")) == 3);
}

TEST_CASE("tessera-postprocess: stations, lines and coefficients are chosen by options",
          "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields --no-pictures -o out --stations 6 --line 'axis=" +
                   disk.pointOnAxis(-0.4) + ";" + disk.pointOnAxis(0.4) +
                   ";11' --reference-velocity '10 cm/s' --reference-area '2 mm2' "
                   "--flow-direction 0.48,0.6,0.64 --body wall --moments-about 1,0,0") == 0);
  const auto summary = nlohmann::json::parse(disk.text("out/summary.json"));
  CHECK(summary.at("centrelines")[0].at("stations") == 6);
  for (const char* row : {"centreline 1-2", "resistance", "drag coefficient"})
    CHECK(disk.text("stdout").find(row) != std::string::npos);
  CHECK(summary.at("centrelines")[0].at("name") == "1-2");
  CHECK(linesOf(disk.text("out/stations.csv")) == 7);
  CHECK(summary.at("lines")[0].at("points_inside") == 11);
  CHECK(linesOf(disk.text("out/lines.csv")) == 12);
  CHECK(disk.text("out/lines.csv").find("\naxis,0,") != std::string::npos);
  const double area = 3.14159265 * std::pow(disk.pipe.radius(), 2);
  const double drag = disk.pipe.gradient * area * disk.pipe.length();
  CHECK(summary.at("force_coefficients").at("drag").get<double>() ==
        Approx(drag / (0.5 * 1000.0 * 0.01 * 2e-6)).epsilon(0.01));
  CHECK(summary.at("moments_about_m")[0] == 1.0);
  CHECK(summary.at("by_wall_label").at("wss[Pa]").at("wall").at("p95").get<double>() ==
        Approx(disk.pipe.wallShear()).epsilon(0.01));
  CHECK(linesOf(disk.text("out/wall_statistics.csv")) == 2);

  std::ofstream(disk.folder / "way.csv") << "x,y,z\n0,0,0\n";
  CHECK(disk.run("run.fields -o other --centreline way.csv") == 3);
}

TEST_CASE(
    "tessera-postprocess: exports are chosen by options, and are the same bytes on any number of "
    "threads",
    "[pipeline]") {
  const RunOnDisk disk;
  const std::string asked = " --export vtu,vti,vdb --fields vorticity,q --every 2 --slice 'z=" +
                            std::to_string(1e3 * disk.pipe.middle[2]) + " mm'";
  REQUIRE(disk.run("run.fields -o one --threads 1" + asked) == 0);
  REQUIRE(disk.run("run.fields -o two --threads 2" + asked) == 0);
  CHECK_FALSE(fs::exists(disk.folder / "one/fields.vtkhdf"));
  CHECK(disk.text("stdout").find("two/fields.vdb") != std::string::npos);
  CHECK(disk.text("stdout").find("vtkhdf") == std::string::npos);
  for (const char* name : {"fields.vtu", "fields.vti", "fields.vdb"}) {
    INFO(name);
    CHECK(disk.text(std::string("one/") + name).size() > 1000);
    CHECK(disk.text(std::string("one/") + name) == disk.text(std::string("two/") + name));
  }
  const auto summary = nlohmann::json::parse(disk.text("one/summary.json"));
  CHECK(summary.at("provenance").dump().find("vtu,vti,vdb") != std::string::npos);
}

TEST_CASE("tessera-postprocess: runs along three axes give the permeability tensor", "[pipeline]") {
  const RunOnDisk disk;
  const TiledGeometry medium =
      imageGeometry({9, 8, 8}, {true, true, true}, [](int x, int, int) { return x > 2; });
  writeTilesFile(disk.folder / "rock.tiles", medium, newProvenance("test"));
  Fields fields = emptyFields(medium);
  fields.tilesName = "rock.tiles";
  fields.tilesHash = readTilesFile(disk.folder / "rock.tiles").contentHash;
  fields.provenance = newProvenance("test");
  for (std::size_t a = 0; a < 3; ++a) {
    fields.bodyForce = {};
    fields.bodyForce[a] = 10.0;
    std::array<float, 3> velocity{};
    velocity[a] = 1e-4F * static_cast<float>(a);
    velocity[(a + 1) % 3] = 1e-6F;
    for (auto& u : fields.velocity) u = velocity;
    writeFieldsFile(disk.folder / ("xyz"[a] + std::string(".fields")), fields);
  }
  REQUIRE(disk.run("x.fields --no-pictures --with y.fields --with z.fields -o out") == 0);
  const auto summary = nlohmann::json::parse(disk.text("out/summary.json"));
  const auto& tensor = summary.at("permeability_tensor");
  const double one = 1e-3 * 0.25 * (6.0 / 9.0) / 10.0;  // mu, velocity factor, porosity, force
  CHECK(tensor.at("value_m2")[1][1].get<double>() == Approx(1e-4 * one));
  CHECK(tensor.at("value_m2")[2][2].get<double>() == Approx(2e-4 * one));
  CHECK(tensor.at("value_m2")[1][0].get<double>() == Approx(1e-6 * one));
  CHECK(tensor.at("runs").size() == 3);
  CHECK(summary.at("provenance").at("inputs").size() == 4);
  fields.converged = true;
  writeFieldsFile(disk.folder / "steady.fields", fields);
  REQUIRE(disk.run("steady.fields --no-pictures -o steady") == 0);
  const std::string said = disk.text("stdout");
  CHECK_THAT(said, Catch::Contains("nodes across on average") &&
                       Catch::Contains("compare the permeability"));
  const std::string line = said.substr(said.find("permeability "), 100);
  CHECK(line.find(" m2 +- ") < line.find(" mD, porosity "));
  // The velocity grows less than the force.
  fields.bodyForce = {0.0, 0.0, 15.0};
  for (auto& u : fields.velocity) u = {0.0F, 0.0F, 2.5e-4F};
  writeFieldsFile(disk.folder / "fast.fields", fields);
  REQUIRE(disk.run("z.fields --no-pictures --forchheimer fast.fields -o inertia") == 0);
  const auto law = nlohmann::json::parse(disk.text("inertia/summary.json")).at("forchheimer");
  CHECK(law.at("permeability_m2").get<double>() > 2e-4 * one);
  CHECK(law.at("coefficient_1_m").get<double>() > 0.0);
  CHECK(law.at("runs")[1].at("name") == "fast.fields");
  CHECK(disk.run("z.fields --forchheimer x.fields -o other") == 3);
  CHECK(disk.run("z.fields --geometry-report z.fields -o other") == 3);
  CHECK(disk.run("x.fields --with y.fields -o other") == 2);
  CHECK(disk.run("x.fields --with y.fields --with run.fields -o other") == 3);
  CHECK(disk.run("run.fields --with y.fields --with z.fields -o other") == 3);
  CHECK_FALSE(fs::exists(disk.folder / "other"));
}

TEST_CASE(
    "tessera-postprocess: old results stay until the new ones are complete, other folders are left "
    "alone",
    "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o out") == 0);
  std::ofstream(disk.folder / "out/mine.txt") << "note\n";
  REQUIRE(disk.run("run.fields -o out --pressure-at 9,9,9") == 2);
  CHECK(fs::exists(disk.folder / "out/mine.txt"));
  REQUIRE(disk.run("run.fields -o out/") == 0);
  CHECK(fs::exists(disk.folder / "out/mine.txt"));
  CHECK(fs::exists(disk.folder / "out/summary.json"));
  CHECK(disk.run("run.fields -o .") == 2);
  CHECK(fs::exists(disk.folder / "run.fields"));
  CHECK(disk.run("run.fields -o run.fields") == 2);
  CHECK(disk.run("run.fields -o none/out") == 4);
  for (const auto& entry : fs::directory_iterator(disk.folder))
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("tessera-postprocess: a plane or line outside the fluid costs only itself",
          "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run(
              "run.fields --no-pictures -o out --plane 'far=9,9,9;0,0,1' --line '9,9,9;8,8,8;5'") ==
          0);
  const auto summary = nlohmann::json::parse(disk.text("out/summary.json"));
  std::string warnings;
  for (const auto& warning : summary.at("warnings")) warnings += warning.get<std::string>() + "\n";
  CHECK_THAT(warnings, Catch::Contains("\"far\"") && Catch::Contains("\"line1\""));
  CHECK_THAT(disk.text("stderr"), Catch::Contains("\"far\"") && Catch::Contains("\"line1\""));
  CHECK(summary.at("planes").empty());
  CHECK(summary.contains("openings"));
}

TEST_CASE("tessera-postprocess: bad input gives one sentence, the contract's exit code, no target",
          "[pipeline]") {
  RunOnDisk disk;
  const auto refused = [&](const std::string& arguments, int code, const std::string& says) {
    INFO(arguments);
    CHECK(disk.run(arguments + " --quiet") == code);
    const std::string said = disk.text("stderr");
    INFO(said);
    CHECK(linesOf(said) == 1);
    CHECK(said.find(says) != std::string::npos);
    CHECK_FALSE(fs::exists(disk.folder / "out"));
  };
  refused("run.fields", 2, "-o");
  refused("run.fields -o out --plane '1,2;0,0,1'", 2, "x,y,z;nx,ny,nz");
  refused("run.fields -o out --plane '1,2,3;0,0,0'", 2, "x,y,z;nx,ny,nz");
  refused("run.fields -o out --line '9,9,9;8,8,8'", 2, "--line");
  refused("run.fields -o out --stations 0", 2, "--stations");
  refused("run.fields -o out --centreline none.csv", 3, "none.csv");
  refused("run.fields -o out --reference-velocity '1 m/s'", 2, "--reference-area");
  refused(
      "run.fields -o out --reference-velocity '1 m/s' --reference-area '1 mm2' "
      "--flow-direction 0,0,1 --body stent",
      2, "stent");
  refused("run.fields -o out --export vtkhdf,obj", 2, "vtkhdf");
  refused("run.fields -o out --fields swirl", 2, "vorticity");
  refused("run.fields -o out --slice w=1", 2, "--slice");
  refused("run.fields -o out --slice z=9", 2, "--slice");
  refused("run.fields -o out --region 0,0,0", 2, "--region");
  refused("run.fields -o out --every 0", 2, "--every");
  refused("run.fields -o out --moments-about 1,2", 2, "--moments-about");
  refused("none.fields -o out", 3, "none.fields");
  refused("geom.tiles -o out", 3, "geom.tiles");
  refused("run.fields none.tiles -o out", 3, "none.tiles");
  const auto size = fs::file_size(disk.folder / "run.fields");
  fs::copy_file(disk.folder / "run.fields", disk.folder / "short.fields");
  fs::resize_file(disk.folder / "short.fields", size / 2);
  refused("short.fields -o out", 3, "short.fields");
  disk.pipe.fields.tilesHash = std::string(32, '0');
  writeFieldsFile(disk.folder / "other.fields", disk.pipe.fields);
  refused("other.fields -o out", 3, "geometry");
  disk.pipe.fields.tilesName = "away.tiles";
  writeFieldsFile(disk.folder / "away.fields", disk.pipe.fields);
  refused("away.fields -o out", 3, "tiles");
}

TEST_CASE("tessera-postprocess: --plan writes nothing", "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o out --plan") == 0);
  CHECK_FALSE(fs::exists(disk.folder / "out"));
  CHECK(disk.text("stdout").find("memory") != std::string::npos);
}

TEST_CASE("tessera-postprocess: --no-pictures writes all but the pictures", "[pipeline]") {
  const RunOnDisk disk;
  REQUIRE(disk.run("run.fields -o out --no-pictures") == 0);
  for (const auto& entry : fs::directory_iterator(disk.folder / "out")) {
    CAPTURE(entry.path());
    CHECK(entry.path().extension() != ".png");
    CHECK(entry.path().extension() != ".svg");
  }
  const std::string html = disk.text("out/report.html");
  CHECK(html.find("<img") == std::string::npos);
  CHECK(html.find("Wall shear stress, mean") != std::string::npos);
  CHECK(html.find("id=\"wall-view\"") != std::string::npos);
  CHECK(disk.text("stdout").find("pictures ") == std::string::npos);
  CHECK(fs::exists(disk.folder / "out/openings.csv"));
}

TEST_CASE("tessera-postprocess: without any font pictures have no text, which is said once",
          "[pipeline]") {
  const RunOnDisk disk;
  ::setenv("TESSERA_FONTS", "/nowhere", 1);
  const int code = disk.run("run.fields -o out");
  ::unsetenv("TESSERA_FONTS");
  CHECK(code == 0);
  const std::string said = disk.text("stderr");
  const auto first = said.find("no font was found");
  REQUIRE(first != std::string::npos);
  CHECK(said.find("no font was found", first + 1) == std::string::npos);
  CHECK(fs::exists(disk.folder / "out/wall_wss.png"));
  REQUIRE(disk.run("run.fields -o with") == 0);
  CHECK(disk.text("out/wall_wss.png").size() < disk.text("with/wall_wss.png").size());
  // Text of pages and charts does not depend on fonts.
  CHECK(disk.text("out/convergence.svg") == disk.text("with/convergence.svg"));
}
