// SPDX-License-Identifier: GPL-3.0-or-later
// Walls through the whole chain: a side of a picture is named, moves or reflects, and postprocess
// finds the force on it.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;

namespace {

const std::string fluid =
    "[fluid]\ndensity = 1000\nviscosity = \"1e-3 Pa.s\"\n"
    "[solver]\nlattice = \"D2Q9\"\nprecision = \"f64\"\ntau = 0.9\n";
const std::string lid =
    "[[wall]]\nname = \"lid\"\nkind = \"moving\"\nvelocity = [\"1 mm/s\", 0, 0]\n";

// From the picture box.pgm to out/summary.json.
nlohmann::json chained(const WorkFolder& work, const std::string& walls, const std::string& text) {
  work.write("case.toml", fluid + text);
  work.mustRun("tessera-preprocess --voxel 0.1mm --pore 0 " + walls +
               " box.pgm -o geom.vdb && tessera-tiler geom.vdb -o geom.tiles");
  work.mustRun("tessera-solver --backend cpu geom.tiles --case case.toml -o run.fields");
  work.mustRun("tessera-postprocess --no-pictures run.fields geom.tiles -o out");
  return work.json("out/summary.json");
}

std::vector<double> forceOn(const nlohmann::json& summary, const std::string& wall) {
  return summary.at("forces_n").at(wall).at("total").get<std::vector<double>>();
}

// A tube of radius 1 mm and length 1.2 mm along z, of which y >= 0; side y = 0 is "sym".
std::string halfTube(int segments) {
  const auto facet = [](const std::vector<std::vector<double>>& corners) {
    std::string text = "facet normal 0 0 0\nouter loop\n";
    for (const auto& p : corners)
      text += "vertex " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " +
              std::to_string(p[2]) + "\n";
    return text + "endloop\nendfacet\n";
  };
  const auto side = [&](double x0, double y0, double x1, double y1) {
    return facet({{x0, y0, 0.0}, {x1, y1, 0.0}, {x1, y1, 1.2}}) +
           facet({{x0, y0, 0.0}, {x1, y1, 1.2}, {x0, y0, 1.2}});
  };
  const auto x = [&](int k) { return std::cos(3.14159265358979 * k / segments); };
  const auto y = [&](int k) {
    return k == 0 || k == segments ? 0.0 : std::sin(3.14159265358979 * k / segments);
  };
  std::string text = "solid wall\n";
  for (int k = 0; k < segments; ++k) text += side(x(k), y(k), x(k + 1), y(k + 1));
  return text + "endsolid wall\nsolid sym\n" + side(-1.0, 0.0, 1.0, 0.0) + "endsolid sym\n";
}

double dragOn(const nlohmann::json& summary, const std::string& wall) {
  return summary.at("forces_n").at(wall).at("viscous").at(0).get<double>();
}

}  // namespace

TEST_CASE(
    "Walls in the chain: the drag of two plates is that of Couette's flow, from picture to summary",
    "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 16,20 -o box.pgm");
  const auto summary = chained(work, "--periodic x --wall y+=lid", lid + "[stop]\nsteps = 8000\n");
  // mu U / H on 16 x 1 faces of 0.1 mm.
  const double drag = 1e-3 * 1e-3 / 2e-3 * 16e-8;
  CHECK(dragOn(summary, "lid") == Approx(-drag).epsilon(1e-4));
  CHECK(dragOn(summary, "wall") == Approx(drag).epsilon(1e-4));
  CHECK(forceOn(summary, "lid")[0] == Approx(-drag).epsilon(1e-6));
  CHECK(forceOn(summary, "wall")[0] == Approx(drag).epsilon(1e-6));
}

TEST_CASE(
    "Walls in the chain: forces by momentum exchange from the case to monitor, report and tables",
    "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 8,12 -o box.pgm");
  const auto summary = chained(work, "--periodic x --wall y+=lid",
                               "body_force = [1, 0, 0]\n" + lid +
                                   "[forces]\ntorque_about = [0, \"1 mm\", 0]\n"
                                   "velocity = \"1 mm/s\"\nlength = \"0.4 mm\"\n"
                                   "flow_direction = [2, 0, 0]\nwalls = [\"wall\"]\n"
                                   "[stop]\nsteps = 6001\n[output]\nmonitor_every = 50\n");
  // The body force on all nodes.
  const double driven = 8 * 12 * 1e-12;
  const auto lower = forceOn(summary, "wall"), upper = forceOn(summary, "lid");
  CHECK(lower[0] + upper[0] == Approx(driven).epsilon(1e-6));
  // The table has the moments about the same point, and stress in columns of its own.
  const std::string table = readWhole(work.path("out/forces.csv"));
  CHECK(table.starts_with(
      "label,name,force_x[N],force_y[N],force_z[N],torque_x[N.m],torque_y[N.m],torque_z[N.m],"
      "stress_force_x[N],"));
  const auto& coefficients = summary.at("force_coefficients");
  const double unit = 0.5 * 1000.0 * 1e-6 * 0.4e-3 * 1e-4;
  CHECK(coefficients.at("drag").get<double>() == Approx(lower[0] / unit).epsilon(1e-9));
  CHECK(coefficients.at("in_time").at("periods") == 0);
  CHECK(coefficients.at("in_time").at("drag_mean").get<double>() ==
        Approx(lower[0] / unit).epsilon(1e-5));
  CHECK_FALSE(coefficients.at("in_time").contains("strouhal"));
  CHECK_THAT(readWhole(work.path("run.monitor.csv")),
             Catch::Contains("kinetic_energy[J],force_0_x[N],force_0_y[N],force_0_z[N],"
                             "torque_0_x[N.m],torque_0_y[N.m],torque_0_z[N.m],force_1_x[N]"));
  CHECK_THAT(readWhole(work.path("out/coefficients.csv")),
             Catch::StartsWith("time[s],drag,lift\n"));
  // A force on the lower wall, 0.6 mm below the middle of the box, where node 0 is at y = 0.
  const double arm = -0.05e-3 - 1e-3;
  CHECK(summary.at("forces_n").at("wall").at("torque_n_m").at(2).get<double>() ==
        Approx(-arm * lower[0]).epsilon(0.1));
  work.mustRun(
      "tessera-postprocess --no-pictures run.fields geom.tiles --moments-about 0,0,0 -o other");
  const auto moved = work.json("other/summary.json");
  CHECK(moved.at("forces_n").at("wall").at("torque_n_m").at(2).get<double>() -
            summary.at("forces_n").at("wall").at("torque_n_m").at(2).get<double>() ==
        Approx(-1e-3 * lower[0]).epsilon(1e-6));
}

TEST_CASE("Walls in the chain: [forces] is refused with file, line and what is required",
          "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 8,8 -o box.pgm");
  work.mustRun(
      "tessera-preprocess --voxel 0.1mm --pore 0 --periodic x --wall y+=lid box.pgm -o "
      "geom.vdb && tessera-tiler geom.vdb -o geom.tiles");
  const auto refused = [&](const std::string& text, const std::string& part) {
    work.write("case.toml", fluid + "[forces]\n" + text);
    checkRefused(work, "tessera-solver geom.tiles --case case.toml -o run.fields", 2, part);
  };
  refused("velocity = \"1 m/s\"\n", "flow_direction");
  refused("velocity = \"1 m/s\"\nlength = \"1 mm\"\nflow_direction = [0, 0, 0]\n", "case.toml:11");
  refused(
      "velocity = \"1 m/s\"\nlength = \"1 mm\"\nflow_direction = [1, 0, 0]\n"
      "lift_direction = [3, 0, 0]\n",
      "across");
  refused("walls = [\"cylinder\"]\n", "lid");
  for (const char* twice : {"[0, 0]", "[\"lid\", \"wall\", 1]"})
    refused(std::string("velocity = \"1 m/s\"\nlength = \"1 mm\"\nflow_direction = [1, 0, 0]\n"
                        "walls = ") +
                twice + "\n",
            "twice");
  refused("velocity = \"1 kg\"\n", "case.toml:9");
  refused("speed = \"1 m/s\"\n", "speed");
}

TEST_CASE("Walls in the chain: a symmetry plane with half a channel equals the whole channel",
          "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 8,12 -o box.pgm");
  const auto summary =
      chained(work, "--periodic x --wall y+=middle",
              "pressure_difference = [\"0.01 Pa\", 0, 0]\n"
              "[[wall]]\nname = \"middle\"\nkind = \"symmetry\"\n[stop]\nsteps = 12000\n");
  // All of the pressure on 12 x 1 faces is the drag of the one wall.
  const double drag = 0.01 * 12e-8;
  CHECK(dragOn(summary, "wall") == Approx(drag).epsilon(1e-3));
  CHECK(std::abs(dragOn(summary, "middle")) < 1e-3 * drag);
}

TEST_CASE("Walls in the chain: half a tube with a symmetry plane is half of the tube",
          "[pipeline]") {
  const WorkFolder work;
  work.write("half.stl", halfTube(96));
  const double exact = 3.14159265358979 * 1e-12 * 5e-3 / (16.0 * 1e-3 * 1.2e-3);
  work.mustRun(
      "tessera-preprocess half.stl --unit mm --spacing 0.2mm -o geom.vdb && "
      "tessera-tiler geom.vdb -o geom.tiles");
  const auto run = [&](const std::string& inlet) {
    work.write("case.toml",
               "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n[solver]\ntau = 0.8\n"
               "precision = \"f64\"\nequilibrium = \"incompressible\"\n[[opening]]\nid = 1\n" +
                   inlet +
                   "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n"
                   "[[wall]]\nname = \"sym\"\nkind = \"symmetry\"\n[stop]\nsteps = 4000\n"
                   "converged = 1e-6\n");
    work.mustRun("tessera-solver --backend cpu geom.tiles --case case.toml -o run.fields");
    work.mustRun("tessera-postprocess --no-pictures run.fields geom.tiles -o out");
    const auto summary = work.json("out/summary.json");
    // The plane is without friction.
    CHECK(std::abs(forceOn(summary, "sym")[2]) < 1e-6 * forceOn(summary, "wall")[2]);
    return summary;
  };
  const auto driven = run("kind = \"pressure\"\nvalue = \"0.005 Pa\"\n");
  CHECK(driven.at("openings").at(1).at("flow_rate_m3_s").get<double>() ==
        Approx(exact).epsilon(0.02));
  const auto fed =
      run("kind = \"flow-rate\"\nprofile = \"developed\"\nvalue = " + std::to_string(exact * 1e12) +
          "e-12\n");
  CHECK(fed.at("pressure_drop_pa").get<double>() == Approx(5e-3).epsilon(0.02));
}

TEST_CASE("Walls in the chain: --wall is refused where there is no such wall", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 8,8 -o box.pgm");
  work.mustRun("tessera-sample tube -o tube.stl");
  const std::string image = "tessera-preprocess --voxel 0.1mm --pore 0 box.pgm -o geom.vdb ";
  checkRefused(work, image + "--wall y=lid", 2, "y+=lid");
  checkRefused(work, image + "--wall y+=7", 2, "7");
  checkRefused(work, image + "--wall z+=lid", 2, "z+");
  checkRefused(work, image + "--periodic y --wall y+=lid", 2, "periodic");
  checkRefused(work, image + "--faces y+,y- --wall y+=lid", 2, "--faces");
  checkRefused(work, image + "--wall y+=lid --wall y+=top", 2, "y+");
  checkRefused(work, image + "--smooth --wall y+=lid", 2, "--smooth");
  checkRefused(work, "tessera-preprocess --unit mm --longest 20 tube.stl -o geom.vdb --wall x+=a",
               2, "--wall");
  work.mustRun("tessera-sample channel2d --size 8,8 -o box.pgm");
  checkRefused(work, image + "--wall y+=lid", 2, "y+");
}
