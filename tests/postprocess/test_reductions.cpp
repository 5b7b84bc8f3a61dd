// SPDX-License-Identifier: GPL-3.0-or-later
// Stations, lines, sums, moments and the permeability tensor against closed forms.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numbers>

#include "analytic_pipe.hpp"
#include "postprocess/compute_results.hpp"
#include "postprocess/forchheimer.hpp"
#include "postprocess/near_openings.hpp"
#include "postprocess/permeability_tensor.hpp"
#include "postprocess/stations.hpp"
#include "postprocess/velocity_gradient.hpp"
#include "postprocess/wall_shear.hpp"
#include "tests/stage/expect_error.hpp"
#include "tests/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::test;
using Catch::Matchers::Contains;

namespace {

using std::numbers::pi;

double relative(double found, double expected) {
  return std::abs(found - expected) / std::abs(expected);
}

double fromAxis(const AnalyticPipe& pipe, const Double3& point) {
  const Double3 from = point - pipe.middle;
  return length(from - dot(from, pipe.spec.direction) * pipe.spec.direction);
}

// Poiseuille's largest velocity.
double fastest(const AnalyticPipe& pipe) {
  return pipe.gradient * pipe.radius() * pipe.radius() / (4.0 * pipe.viscosity);
}

// A quarter of a torus of radii 20 and 5 nodes round the z axis through the origin, z = 6.
bool quarterTorus(int x, int y, int z) {
  const double ring = std::hypot(x, y) - 20.0;
  return ring * ring + (z - 6.0) * (z - 6.0) < 25.0;
}

TiledGeometry torusWithOpenings() {
  TiledGeometry geometry = imageGeometry({26, 26, 13}, {false, false, false}, quarterTorus);
  const double h = geometry.frame.spacing, area = pi * 25.0 * h * h;
  geometry.openings = {{1, "a", {20 * h, -0.5 * h, 6 * h}, {0, -1, 0}, area, 5 * h},
                       {2, "b", {-0.5 * h, 20 * h, 6 * h}, {-1, 0, 0}, area, 5 * h}};
  return geometry;
}

// A straight vessel of radius 5 along x with a sphere of radius 10 at its side.
bool vesselWithAneurysm(int x, int y, int z) {
  const double ring = std::hypot(y - 8.0, z - 10.0);
  return ring < 5.0 ||
         (x - 30.0) * (x - 30.0) + (y - 20.0) * (y - 20.0) + (z - 10.0) * (z - 10.0) < 100.0;
}

// Velocity A x at each node's place in nodes.
Fields linearFlow(const TiledGeometry& geometry, const std::array<Double3, 3>& gradient) {
  Fields fields = emptyFields(geometry);
  forEachNode(NodeLookup(geometry), [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = geometry.nodeOf(t, l);
    const Double3 place{1.0 * n[0], 1.0 * n[1], 1.0 * n[2]};
    for (std::size_t i = 0; i < 3; ++i)
      fields.velocity[index][i] = static_cast<float>(dot(gradient[i], place));
  });
  return fields;
}

bool everywhere(int, int, int) {
  return true;
}

Permeability darcyOf(const std::array<Double3, 3>& k, const Double3& force, double viscosity) {
  Permeability result;
  result.pressureGradient = length(force);
  result.direction = (1.0 / length(force)) * force;
  for (std::size_t i = 0; i < 3; ++i) result.velocity[i] = dot(k[i], force) / viscosity;
  return result;
}

}  // namespace

TEST_CASE("peaks of a plane and of the openings are Poiseuille's", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({12.0, 48.0});
  const NodeLookup lookup(pipe.geometry);
  const auto plane = planeFlow({"p", pipe.middle, pipe.spec.direction}, lookup, pipe.fields);
  REQUIRE(plane);
  CHECK(relative(plane->peakVelocity, fastest(pipe)) < 0.01);
  // The highest pressure of an oblique plane is that of its end furthest upstream.
  const Double3 slanted = pipe.spec.direction + 0.5 * Double3{0.8, 0, -0.6};
  const auto oblique =
      planeFlow({"o", pipe.middle, (1.0 / length(slanted)) * slanted}, lookup, pipe.fields);
  REQUIRE(oblique);
  CHECK(relative(oblique->peakPressure, 0.5 * pipe.radius() * pipe.gradient) < 0.06);
  const Results results = computeResults(pipe.fields, pipe.geometry);
  for (const OpeningSummary& opening : results.openings) {
    REQUIRE(opening.peakVelocity);
    CHECK(relative(*opening.peakVelocity, fastest(pipe)) < 0.01);
    CHECK(opening.flowFraction == 1.0);
  }
  CHECK_FALSE(results.openings[0].resistance);
  const double resistance =
      8.0 * pipe.viscosity * pipe.length() / (pi * std::pow(pipe.radius(), 4));
  CHECK(relative(results.openings[1].resistance.value(), resistance) < 1e-9);
  CHECK(relative(results.resistance.value(), resistance) < 1e-9);
}

TEST_CASE("large sections are counted in larger steps to the same figures", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({45.0, 6.0, {0.0, 0.0, 1.0}, 100});
  const auto square =
      planeFlow({"p", pipe.middle, {0.0, 0.0, 1.0}}, NodeLookup(pipe.geometry), pipe.fields);
  REQUIRE(square);
  CHECK(relative(square->area, pi * pipe.radius() * pipe.radius()) < 4e-3);
  CHECK(relative(square->flowRate, pipe.flowRate()) < 4e-3);
}

TEST_CASE("kinetic energy and dissipation of Poiseuille's flow", "[unit]") {
  double before = 1.0;
  for (const double radius : {6.0, 12.0}) {
    const AnalyticPipe pipe = analyticPipe({radius, 4.0 * radius});
    const Results results = computeResults(pipe.fields, pipe.geometry);
    const double volume = pi * pipe.radius() * pipe.radius() * pipe.length();
    const double energy = 0.5 * 1000.0 * volume * fastest(pipe) * fastest(pipe) / 3.0;
    const double power = pipe.gradient * pipe.length() * pipe.flowRate();
    CHECK(relative(results.kineticEnergy, energy) < 0.01);
    REQUIRE(results.dissipation);
    const double error = relative(*results.dissipation, power);
    CHECK(error < 0.02);
    CHECK(error < before);
    before = error;
    CHECK(relative(results.velocityMax, fastest(pipe)) < 0.02);
  }
  AnalyticPipe blood = analyticPipe({6.0, 12.0});
  blood.fields.fluidModel = "casson";
  CHECK_FALSE(computeResults(blood.fields, blood.geometry).dissipation);
}

TEST_CASE("stations along the centreline that is found: axis, radius, flow, pressure", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({8.0, 48.0});
  Request request;
  request.stations = 8;
  const Results results = computeResults(pipe.fields, pipe.geometry, request);
  REQUIRE(results.centrelines.size() == 1);
  const Centreline& line = results.centrelines[0];
  CHECK(line.name == "1-2");
  CHECK(relative(line.length, pipe.length()) < 2e-3);
  REQUIRE(line.stations.size() == 8);
  for (std::size_t k = 0; k < 8; ++k) {
    const Station& station = line.stations[k];
    INFO(k);
    CHECK(fromAxis(pipe, station.point) < 0.25 * pipe.geometry.frame.spacing);
    CHECK(dot(station.normal, pipe.spec.direction) > 0.999);
    CHECK(relative(station.radius, pipe.radius()) < 0.01);
    CHECK(relative(station.flowRate, pipe.flowRate()) < 0.025);
    CHECK(relative(station.peakVelocity, fastest(pipe)) < 0.02);
    const double along = ((static_cast<double>(k) + 0.5) / 8.0 - 0.5) * pipe.length();
    CHECK(station.meanPressure ==
          Approx(-pipe.gradient * along).margin(0.005 * pipe.gradient * pipe.length()));
  }
}

TEST_CASE("the centreline of a bend follows its circle", "[unit]") {
  const TiledGeometry geometry = torusWithOpenings();
  const double h = geometry.frame.spacing;
  const Fields fields = emptyFields(geometry);
  const auto line =
      findCentreline(NodeLookup(geometry), fields, geometry.openings[0], geometry.openings[1]);
  REQUIRE(line);
  CHECK(relative(lengthOf(*line), 0.5 * pi * 20 * h) < 0.04);
  for (const Double3& point : *line) {
    CHECK(std::abs(std::hypot(point[0], point[1]) - 20 * h) < 0.5 * h);
    CHECK(std::abs(point[2] - 6 * h) < 0.3 * h);
  }
}

TEST_CASE("the centreline passes an aneurysm without winding in it", "[unit]") {
  const TiledGeometry geometry = [] {
    TiledGeometry made = imageGeometry({60, 34, 21}, {false, false, false}, vesselWithAneurysm);
    const double h = made.frame.spacing, area = pi * 25.0 * h * h;
    made.openings = {{1, "a", {-0.5 * h, 8 * h, 10 * h}, {-1, 0, 0}, area, 5 * h},
                     {2, "b", {59.5 * h, 8 * h, 10 * h}, {1, 0, 0}, area, 5 * h}};
    return made;
  }();
  const double h = geometry.frame.spacing;
  const auto line = findCentreline(NodeLookup(geometry), emptyFields(geometry),
                                   geometry.openings[0], geometry.openings[1]);
  REQUIRE(line);
  CHECK(lengthOf(*line) < 1.25 * 60 * h);
  for (std::size_t i = 1; i < line->size(); ++i) CHECK((*line)[i][0] > (*line)[i - 1][0]);
  for (const Double3& point : *line) CHECK(std::abs(point[2] - 10 * h) < 0.75 * h);
}

TEST_CASE("stations along a polyline of one's own, and what is no polyline", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  const NodeLookup lookup(pipe.geometry);
  const Double3 half = 0.4 * pipe.length() * pipe.spec.direction;
  const Polyline axis{pipe.middle - half, pipe.middle, pipe.middle + half};
  const Centreline found = stationsAlong(axis, "own", 4, lookup, pipe.fields);
  REQUIRE(found.stations.size() == 4);
  CHECK(found.stations[0].distance == Approx(0.1 * pipe.length()));
  const Polyline away{{1, 1, 1}, {2, 2, 2}};
  CHECK_THAT(sentenceOfError(ExitCode::Usage,
                             [&] { stationsAlong(away, "away", 4, lookup, pipe.fields); }),
             Contains("away"));
  const TemporaryFolder folder;
  std::ofstream(folder / "line.csv") << "x,y,z\n0,0,0\n0,0,1e-3\r\n0.5,0,1e-3\n";
  CHECK(lengthOf(readPolyline(folder / "line.csv")) == Approx(0.501));
  std::ofstream(folder / "bad.csv") << "0,0,0\n1,2\n";
  CHECK_THAT(sentenceOfError(ExitCode::BadInput, [&] { readPolyline(folder / "bad.csv"); }),
             Contains("bad.csv:2"));
  std::ofstream(folder / "one.csv") << "0,0,0\n0,0,0\n";
  CHECK_THAT(sentenceOfError(ExitCode::BadInput, [&] { readPolyline(folder / "one.csv"); }),
             Contains("two different points"));
}

TEST_CASE("a closed box has no centreline, and that is said", "[unit]") {
  const TiledGeometry geometry = imageGeometry({8, 8, 8}, {false, false, false}, everywhere);
  Request request;
  request.stations = 3;
  CHECK_THAT(sentenceOfError(ExitCode::Usage,
                             [&] { computeResults(emptyFields(geometry), geometry, request); }),
             Contains("--stations"));
}

TEST_CASE("a line across the pipe has Poiseuille's parabola", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({12.0, 24.0});
  const NodeLookup lookup(pipe.geometry);
  const Double3 across{0.8, 0.0, -0.6};
  const Line line{"across", pipe.middle - (1.2 * pipe.radius()) * across,
                  pipe.middle + (1.2 * pipe.radius()) * across, 61};
  const auto profiles = lineProfiles({line}, lookup, pipe.fields);
  REQUIRE(profiles.size() == 1);
  int inside = 0;
  for (const LinePoint& point : profiles[0].points) {
    const double part = fromAxis(pipe, point.point) / pipe.radius();
    if (part < 0.9) CHECK(point.inside);
    if (part > 1.1) CHECK_FALSE(point.inside);
    inside += point.inside ? 1 : 0;
    const double expected = fastest(pipe) * std::max(0.0, 1.0 - part * part);
    CHECK(std::abs(dot(point.velocity, pipe.spec.direction) - expected) < 0.09 * fastest(pipe));
    if (part < 0.85)
      CHECK(std::abs(dot(point.velocity, pipe.spec.direction) - expected) < 0.01 * fastest(pipe));
  }
  CHECK(inside >= 49);
}

TEST_CASE("lines are read with their units, and refused in one sentence", "[unit]") {
  const Line line = parseLine("a=1 mm,2 mm,0;0.5,0,0;7", 0);
  CHECK(line.name == "a");
  CHECK(line.from == Double3{1e-3, 2e-3, 0.0});
  CHECK(line.points == 7);
  CHECK(parseLine("0,0,0;1,0,0;2", 2).name == "line3");
  for (const char* text : {"0,0,0;1,0,0", "0,0,0;1,0,0;1", "0,0,0;0,0,0;5", "0,0;1,0,0;5",
                           "=0,0,0;1,0,0;5", "0,0,0;1,0,0;5x", "0,0,0;1,0,0;99999999999"})
    CHECK_THAT(sentenceOfError(ExitCode::Usage, [&] { parseLine(text, 0); }), Contains("--line"));
  const AnalyticPipe pipe = analyticPipe({4.0, 8.0});
  CHECK_THAT(sentenceOfError(ExitCode::Usage,
                             [&] {
                               lineProfiles({{"far", {1e30, 0, 0}, {2e30, 0, 0}, 3}},
                                            NodeLookup(pipe.geometry), pipe.fields);
                             }),
             Contains("far"));
}

TEST_CASE("the moment of a drag is its arm times it, and coefficients are of the bodies named",
          "[unit]") {
  const AnalyticPipe pipe = analyticPipe({8.0, 32.0});
  const double h = pipe.geometry.frame.spacing;
  Request request;
  request.momentsAbout = pipe.middle + Double3{10 * h, -4 * h, 6 * h};
  request.reference = ForceReference{{"wall"}, 0.5, 2e-6, pipe.spec.direction, Double3{1, 0, 0}};
  const Results results = computeResults(pipe.fields, pipe.geometry, request);
  const WallForce& force = results.forces.at(0);
  const Double3 expected = cross(pipe.middle - request.momentsAbout, force.viscous);
  CHECK(length(force.viscousMoment - expected) < 2e-3 * length(expected));
  REQUIRE(results.coefficients);
  const double drag = pipe.gradient * pi * pipe.radius() * pipe.radius() * pipe.length();
  CHECK(relative(results.coefficients->drag, drag / (0.5 * 1000.0 * 0.25 * 2e-6)) < 2e-3);
  CHECK(std::abs(results.coefficients->lift.value()) < 2e-3 * results.coefficients->drag);
  CHECK(std::abs(dot(*results.coefficients->across, pipe.spec.direction)) < 1e-12);
  CHECK(results.momentsAbout == request.momentsAbout);

  request.reference->bodies = {"stent"};
  CHECK_THAT(sentenceOfError(ExitCode::Usage,
                             [&] { computeResults(pipe.fields, pipe.geometry, request); }),
             Contains("stent") && Contains("wall"));
}

TEST_CASE("shear is summed up by wall label", "[unit]") {
  WallShear shear;
  shear.triangle.resize(4);
  shear.label = {0, 2, 2, 0};
  shear.triangleShear = {4.0, 1.0, 3.0, 2.0};
  shear.triangleArea = {1.0, 3.0, 1.0, 1.0};
  CycleShear cycle{{1, 2, 2, 1}, {0.1, 0.5, std::nan(""), 0.1}, {1, 1, 1, 1}};
  const auto all = statisticsByLabel(shear, cycle, {"vessel", "unused", "stent"});
  REQUIRE(all.size() == 8);
  CHECK(all[0].quantity == "wss[Pa]");
  CHECK(all[0].name == "vessel");
  CHECK(all[0].statistics.mean == Approx(3.0));
  CHECK(all[1].name == "stent");
  CHECK(all[1].statistics.mean == Approx(1.5));
  CHECK(all[1].statistics.p75 == 1.0);
  CHECK(all[1].statistics.p95 == 3.0);
  CHECK(all[5].quantity == "osi");
  CHECK(all[5].statistics.area == Approx(3.0));
}

TEST_CASE("the wall away from openings ends a radius before either end", "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 40.0});
  const Results whole = computeResults(pipe.fields, pipe.geometry);
  REQUIRE(whole.shearAway);
  const double length = pipe.length() - 2.0 * pipe.radius();
  CHECK(relative(whole.shearAway->area, 2.0 * pi * pipe.radius() * length) < 0.02);
  CHECK(relative(whole.shearAway->mean, pipe.wallShear()) < 1e-4);
  // Without stress on the nodes at the ends the whole wall has less, the middle has not.
  std::size_t node = 0;
  for (std::size_t t = 0; t < pipe.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      if (pipe.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      const Int3 at = pipe.geometry.nodeOf(t, l);
      const Double3 place =
          pipe.geometry.frame.toWorld({double(at[0]), double(at[1]), double(at[2])});
      const double along = dot(place - pipe.middle, pipe.spec.direction);
      if (std::abs(along) > 0.5 * pipe.length() - 3.0 * pipe.spec.spacing)
        pipe.fields.stress[node] = {};
      ++node;
    }
  const Results disturbed = computeResults(pipe.fields, pipe.geometry);
  CHECK(disturbed.shear.mean < 0.95 * pipe.wallShear());
  CHECK(relative(disturbed.shearAway->mean, pipe.wallShear()) < 1e-4);
  CHECK(disturbed.shearAway->max < 1.001 * pipe.wallShear());
  // A box without openings has no wall away from them.
  CHECK_FALSE(statisticsAwayFromOpenings(whole.wall, whole.wall.triangleShear, {}));
}

TEST_CASE("vorticity and Q of rotation, strain and Poiseuille's flow", "[unit]") {
  const TiledGeometry geometry = imageGeometry({6, 7, 8}, {false, false, false}, everywhere);
  const NodeLookup lookup(geometry);
  const double h = geometry.frame.spacing;
  const Fields turning = linearFlow(geometry, {{{0, -2, 0}, {2, 0, 0}, {0, 0, 0}}});
  const Fields straining = linearFlow(geometry, {{{2, 0, 0}, {0, -2, 0}, {0, 0, 0}}});
  const double rate = 2.0 * turning.velocityFactor / h;
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const auto turn = velocityGradient(lookup, turning, geometry.nodeOf(t, l), index);
    REQUIRE(vorticity(turn)[2] == Approx(2.0 * rate));
    REQUIRE(qCriterion(turn) == Approx(rate * rate));
    const auto strain = velocityGradient(lookup, straining, geometry.nodeOf(t, l), index);
    REQUIRE(length(vorticity(strain)) == Approx(0.0).margin(1e-9 * rate));
    REQUIRE(qCriterion(strain) == Approx(-rate * rate));
  });

  // Quadratic along every axis: exact wherever three nodes follow each other.
  const AnalyticPipe pipe = analyticPipe({8.0, 20.0});
  const NodeLookup inPipe(pipe.geometry);
  const double largest = pipe.gradient * pipe.radius() / (2.0 * pipe.viscosity);
  std::size_t exact = 0;
  forEachNode(inPipe, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const Double3 place = pipe.geometry.frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]});
    const double expected = pipe.gradient * fromAxis(pipe, place) / (2.0 * pipe.viscosity);
    const double found = length(vorticity(velocityGradient(inPipe, pipe.fields, n, index)));
    exact += std::abs(found - expected) < 1e-4 * largest ? 1 : 0;
  });
  CHECK(static_cast<double>(exact) > 0.97 * static_cast<double>(pipe.geometry.fluidNodes));
}

TEST_CASE("porosity, tortuosity, millidarcy and inertia of a slit", "[unit]") {
  const auto slit = [](int, int y, int) { return y >= 1 && y <= 10; };
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, slit);
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {0.03F, 0.0F, 0.04F};
  fields.bodyForce = {20.0, 0.0, 0.0};
  const Results results = computeResults(fields, geometry);
  REQUIRE(results.permeability);
  const Permeability& found = *results.permeability;
  CHECK(found.porosity == Approx(10.0 / 12.0));
  CHECK(found.tortuosity == Approx(5.0 / 3.0));
  CHECK(found.milliDarcy() == Approx(found.value / 9.869233e-16));
  CHECK(found.poreReynolds == Approx(found.superficial * std::sqrt(found.value) / 1e-6));
  CHECK(found.inertial);
  CHECK(results.warnings.back().find("Forchheimer") != std::string::npos);
}

TEST_CASE("three runs give back the permeability tensor, whatever their directions", "[unit]") {
  const std::array<Double3, 3> k{{{3e-12, 1e-12, 0}, {1e-12, 2e-12, 4e-13}, {0, 4e-13, 1e-12}}};
  const std::vector<Double3> force{{10, 0, 0}, {3, 20, 0}, {0, -1, 5}};
  std::vector<DarcyRun> runs;
  for (std::size_t r = 0; r < 3; ++r) {
    const double viscosity = 1e-3 * (1.0 + static_cast<double>(r));
    runs.push_back({"r" + std::to_string(r), darcyOf(k, force[r], viscosity), viscosity});
  }
  const PermeabilityTensor tensor = permeabilityTensor(runs, 3, {0, 0, 1});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) CHECK(tensor.value[i][j] == Approx(k[i][j]).margin(1e-24));
  CHECK(tensor.asymmetry < 1e-12);
  for (std::size_t p = 0; p < 3; ++p) {
    Double3 product{};
    for (std::size_t i = 0; i < 3; ++i) product[i] = dot(k[i], tensor.direction[p]);
    CHECK(length(product - tensor.principal[p] * tensor.direction[p]) < 1e-24);
  }
  CHECK(tensor.principal[0] > tensor.principal[1]);

  const PermeabilityTensor plane =
      permeabilityTensor({{"x", darcyOf({{{3, 1, 0}, {1, 2, 0}, {0, 0, 0}}}, {1, 0, 0}, 1.0), 1.0},
                          {"y", darcyOf({{{3, 1, 0}, {1, 2, 0}, {0, 0, 0}}}, {0, 2, 0}, 1.0), 1.0}},
                         2, {0, 0, 1});
  CHECK(plane.value[1][0] == Approx(1.0));
  CHECK(plane.value[2][2] == 0.0);

  runs[2] = runs[0];
  CHECK_THAT(sentenceOfError(ExitCode::BadInput,
                             [&] {
                               permeabilityTensor(runs, 3, {0, 0, 1});
                             }),
             Contains("independent"));
  runs.pop_back();
  CHECK_THAT(sentenceOfError(ExitCode::Usage,
                             [&] {
                               permeabilityTensor(runs, 3, {0, 0, 1});
                             }),
             Contains("--with"));
}

TEST_CASE("Forchheimer's law is found again from two runs and from more", "[unit]") {
  const double k = 2e-12, beta = 4e5, nu = 1e-6, rho = 1000.0;
  const auto run = [&](double velocity, double scatter) {
    Permeability of;
    of.direction = {0, 0, 1};
    of.superficial = velocity;
    of.value = scatter / (1.0 / k + beta * velocity / nu);
    of.poreReynolds = velocity * std::sqrt(of.value) / nu;
    return DarcyRun{"run", of, rho * nu};
  };
  const Forchheimer two = forchheimerFit({run(1e-3, 1.0), run(1e-1, 1.0)});
  CHECK(two.permeability == Approx(k));
  CHECK(two.coefficient == Approx(beta));
  CHECK(two.inertia == Approx(beta * std::sqrt(k)));
  CHECK(two.residual < 1e-12);
  const Forchheimer three = forchheimerFit({run(1e-1, 1.0), run(1e-3, 1.0), run(5e-2, 1.001)});
  CHECK(three.coefficient == Approx(beta).epsilon(0.02));
  CHECK(three.residual > 1e-4);
  CHECK(three.residual < 1e-3);
  CHECK(three.runs[2].apparent == Approx(run(5e-2, 1.001).result.value));

  const auto refused = [](ExitCode code, const std::vector<DarcyRun>& runs) {
    return sentenceOfError(code, [&] { forchheimerFit(runs); });
  };
  CHECK_THAT(refused(ExitCode::Usage, {run(1e-3, 1.0)}), Contains("--forchheimer"));
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), run(1.001e-3, 1.0)}), Contains("1 %"));
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), run(2e-3, 0.1)}), Contains("slower"));
  DarcyRun across = run(1e-1, 1.0);
  across.result.direction = {1, 0, 0};
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), across}), Contains("direction"));
  DarcyRun still = run(1e-1, 1.0);
  still.result.value = 0.0;
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), still}), Contains("converge"));
}

TEST_CASE("what may be missing of the mass goes by the walls' scheme", "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  REQUIRE(pipe.fields.openings.size() == 2);
  pipe.fields.openings[1].flowRate = -0.998 * pipe.fields.openings[0].flowRate;
  const auto warned = [&](const std::string& solver) {
    pipe.fields.caseText = solver;
    const auto warnings = computeResults(pipe.fields, pipe.geometry).warnings;
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
      return warning.find("do not balance") != std::string::npos;
    });
  };
  CHECK(warned(""));
  CHECK(warned("[solver]\nwalls = \"halfway\"\n"));
  CHECK_FALSE(warned("[solver]\nwalls = \"bouzidi\"\n"));
  pipe.fields.openings[1].flowRate = -0.99 * pipe.fields.openings[0].flowRate;
  CHECK(warned("[solver]\nwalls = \"bouzidi\"\n"));
}
