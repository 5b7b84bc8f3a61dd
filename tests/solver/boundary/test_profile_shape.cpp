// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles of rectangles and power-law fluids, by formulas and by tables of velocities.
#include "solver/boundary/profile_shape.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <random>

#include "pipelines/stage/text.hpp"
#include "solver/boundary/plan_openings.hpp"
#include "solver/run/physics.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// A case of a folder with opening 1 as given and pressure 0 at opening 2.
SolverCase caseIn(const std::filesystem::path& folder, const TilesFile& tiles,
                  const std::string& keys) {
  const std::string text = fluidOf("1e-6 m2/s").table("solver").with("tau", 0.8).toml() +
                           "[[opening]]\nid = 1\n" + keys +
                           "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n";
  SolverCase run =
      readSolverCase(CaseFile::parse(text, (folder / "case.toml").string()), tiles.geometry);
  run.precision = PrecisionId::F64;
  run.ramp = 0.0;
  return run;
}

// The links of opening 1 in a run.
struct Links {
  Setup setup;
  PlanInput input;
  PlannedOpening opening;
  mutable OpeningLinks links = {};  // once they are asked for
  mutable Amplitudes series = {};
  Links(const TilesFile& tiles, const SolverCase& run)
      : setup(prepare(tiles.geometry, run, "cpu")),
        input{setup.order, tiles.geometry, setup.variant->lattice, setup.lattice.scales,
              (setup.lattice.tau - 0.5) / 3.0},
        opening(plannedOpening(input, 0, PressureCourse::Constant, 0.0)) {}

  // Velocity into the fluid at link n at a time, m/s, of its normal part.
  [[nodiscard]] double speed(std::size_t n, double time = 0.0) const {
    return -value(n, time) / opening.area(n) * setup.lattice.scales.velocity();
  }
  [[nodiscard]] double value(std::size_t n, double time) const {
    if (links.parts.empty()) {
      links = linksOf(setup.run.openings[0], opening);
      series = amplitudesOf(setup.run.openings[0]);
    }
    std::vector<double> amplitudes(series.modes);
    OpeningMoment now;
    now.time = time;
    series.write(now, amplitudes);
    if (links.basis.empty()) return links.parts[n].value * amplitudes[0];
    double sum = 0.0;
    for (std::size_t m = 0; m < series.modes; ++m)
      sum += links.basis[n * series.modes + m] * amplitudes[m];
    return sum * links.parts[n].value;
  }
  // m3/s into the fluid.
  [[nodiscard]] double flow(double time = 0.0) const {
    double sum = 0.0;
    for (std::size_t n = 0; n < opening.links.size(); ++n) sum -= value(n, time);
    return sum * setup.lattice.scales.flowRate();
  }
  // Position over the side of a duct of n nodes, of the middle of link k.
  [[nodiscard]] std::array<double, 2> place(std::size_t k, int n) const {
    const Double3 at = opening.position(k, 0.5);
    return {(at[1] + 0.5) / n, (at[2] + 0.5) / n};
  }
};

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("Profiles: the bi-parabolic one of a square; round openings are refused", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = openBox({5, 20, 20});
  const Links links(tiles, caseIn(folder.path(), tiles,
                                  "kind = \"velocity\"\nmean = \"1 mm/s\"\n"
                                  "profile = \"bi-parabolic\"\n"));
  for (std::size_t k = 0; k < links.opening.links.size(); ++k) {
    const auto [x, y] = links.place(k, 20);
    const double expected = x < 0.0 || x > 1.0 || y < 0.0 || y > 1.0
                                ? 0.0
                                : 2.25e-3 * 16.0 * x * (1.0 - x) * y * (1.0 - y);
    CHECK(links.speed(k) == Approx(expected).margin(2e-5));
  }
  CHECK(links.flow() == Approx(1e-3 * tiles.geometry.openings[0].area).epsilon(1e-9));
  CHECK(prescriptionOf(links.setup.run.openings[0]).peakOverMean(3) == 2.25);
  // In 2D it is the parabola.
  const TilesFile channel = imageGeometry(
      {5, 20, 1}, [](int, int, int) { return true; }, {false, false, true},
      {{0, false, 1}, {0, true, 2}}, 1e-4, {0, 0, 0}, 2);
  SolverCase flat = caseIn(folder.path(), channel,
                           "kind = \"velocity\"\nmean = \"1 mm/s\"\n"
                           "profile = \"bi-parabolic\"\n");
  flat.openings[1] = flat.openings[0];  // no outflow, whose peak is supposed
  CHECK(expectedVelocity(flat, channel.geometry) == Approx(1.5e-3));

  const TilesFile round = tiltedTube({1.0, 0.0, 0.0}, 8.3, 14.0);
  checkError(ExitCode::Usage,
             [&] {
               const Links refused(round, caseIn(folder.path(), round,
                                                 "kind = \"velocity\"\nmean = \"1 mm/s\"\n"
                                                 "profile = \"bi-parabolic\"\n"));
               return refused.flow();
             },
             {"opening 1", "rectang"});
}

TEST_CASE("Profiles: a power-law fluid's between plug and cone", "[unit]") {
  CHECK(powerLaw(3, 1.0, 0.25) == Approx(1.5));
  CHECK(powerLaw(2, 1.0, 0.0) == Approx(1.5));
  CHECK(powerLaw(3, 0.5, 0.0) == Approx(5.0 / 3.0));    // (3 n + 1) / (n + 1)
  CHECK(powerLaw(3, 0.5, 1.21) == Approx(-0.3 / 0.6));  // its slope at the wall goes on
  for (const int dimensions : {2, 3}) {
    double mean = 0.0;
    for (int k = 0; k < 1000; ++k) {
      const double r = (k + 0.5) / 1000.0;
      mean += powerLaw(dimensions, 0.7, r * r) * (dimensions == 2 ? 1.0 : 2.0 * r) / 1000.0;
    }
    CHECK(mean == Approx(1.0).epsilon(1e-4));
  }
}

TEST_CASE("Profiles: the developed one of a square peaks at 2.0962 times its mean", "[unit]") {
  const auto peak = [](int n) {
    const TilesFile tiles = openBox({5, n, n});
    const TemporaryFolder folder;
    const Links links(tiles, caseIn(folder.path(), tiles,
                                    "kind = \"velocity\"\nmean = \"1 mm/s\"\n"
                                    "profile = \"developed\"\n"));
    double most = 0.0;
    for (std::size_t k = 0; k < links.opening.links.size(); ++k)
      most = std::max(most, links.speed(k) / 1e-3);
    return most;
  };
  // Odd, so that a node is in the middle.
  const double coarse = std::abs(peak(9) - 2.0962542);
  const double fine = std::abs(peak(27) - 2.0962542);
  INFO("errors " << coarse << " and " << fine);
  CHECK(coarse < 1e-3);
  CHECK(fine < 2e-4);
}

TEST_CASE("Profiles: a formula in metres per second, and rescaled by a mean", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = openBox({5, 16, 16});  // nodes 0 to 15, the wall half a node beyond
  const double spacing = tiles.geometry.frame.spacing;
  const std::string side = std::to_string(16) + "*" + stage::number(spacing, 17);
  const std::string shape = "formula = \"0.003*sin(pi*(y + 0.5*" + stage::number(spacing, 17) +
                            ")/(" + side + "))\"\nprofile = \"formula\"\nkind = ";
  const Links own(tiles, caseIn(folder.path(), tiles, shape + "\"velocity\"\n"));
  const double area = tiles.geometry.openings[0].area;
  CHECK(own.flow() / area == Approx(0.003 * 2.0 / 3.14159265358979).epsilon(5e-3));
  for (std::size_t k = 0; k < own.opening.links.size(); ++k) {
    const auto [x, y] = own.place(k, 16);
    if (y < 0.0 || y > 1.0 || x < 0.0 || x > 1.0) continue;
    CHECK(own.speed(k) == Approx(0.003 * std::sin(3.14159265358979 * x)).margin(4e-5));
  }
  const Links scaled(
      tiles, caseIn(folder.path(), tiles, shape + "\"flow-rate\"\nvalue = \"2e-9 m3/s\"\n"));
  CHECK(scaled.flow() == Approx(2e-9).epsilon(1e-9));
  CHECK(scaled.speed(40) / own.speed(40) == Approx(scaled.flow() / own.flow()).epsilon(1e-6));
  // The physics hash tells formulas apart.
  const SolverCase other =
      caseIn(folder.path(), tiles,
             "kind = \"velocity\"\nmean = 1e-3\nprofile = \"formula\"\nformula = \"1 - r^2\"\n");
  CHECK(physicsOf(other.openings[0]) != physicsOf(own.setup.run.openings[0]));
  const auto refused = [&](const std::string& keys, const std::vector<std::string>& facts) {
    INFO(keys);
    checkError(
        ExitCode::Usage, [&] { caseIn(folder.path(), tiles, keys); }, facts);
  };
  const std::string start = "kind = \"velocity\"\nprofile = \"formula\"\n";
  refused(start, {"formula"});
  refused(start + "formula = \"1 +\"\n", {"case.toml:10", "the end"});
  refused(start + "formula = \"sqrt(r - 3)\"\n", {"case.toml:10", "finite"});
  refused(start + "formula = \"0*r\"\n", {"case.toml:10", "flow"});
  refused("kind = \"velocity\"\nmean = 1\nprofile = \"power-law\"\n", {"exponent"});
}

TEST_CASE("Profiles: a table of velocities on scattered points of the plane", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = openBox({5, 16, 16});
  const double spacing = tiles.geometry.frame.spacing;
  // Quadratic, which the interpolation reproduces; the tangential part too.
  const auto normal = [&](double x, double y) { return 0.002 + 0.003 * x - 0.002 * x * y; };
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-0.2, 1.2);
  std::string text = "x[mm],z[mm],y[mm],w[m/s],u[mm/s],v[m/s]\n# measured\n";
  for (int k = 0; k < 2000; ++k) {
    const double x = unit(random);
    const double y = unit(random);
    text += fmt::format("{},{:.17g},{:.17g},{},{:.17g},{}\n", 0.0, 1e3 * spacing * (16.0 * y - 0.5),
                        1e3 * spacing * (16.0 * x - 0.5), 0.0005, 1e3 * normal(x, y), 0.0);
  }
  write(folder.path() / "plane.csv", text);
  const std::string keys = "kind = \"velocity\"\nprofile = \"table\"\ntable = \"plane.csv\"\n";
  const Links links(tiles, caseIn(folder.path(), tiles, keys));
  double mean = 0.0;
  for (int k = 0; k < 100; ++k)
    for (int l = 0; l < 100; ++l) mean += normal((k + 0.5) / 100, (l + 0.5) / 100) / 1e4;
  CHECK(links.flow() == Approx(mean * tiles.geometry.openings[0].area).epsilon(2e-3));
  CHECK(prescriptionOf(links.setup.run.openings[0]).fileHash.size() == 32);
  for (std::size_t k = 0; k < links.opening.links.size(); ++k) {
    const auto [x, y] = links.place(k, 16);
    const auto& c = links.input.info.velocities[links.opening.link(k).direction];
    // c points to -x; 6 w c . v over 6 w c . n.
    const double expected = normal(x, y) + (c[2] == 0 ? 0.0 : -c[2] * 0.0005);
    CHECK(links.speed(k) == Approx(expected).margin(4e-5));
  }
  const Links scaled(tiles, caseIn(folder.path(), tiles, keys + "mean = \"1 mm/s\"\n"));
  CHECK(scaled.flow() == Approx(1e-3 * tiles.geometry.openings[0].area).epsilon(1e-9));
}

TEST_CASE("Profiles: a table with several times is interpolated in time", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = openBox({5, 9, 9});
  const double spacing = tiles.geometry.frame.spacing;
  std::string text = "time[ms],y[m],z[m],x[m],normal[mm/s]\n";
  for (const auto& [time, speed] : {std::pair{0.0, 1.0}, {10.0, 3.0}, {30.0, -1.0}, {40.0, 1.0}})
    for (int k = -1; k < 10; ++k)
      for (int l = -1; l < 10; ++l)
        text += fmt::format("{},{:.17g},{:.17g},0,{}\n", time, k * spacing, l * spacing,
                            speed * (1.0 + 0.05 * (k - 4)));
  write(folder.path() / "times.csv", text);
  const std::string keys = "kind = \"velocity\"\nprofile = \"table\"\ntable = \"times.csv\"\n";
  const double area = tiles.geometry.openings[0].area;
  const Links once(tiles, caseIn(folder.path(), tiles, keys));
  CHECK(once.flow(0.0) / area == Approx(1e-3).epsilon(1e-6));
  CHECK(once.flow(5e-3) / area == Approx(2e-3).epsilon(1e-6));
  CHECK(once.flow(20e-3) / area == Approx(1e-3).epsilon(1e-6));
  CHECK(once.flow(30e-3) / area == Approx(-1e-3).epsilon(1e-6));
  CHECK(once.flow(1.0) / area == Approx(1e-3).epsilon(1e-6));
  CHECK(prescriptionOf(once.setup.run.openings[0]).mean == Approx(3e-3));
  const Links periodic(tiles, caseIn(folder.path(), tiles, keys + "periodic = true\n"));
  CHECK(periodic.flow(0.125) / area == Approx(2e-3).epsilon(1e-6));
  CHECK(periodic.flow(0.125 + 0.03) / area == Approx(0.0).margin(1e-9));
  CHECK(prescriptionOf(periodic.setup.run.openings[0]).series->period == Approx(0.04));
  const Links rate(tiles, caseIn(folder.path(), tiles,
                                 "kind = \"flow-rate\"\nvalue = \"6e-9 m3/s\"\n"
                                 "profile = \"table\"\ntable = \"times.csv\"\n"));
  CHECK(rate.flow(10e-3) == Approx(6e-9).epsilon(1e-6));
  CHECK(rate.flow(0.0) == Approx(2e-9).epsilon(1e-6));
  // In a run too, from rest and through the kernels.
  Simulation simulation(tiles, prepare(tiles.geometry, once.setup.run, "cpu"));
  simulation.advance(3);
  const double t = 3.5 * simulation.setup().lattice.scales.timeStep;
  CHECK(-simulation.sample().flowRate[0] == Approx(once.flow(t)).epsilon(1e-6));
}

TEST_CASE("Profiles: damaged and hostile tables of velocities are refused with their line",
          "[unit]") {
  const auto refused = [](const std::string& text, const std::vector<std::string>& facts) {
    INFO(text.substr(0, 200));
    checkError(
        ExitCode::Usage, [&] { parseVelocityTable(text, "t.csv"); }, facts);
  };
  const std::string header = "x[m],y[m],z[m],normal[m/s]\n";
  refused("", {"t.csv:1", "empty"});
  refused("x,y,normal[m/s]\n", {"t.csv:1", "unit"});
  refused("x[m],y[m]\n", {"t.csv:1", "velocity"});
  refused("x[m],y[m],u[m/s]\n", {"t.csv:1"});
  refused("x[m],y[m],u[m/s],v[m/s],normal[m/s]\n", {"t.csv:1"});
  refused("x[m],x[m],y[m],normal[m/s]\n", {"t.csv:1", "two columns"});
  refused("x[kg/m3],y[m],normal[m/s]\n", {"t.csv:1"});
  refused(header, {"no rows"});
  refused(header + "0,0,0,1\n", {"t.csv:2", "one point"});
  refused(header + "0,0,0,1\n0,1,0\n", {"t.csv:3", "3 cells"});
  refused(header + "0,0,0,1\n0,1,0,nan\n", {"t.csv:3"});
  refused(header + "0,0,0,1\n0,1,0,1e10\n", {"t.csv:3", "1e9"});
  refused("time[s],x[m],y[m],normal[m/s]\n1,0,0,1\n1,0,1,1\n0,0,0,1\n", {"t.csv:4", "ascend"});
  std::string times = "time[s],x[m],y[m],normal[m/s]\n";
  for (int k = 0; k < 300; ++k) times += fmt::format("{0},0,0,1\n{0},0,1,1\n", k);
  refused(times, {"256"});
}

TEST_CASE("Profiles: a table of a million rows is read and interpolated", "[unit]") {
  std::string text = "x[m],y[m],u[m/s],v[m/s]\n";
  text.reserve(30'000'000);
  for (int y = 0; y < 1000; ++y)
    for (int x = 0; x < 1000; ++x) {
      char line[64];
      text.append(line, static_cast<std::size_t>(std::snprintf(line, sizeof(line), "%d,%d,%d,%d\n",
                                                               x, y, x + 2 * y, 7)));
    }
  const VelocityTable table = parseVelocityTable(text, "large.csv");
  REQUIRE(table.frames.size() == 1);
  REQUIRE(table.frames[0].point.size() == 1'000'000);
  std::vector<std::array<double, 2>> positions;
  for (const Double3& at : table.frames[0].point) positions.push_back({at[0], at[1]});
  const PlaneInterpolation plane(std::move(positions), table.frames[0].velocity);
  for (const auto& [x, y] : {std::pair{3.3, 998.6}, {0.0, 0.0}, {500.5, 417.25}}) {
    const Double3 v = plane.at({x, y});
    CHECK(v[0] == Approx(x + 2.0 * y).epsilon(1e-6));
    CHECK(v[1] == 7.0);
  }
  CHECK(plane.distance({-3.0, 4.0}) == 3.0);
}

TEST_CASE("Profiles: means over an opening use the rim where the walls are", "[unit]") {
  // A duct whose walls are 0.1 beyond the nodes on one side and 0.9 on the other.
  const TemporaryFolder folder;
  LatticeGeometry geometry = imageLattice(
      {5, 10, 12}, [](int, int, int) { return true; }, {}, {{0, false, 1}, {0, true, 2}}, 1e-4);
  setWalls(geometry, 1, [](const Int3& node, const Int3& step, double& distance, int&) {
    distance = node[1] + step[1] < 0 || node[2] + step[2] >= 12 ? 0.1 : 0.9;
  });
  const double spacing = geometry.frame.spacing;
  Opening& inlet = geometry.openings[0];
  inlet.area = 10.0 * 12.0 * spacing * spacing;
  inlet.centre = geometry.frame.toWorld({-0.5, 4.9, 5.1});
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  const SolverCase run = caseIn(folder.path(), tiles,
                                "kind = \"velocity\"\nprofile = \"formula\"\n"
                                "formula = \"1e-3 + y\"\n");
  CHECK(prescriptionOf(run.openings[0]).mean == Approx(1e-3 + 4.9 * spacing).epsilon(1e-5));
  const Links links(tiles, caseIn(folder.path(), tiles,
                                  "kind = \"velocity\"\nmean = 1e-3\n"
                                  "profile = \"bi-parabolic\"\n"));
  double most = 0.0;
  for (std::size_t k = 0; k < links.opening.links.size(); ++k)
    most = std::max(most, links.speed(k));
  CHECK(most == Approx(2.25e-3).epsilon(0.05));
}

TEST_CASE("Profiles: a formula that ends at the rim goes on oddly beyond it", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tube = tiltedTube({1.0, 2.0, 3.0}, 6.3, 20.0);
  const TilesFile channel = imageGeometry(
      {5, 17, 1}, [](int, int, int) { return true; }, {false, false, true},
      {{0, false, 1}, {0, true, 2}}, 1e-4, {0, 0, 0}, 2);
  for (const TilesFile* tiles : {&tube, &channel})
    for (const char* formula : {"0.001*(1 - r)^(1/7)", "0.001*sqrt(1 - r^2)", "0.001*log(2 - r)"}) {
      INFO(formula);
      const Links links(*tiles, caseIn(folder.path(), *tiles,
                                       std::string("kind = \"velocity\"\nprofile = \"formula\"\n"
                                                   "formula = \"") +
                                           formula + "\"\n"));
      const ProfileShape& shape = *std::get<Velocity>(links.setup.run.openings[0]).shape;
      const ShapeSampler sampler(shape, 0, tiles->geometry.openings[0], tiles->geometry);
      const auto shapeOf = [&](double r) {
        return formula[6] == '('   ? std::pow(1.0 - r, 1.0 / 7.0)
               : formula[6] == 's' ? std::sqrt(1.0 - r * r)
                                   : std::log(2.0 - r);
      };
      std::size_t beyond = 0;
      for (std::size_t n = 0; n < links.opening.links.size(); ++n) {
        REQUIRE(std::isfinite(links.speed(n)));
        const Double3 node = links.opening.position(n, 0.0);
        const Double3 point = links.opening.position(n, 0.5);
        const double r = std::sqrt(squaredRadiusAt(links.opening.shape, point));
        const double inside = std::sqrt(squaredRadiusAt(links.opening.shape, node));
        const double v =
            -dot(sampler.atLink(node, point), tiles->geometry.openings[0].normal) / 0.001;
        if (r < 1.0 || formula[6] == 'l') {
          CHECK(v == Approx(shapeOf(r)).epsilon(1e-9));
          continue;
        }
        if (inside >= 1.0) {
          CHECK(v == 0.0);
          continue;
        }
        if (r < 1.0 + 1e-9) {  // at the rim, where roots magnify rounding
          CHECK(std::abs(v) < 0.02);
          continue;
        }
        ++beyond;
        // Minus the value as far along the link before the rim as the point is beyond it.
        double last = 0.0, none = 1.0;
        for (int k = 0; k < 60; ++k) {
          const double middle = 0.5 * (last + none);
          const bool in =
              squaredRadiusAt(links.opening.shape, node + middle * (point - node)) < 1.0;
          (in ? last : none) = middle;
        }
        const Double3 mirrored = node + (2.0 * last - 1.0) * (point - node);
        const double at = std::sqrt(squaredRadiusAt(links.opening.shape, mirrored));
        CHECK(v == Approx(-shapeOf(at)).epsilon(1e-6).margin(1e-6));
      }
      if (formula[6] != 'l' && tiles == &tube) CHECK(beyond > 0);
      CHECK(links.flow() > 0.0);
    }
  // A fault next to the rim is refused with its line.
  checkError(ExitCode::Usage,
             [&] {
               caseIn(folder.path(), channel,
                      "kind = \"velocity\"\nprofile = \"formula\"\n"
                      "formula = \"sqrt(0.9 - r)\"\n");
             },
             {"case.toml:10", "finite"});
}

TEST_CASE("Profiles: a formula has its own flow rate in slanted tubes", "[unit]") {
  const TemporaryFolder folder;
  for (const Double3& direction : {Double3{1.0, 2.0, 3.0}, Double3{2.0, -1.0, 2.0}}) {
    const TilesFile tube = tiltedTube(direction, 5.0, 20.0);
    const Links links(tube, caseIn(folder.path(), tube,
                                   "kind = \"velocity\"\nprofile = \"formula\"\n"
                                   "formula = \"0.002*(1 - r^2)\"\n"));
    CHECK(links.flow() == Approx(0.001 * tube.geometry.openings[0].area).epsilon(1e-4));
  }
}

TEST_CASE("Profiles: a formula at the rim runs", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile channel = imageGeometry(
      {12, 16, 1}, [](int, int, int) { return true; }, {false, false, true},
      {{0, false, 1}, {0, true, 2}}, 1e-4, {0, 0, 0}, 2);
  const SolverCase run = caseIn(folder.path(), channel,
                                "kind = \"velocity\"\nprofile = \"formula\"\n"
                                "formula = \"0.001*(1 - r)^(1/7)\"\n");
  Simulation simulation(channel, prepare(channel.geometry, run, "cpu"));
  simulation.advance(300);
  const double mean = prescriptionOf(run.openings[0]).mean;
  CHECK(mean == Approx(0.001 * 7.0 / 8.0).epsilon(0.01));
  CHECK(-simulation.sample().flowRate[0] ==
        Approx(mean * channel.geometry.openings[0].area).epsilon(1e-6));
}

namespace {

void checkNearest(const std::vector<std::array<double, 2>>& points,
                  const std::array<double, 2>& from, std::size_t count) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double x = points[k][0] - from[0], y = points[k][1] - from[1];
    all.emplace_back(x * x + y * y, k);
  }
  std::sort(all.begin(), all.end());
  const auto found = NearestPoints(points).nearest(from, count);
  REQUIRE(found.size() == std::min(count, points.size()));
  for (std::size_t k = 0; k < found.size(); ++k) {
    CHECK(found[k].squared == all[k].first);
    CHECK(found[k].point == all[k].second);
  }
}

}  // namespace

TEST_CASE("Nearest points: those of a search through all, however they are spread", "[unit]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<std::array<double, 2>> scattered, grid, line, clusters, one(50, {0.25, -1.0});
  for (int k = 0; k < 500; ++k) scattered.push_back({unit(random), unit(random)});
  for (int k = 0; k < 400; ++k) grid.push_back({k % 20 / 20.0, k / 20 / 20.0});
  for (int k = 0; k < 300; ++k) line.push_back({unit(random), 0.5});
  for (int k = 0; k < 300; ++k)
    clusters.push_back({1e-6 * (k % 7) + (k % 3 == 0 ? 1.0 : 0.0), 1e-6 * (k % 5)});
  clusters.push_back({1e3, 1e3});
  for (const auto* points : {&scattered, &grid, &line, &clusters, &one})
    for (const std::array<double, 2>& from :
         {std::array{0.5, 0.5}, {0.25, 0.3}, {-4.0, 0.1}, {1e4, -1e4}})
      for (const std::size_t count : {1U, 12U, 60U}) checkNearest(*points, from, count);
}

TEST_CASE("Nearest points: of a million in clusters, seen from far, in moments", "[unit]") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<std::array<double, 2>> points;
  for (int k = 0; k < 1'000'000; ++k) {
    const double scale = k % 2 == 0 ? 1.0 : 1e-5;
    points.push_back({scale * unit(random), scale * unit(random)});
  }
  points.push_back({1e6, 0.0});
  const NearestPoints near(points);
  const auto start = std::chrono::steady_clock::now();
  double sum = 0.0;
  for (int k = 0; k < 20'000; ++k)
    sum += near.nearest({k % 2 == 0 ? -1e4 : 1e-5 * unit(random), 1e-5 * unit(random)}, 12)
               .back()
               .squared;
  CHECK(sum > 0.0);
  // Some 0.1 s on one core; the rings of bins took minutes.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
