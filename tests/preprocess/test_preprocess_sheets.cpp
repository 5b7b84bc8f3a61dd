// SPDX-License-Identifier: GPL-3.0-or-later
// Valves, membranes, thin solids and near vessels through the program.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/lattice/connectivity/components.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;
using namespace tessera::test;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// Parts of the fluid by links that are not cut.
std::size_t partsWithCuts(const LatticeGeometry& geometry) {
  const std::vector<CutNode> cuts =
      cutNodesOf(geometry.fluid, geometry.periodic, geometry.boundary);
  return partsOf(geometry.fluid, geometry.periodic, {}, Neighbours::TwentySix, cuts).size();
}

double areaOfLabel(const Surface& surface, const std::vector<Patch>& labels) {
  double area = 0.0;
  for (std::size_t t = 0; t < surface.triangle.size(); ++t) {
    if (std::find(labels.begin(), labels.end(), surface.label[t]) == labels.end()) continue;
    std::array<Double3, 3> corner{};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t a = 0; a < 3; ++a) corner[k][a] = surface.vertex[surface.triangle[t][k]][a];
    area += 0.5 * length(cross(corner[1] - corner[0], corner[2] - corner[0]));
  }
  return area;
}

// A disc or ring across z, slightly tilted.
TriangleMesh disc(double z, double radius) {
  TriangleMesh mesh = tubeMesh({0, 0, z}, {0.05, 0.02, z + 1.0}, radius, 40, true);
  dropTriangles(mesh, [&](std::size_t t) { return mesh.label[t] != openingPatch(1); });
  return mesh;
}

// A ring across z.
TriangleMesh ringAt(double z, double inner, double outer) {
  constexpr Index sides = 40;
  TriangleMesh mesh;
  for (const double radius : {inner, outer})
    for (Index k = 0; k < sides; ++k) {
      const double angle = 2.0 * std::numbers::pi * (k + 0.3) / sides;
      mesh.vertex.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  for (Index k = 0; k < sides; ++k) {
    const Index next = (k + 1) % sides;
    mesh.triangle.push_back({k, sides + k, sides + next});
    mesh.triangle.push_back({k, sides + next, next});
  }
  mesh.label.assign(mesh.triangle.size(), Patch{0});
  return mesh;
}

// Hard surfaces made by the script of the shared data; false without it.
bool makeHardSurfaces(const WorkFolder& work) {
  const std::filesystem::path data = TESSERA_SHARED_DATA;
  const auto script = data / "hard/make_hard_surfaces.py";
  const auto vessel = data / "vessels/aneurysm_vascular_model.stl";
  if (!std::filesystem::exists(script) || !std::filesystem::exists(vessel)) {
    WARN("skipped: the shared meshes are not beside this checkout");
    return false;
  }
  work.mustRun("python3 '" + script.string() + "' '" + vessel.string() + "' hard");
  return true;
}

}  // namespace

TEST_CASE("Sheets through the program: a leaflet is a wall with its file's name on both sides",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, false));
  put(work, "leaflet.stl", disc(6.0, 1.2));
  const std::string options = "--unit mm --spacing 0.2mm -o g.vdb --report r.json";
  const Outcome told = work.mustRun("tessera-preprocess vessel.stl leaflet.stl " + options);
  CHECK_THAT(told.output, Catch::Contains("sheets       1 of 4.5"));
  const auto report = work.json("r.json");
  REQUIRE(report.at("sheets").size() == 1);
  const double area = report.at("sheets")[0].at("area_m2");
  CHECK(area == Approx(20.0 * std::sin(2.0 * std::numbers::pi / 40) * 1.44e-6).epsilon(1e-4));
  CHECK(report.at("sheets")[0].at("centre_m")[2].get<double>() == Approx(6e-3).margin(1e-5));
  CHECK(report.at("candidates").empty());
  CHECK(report.at("repairs").at("debris_parts_dropped") == 0);
  const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
  CHECK(geometry.wallNames == std::vector<std::string>{"vessel", "leaflet"});
  CHECK(std::count(geometry.boundary.patch.begin(), geometry.boundary.patch.end(), 1) ==
        2 * report.at("cut_links").get<std::int64_t>());
  CHECK(report.at("wall_links") ==
        std::count_if(geometry.boundary.patch.begin(), geometry.boundary.patch.end(),
                      [](Patch patch) { return patch == 0 || patch == 1; }));
  CHECK(areaOfLabel(geometry.surface, {1}) == Approx(2.0 * area / 4e-8).epsilon(1e-3));
  CHECK(defectOf(geometry).empty());

  work.write("case.toml", "[preprocess]\nsheets = \"drop\"\n");
  for (const std::string drop : {"--sheets drop ", "--case case.toml "}) {
    work.mustRun("tessera-preprocess vessel.stl leaflet.stl " + drop + options);
    const auto without = work.json("r.json");
    CHECK(without.at("sheets").empty());
    CHECK(without.at("repairs").at("sheets_dropped") == 1);
    CHECK_FALSE(without.contains("cut_links"));
    CHECK(without.at("fluid_nodes") == report.at("fluid_nodes"));
  }
  chain::checkRefused(work, "tessera-preprocess vessel.stl --sheets some " + options, 2,
                      "--sheets");
}

TEST_CASE("Sheets through the program: fluid between two membranes is dead, and nothing flows past",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true));
  put(work, "near.stl", disc(0.15, 2.4));
  put(work, "far.stl", disc(8.0, 2.4));
  const std::string options = " --unit mm --spacing 0.2mm -o g.vdb --report r.json";
  const Outcome one = work.mustRun("tessera-preprocess vessel.stl far.stl" + options);
  CHECK_THAT(one.errors, Catch::Contains("no path leads from opening1, opening2"));
  CHECK(work.json("r.json").at("dead_nodes") == 0);
  CHECK(work.json("r.json").at("connected_parts") == 2);
  CHECK(work.json("r.json").at("thinnest_channel").is_null());
  const double all = work.json("r.json").at("fluid_nodes");
  work.mustRun("tessera-preprocess vessel.stl near.stl far.stl" + options);
  const auto report = work.json("r.json");
  CHECK(report.at("sheets").size() == 2);
  CHECK(report.at("dead_nodes").get<double>() == Approx(all * (8.0 - 0.15) / 12.0).epsilon(0.03));
  const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
  CHECK(geometry.fluid.count() == report.at("fluid_nodes").get<std::uint64_t>());
  CHECK(partsWithCuts(geometry) == 2);
  CHECK(defectOf(geometry).empty());
  work.mustRun("tessera-preprocess --keep all vessel.stl near.stl far.stl" + options);
  CHECK(work.json("r.json").at("fluid_nodes").get<double>() == all);
  CHECK(partsWithCuts(readLatticeFile(work.path("g.vdb")).geometry) == 3);
}

TEST_CASE("Sheets through the program: a named valve in the plane of an opening is warned about",
          "[pipeline]") {
  const WorkFolder work;
  const std::string options = " --unit mm --spacing 0.2mm -o g.vdb --report r.json";
  for (const bool capped : {false, true}) {
    put(work, "vessel.stl", tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, capped));
    put(work, "valve.stl", ringAt(12.0, 0.6, 1.9));
    const Outcome told = work.mustRun("tessera-preprocess vessel.stl valve.stl" + options);
    CHECK_THAT(told.errors,
               Catch::Contains("the face \"valve\"") && Catch::Contains("(0, 0, 12) mm") &&
                   Catch::Contains("in the plane of opening") && Catch::Contains("--name"));
    CHECK(work.json("r.json").at("warnings").size() == 1);
    CHECK(readLatticeFile(work.path("g.vdb")).geometry.wallNames ==
          std::vector<std::string>{"vessel"});
    put(work, "valve.stl", ringAt(13.0, 0.6, 1.9));  // outside
    CHECK_THAT(work.mustRun("tessera-preprocess vessel.stl valve.stl" + options).errors,
               Catch::Contains("face \"valve\"") && Catch::Contains("outside of the vessel"));
    // A cap names its opening, and a valve before it is a throat.
    put(work, "outlet.stl", ringAt(12.0, 0.001, 1.95));
    put(work, "valve.stl", ringAt(11.95, 0.6, 1.9));
    work.mustRun("tessera-preprocess vessel.stl outlet.stl valve.stl" + options);
    const auto report = work.json("r.json");
    const auto& openings = report.at("openings");
    CHECK(std::count_if(openings.begin(), openings.end(),
                        [](const auto& opening) { return opening.at("name") == "outlet"; }) == 1);
    REQUIRE(report.at("warnings").size() == 1);  // of this spacing
    CHECK_THAT(report.at("warnings")[0].get<std::string>(), Catch::Contains("narrowest throat"));
    const double ring = 20.0 * std::sin(2.0 * std::numbers::pi / 40);
    const double section = 24.0 * std::sin(2.0 * std::numbers::pi / 48);
    CHECK(report.at("throat").at("area_m2").get<double>() ==
          Approx(1e-6 * (4.0 * section - (3.61 - 0.36) * ring)).epsilon(0.02));
  }
}

TEST_CASE("Sheets through the program: hard surfaces come out right", "[pipeline]") {
  const WorkFolder work;
  if (!makeHardSurfaces(work)) return;
  struct Hard {
    const char* name;
    std::size_t sheets, parts, openings;
    double narrowest;     // mm; 0: no path
    double throat = 0.0;  // mm2; 0: none or not checked
  };
  for (const Hard& hard :
       {Hard{"valve", 1, 1, 2, 1.0, 1.091}, Hard{"valve_welded", 1, 1, 2, 1.0, 0.785},
        Hard{"membrane", 1, 2, 2, 0.0}, Hard{"thin_plate", 0, 1, 2, 1.0},
        Hard{"two_near_vessels", 0, 2, 4, 2.0}})
    for (const double spacing : {0.098, 0.1, 0.05}) {
      INFO(hard.name << " at " << spacing << " mm");
      work.mustRun(
          fmt::format("tessera-preprocess hard/{}.stl --unit mm --spacing {}mm -o g.vdb "
                      "--report r.json",
                      hard.name, spacing));
      const auto report = work.json("r.json");
      CHECK(report.at("sheets").size() == hard.sheets);
      CHECK(report.at("openings").size() == hard.openings);
      CHECK(report.at("candidates").empty());
      CHECK(report.at("connected_parts") == hard.parts);
      if (hard.narrowest == 0.0)
        CHECK_THAT(report.at("warnings").at(0).get<std::string>(),
                   Catch::Contains("by the sheet of") && !Catch::Contains("spacing"));
      CHECK(report.at("repairs").at("debris_parts_dropped") == 0);
      const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
      CHECK(partsWithCuts(geometry) == hard.parts);
      CHECK(geometry.fluid.count() == report.at("fluid_nodes").get<std::uint64_t>());
      if (hard.throat > 0.0) {
        CHECK(report.at("throats_searched") == true);
        REQUIRE(report.at("throats").size() == 1);
        CHECK(report.at("throat").at("area_m2").get<double>() ==
              Approx(1e-6 * hard.throat).epsilon(0.03));
      }
      if (hard.narrowest == 0.0)
        CHECK(report.at("thinnest_channel").is_null());
      else if (!report.at("thinnest_channel").at("at_least").get<bool>())
        CHECK(report.at("thinnest_channel").at("width_m").get<double>() ==
              Approx(1e-3 * hard.narrowest).margin(2.1e-3 * spacing));
    }
}
