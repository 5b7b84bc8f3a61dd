// SPDX-License-Identifier: GPL-3.0-or-later
// Stations along centrelines and polylines, and values along lines, against closed forms.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numbers>

#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/stations.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::test;

namespace {

using std::numbers::pi;

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

}  // namespace

TEST_CASE("Stations: along the computed centreline: axis, radius, flow, pressure", "[unit]") {
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
    CHECK(pipe.fromAxis(station.point) < 0.25 * pipe.geometry.frame.spacing);
    CHECK(dot(station.normal, pipe.spec.direction) > 0.999);
    CHECK(relative(station.radius, pipe.radius()) < 0.01);
    CHECK(relative(station.flowRate, pipe.flowRate()) < 0.025);
    CHECK(relative(station.peakVelocity, pipe.fastest()) < 0.02);
    const double along = ((static_cast<double>(k) + 0.5) / 8.0 - 0.5) * pipe.length();
    CHECK(station.meanPressure ==
          Approx(-pipe.gradient * along).margin(0.005 * pipe.gradient * pipe.length()));
  }
}

TEST_CASE("Stations: flow through a plane at any angle to a tube at any angle", "[unit]") {
  struct Expected {
    double across, error;  // nodes, of the flow rate
  };
  for (const auto& [across, error] : {Expected{8.0, 5e-3}, {12.0, 2.5e-3}, {16.0, 1.5e-3}}) {
    const AnalyticPipe pipe =
        analyticPipe({0.5 * across, 3.0 * across, unit(Double3{1.0, 2.0, 3.0})});
    const NodeLookup lookup(pipe.geometry);
    const double h = pipe.geometry.frame.spacing;
    double mean = 0.0;
    int planes = 0;
    for (const Double3& tilt : {Double3{}, {0.4, 0.0, 0.0}, {0.0, -0.3, 0.3}, {0.0, 0.6, 0.0}})
      for (const double along : {-1.3, 0.0, 0.4, 2.1}) {
        const Double3 normal = unit(pipe.spec.direction + tilt);
        const Plane plane{"p", pipe.middle + along * h * pipe.spec.direction, normal};
        const auto found = planeFlow(plane, lookup, pipe.fields);
        REQUIRE(found);
        const double part = found->flowRate / pipe.flowRate() - 1.0;
        INFO(across << " across, plane " << planes << ": " << part);
        CHECK(std::abs(part) < error);
        const double slant = dot(normal, pipe.spec.direction);
        CHECK(relative(found->area, pi * pipe.radius() * pipe.radius() / slant) < 0.5 / across);
        CHECK(relative(found->peakVelocity, pipe.fastest()) < 4.0 / (across * across));
        mean += part;
        ++planes;
      }
    INFO(across << " across, mean: " << mean / planes);
    CHECK(std::abs(mean / planes) < 0.2 * error);
  }
}

TEST_CASE("Stations: flow through a plane up to an opening, at any angle", "[unit]") {
  for (const auto& [direction, error] :
       {std::pair(Double3{0.0, 0.0, 1.0}, 1e-3), std::pair(unit(Double3{1.0, 2.0, 3.0}), 0.02)}) {
    const AnalyticPipe pipe = analyticPipe({6.0, 36.0, direction});
    const NodeLookup lookup(pipe.geometry);
    const double h = pipe.geometry.frame.spacing;
    const auto flowAt = [&](double along) {
      const auto found = planeFlow({"p", pipe.middle + along * pipe.spec.direction, direction},
                                   lookup, pipe.fields);
      return found ? found->flowRate : 0.0;
    };
    for (const double end : {-1.0, 1.0}) {
      const double middle = flowAt(0.3 * end * pipe.length());
      for (const double before : {0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5}) {
        INFO(end << " " << before);
        CHECK(relative(flowAt(end * (0.5 * pipe.length() - before * h)), middle) < error);
      }
    }
  }
}

TEST_CASE("Stations: a plane of a geometry in 2D", "[unit]") {
  TiledGeometry geometry = imageGeometry({20, 11, 1}, {false, false, false}, everywhere);
  geometry.dimensions = 2;
  Fields fields = emptyFields(geometry);
  const NodeLookup lookup(geometry);
  for (auto& velocity : fields.velocity) velocity = {2.0F, 0.0F, 0.0F};
  const double h = geometry.frame.spacing;
  const auto flowThrough = [&](const Double3& normal) {
    return planeFlow({"p", {7.0 * h, 5.0 * h, 0.0}, unit(normal)}, lookup, fields);
  };
  for (const Double3& normal : {Double3{1.0, 0.0, 0.0}, {1.0, 0.5, 0.0}, {1.0, 0.0, 0.3}}) {
    const auto found = flowThrough(normal);
    REQUIRE(found);
    CHECK(found->flowRate == Approx(2.0 * fields.velocityFactor * 11.0 * h * h).epsilon(0.03));
  }
  CHECK_FALSE(flowThrough({0.0, 0.0, 1.0}));
  std::vector<std::string> warnings;
  planeSummaries({{"z", {7.0 * h, 5.0 * h, 0.0}, {0.0, 0.0, 1.0}}}, lookup, fields, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::Contains("normal"));
}

TEST_CASE("Stations: the centreline of a bend follows its circle", "[unit]") {
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

TEST_CASE("Stations: the centreline passes an aneurysm without winding in it", "[unit]") {
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

TEST_CASE("Stations: along a given polyline, and invalid polylines are refused", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  const NodeLookup lookup(pipe.geometry);
  const Double3 half = 0.4 * pipe.length() * pipe.spec.direction;
  const Polyline axis{pipe.middle - half, pipe.middle, pipe.middle + half};
  const Centreline found = stationsAlong(axis, "own", 4, lookup, pipe.fields);
  REQUIRE(found.stations.size() == 4);
  CHECK(found.stations[0].distance == Approx(0.1 * pipe.length()));
  const Polyline away{{1, 1, 1}, {2, 2, 2}};
  checkError(ExitCode::Usage, [&] { stationsAlong(away, "away", 4, lookup, pipe.fields); },
             {"away"});
  const TemporaryFolder folder;
  std::ofstream(folder / "line.csv") << "x,y,z\n0,0,0\n0,0,1e-3\r\n0.5,0,1e-3\n";
  CHECK(lengthOf(readPolyline(folder / "line.csv")) == Approx(0.501));
  std::ofstream(folder / "bad.csv") << "0,0,0\n1,2\n";
  checkError(ExitCode::BadInput, [&] { readPolyline(folder / "bad.csv"); }, {"bad.csv:2"});
  std::ofstream(folder / "one.csv") << "0,0,0\n0,0,0\n";
  checkError(ExitCode::BadInput, [&] { readPolyline(folder / "one.csv"); }, {"points"});
}

TEST_CASE("Stations: a closed box has no centreline and is refused", "[unit]") {
  const TiledGeometry geometry = imageGeometry({8, 8, 8}, {false, false, false}, everywhere);
  Request request;
  request.stations = 3;
  checkError(ExitCode::Usage, [&] { computeResults(emptyFields(geometry), geometry, request); },
             {"--stations"});
}

TEST_CASE("Stations: a line across the pipe has Poiseuille's parabola", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({12.0, 24.0});
  const NodeLookup lookup(pipe.geometry);
  const Double3 across{0.8, 0.0, -0.6};
  const Line line{"across", pipe.middle - (1.2 * pipe.radius()) * across,
                  pipe.middle + (1.2 * pipe.radius()) * across, 61};
  std::vector<std::string> warnings;
  const auto profiles = lineProfiles({line}, lookup, pipe.fields, warnings);
  REQUIRE(profiles.size() == 1);
  int inside = 0;
  for (const LinePoint& point : profiles[0].points) {
    const double part = pipe.fromAxis(point.point) / pipe.radius();
    if (part < 0.9) CHECK(point.inside);
    if (part > 1.1) CHECK_FALSE(point.inside);
    inside += point.inside ? 1 : 0;
    const double expected = pipe.fastest() * std::max(0.0, 1.0 - part * part);
    CHECK(std::abs(dot(point.velocity, pipe.spec.direction) - expected) < 0.09 * pipe.fastest());
    if (part < 0.85)
      CHECK(std::abs(dot(point.velocity, pipe.spec.direction) - expected) < 0.01 * pipe.fastest());
  }
  CHECK(inside >= 49);
}

TEST_CASE("Stations: lines are read with their units, and refused in one sentence", "[unit]") {
  const Line line = parseLine("a=1 mm,2 mm,0;0.5,0,0;7", 0);
  CHECK(line.name == "a");
  CHECK(line.from == Double3{1e-3, 2e-3, 0.0});
  CHECK(line.points == 7);
  CHECK(parseLine("0,0,0;1,0,0;2", 2).name == "line3");
  for (const char* text : {"0,0,0;1,0,0", "0,0,0;1,0,0;1", "0,0,0;0,0,0;5", "0,0;1,0,0;5",
                           "=0,0,0;1,0,0;5", "0,0,0;1,0,0;5x", "0,0,0;1,0,0;99999999999"})
    checkError(ExitCode::Usage, [&] { parseLine(text, 0); }, {"--line"});
  const AnalyticPipe pipe = analyticPipe({4.0, 8.0});
  std::vector<std::string> warnings;
  const Line far{"far", {1e30, 0, 0}, {2e30, 0, 0}, 3};
  const Line near{"near", pipe.middle, pipe.middle + 1e-4 * pipe.spec.direction, 3};
  const auto profiles = lineProfiles({far, near}, NodeLookup(pipe.geometry), pipe.fields, warnings);
  REQUIRE(profiles.size() == 1);
  CHECK(profiles[0].name == "near");
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::Contains("\"far\""));
  // Where the geometry lies is said in the unit of the text, without one in metres.
  for (const auto& [text, unit] :
       {std::pair{"9e6 mm,1 cm,0;8e6 mm,0,0;3", " mm; "},
        std::pair{"9e9,0,0;8e9,0.5um,0;3", " um; "},
        std::pair{"9e9,0,0;8e9,0,0;3", " m (numbers without a unit are metres); "}}) {
    std::vector<std::string> said;
    lineProfiles({parseLine(text, 0)}, NodeLookup(pipe.geometry), pipe.fields, said);
    REQUIRE(said.size() == 1);
    CHECK_THAT(said[0] + "; ", Catch::Contains(unit));
  }
  const std::vector<Plane> planes{{"in", pipe.middle, pipe.spec.direction},
                                  {"out", {1e30, 0, 0}, pipe.spec.direction}};
  CHECK(planeSummaries(planes, NodeLookup(pipe.geometry), pipe.fields, warnings).size() == 1);
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[1], Catch::Contains("\"out\""));
}
