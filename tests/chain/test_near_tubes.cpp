// SPDX-License-Identifier: GPL-3.0-or-later
// Two tubes whose walls are 0.05 mm apart on a lattice of 0.3 mm, with flows in opposite
// directions, through the programs: nothing crosses from one to the other, in the run or after it.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::chain;
using namespace tessera::testing;
using namespace tessera::test;

namespace {

const Double3 along{1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};                    // of both tubes
const Double3 across{2.0 / std::sqrt(5.0), -1.0 / std::sqrt(5.0), 0.0};  // from B to A
constexpr double radius = 2.0, tubeLength = 12.0, gap = 0.05;            // mm

// A from the origin, B next to it. Openings by z, then y, then x of their centres: 1 and 3 are the
// lower and upper end of A, 2 and 4 those of B.
void makeTubes(const WorkFolder& work) {
  const Double3 shift = -(2.0 * radius + gap) * across;
  const TriangleMesh a = tubeMesh({}, tubeLength * along, radius, 96, false);
  const TriangleMesh b = tubeMesh(shift, shift + tubeLength * along, radius, 96, false);
  put(work, "tubes.stl", joined(a, b));
  work.mustRun("tessera-preprocess --quiet --unit mm --spacing 0.3mm tubes.stl -o tubes.vdb");
  work.mustRun("tessera-tiler --quiet tubes.vdb -o tubes.tiles");
}

CaseBuilder flowThroughA() {
  CaseBuilder flow = fluidOf("1e-3 Pa.s");
  flow.table("solver").with("equilibrium", "incompressible").with("precision", "f64");
  flow.with("tau", 0.9);
  flow.opening(1, "velocity").with("profile", "parabolic").with("mean", "1 mm/s");
  flow.opening(2, "pressure").with("value", 0);
  flow.opening(3, "pressure").with("value", 0);
  flow.steps(12000).with("converged", 1e-9);
  return flow;
}

// m3/s by opening.
std::map<int, double> ratesOf(const WorkFolder& work, CaseBuilder& flow) {
  work.write("case.toml", flow.toml());
  work.mustRun(
      "tessera-solver --quiet tubes.tiles --case case.toml --report solver.json -o tubes.fields");
  std::map<int, double> rate;
  const auto report = work.json("solver.json");
  for (const auto& opening : report.at("openings"))
    rate[opening.at("id")] = opening.at("flow_rate_m3_s");
  return rate;
}

std::string inMillimetres(const Double3& place) {
  std::ostringstream text;
  for (std::size_t a = 0; a < 3; ++a) text << (a > 0 ? "," : "") << place[a] << "mm";
  return text.str();
}

Double3 middleOf(bool ofA) {
  return 0.5 * tubeLength * along - (ofA ? 0.0 : 2.0 * radius + gap) * across;
}

// Rows of a CSV file without its heading.
std::vector<std::vector<std::string>> rowsOf(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  rows.erase(rows.begin());
  return rows;
}

}  // namespace

TEST_CASE("Near tubes: flow through one does not move the fluid in the other", "[pipeline]") {
  const WorkFolder work;
  makeTubes(work);
  CaseBuilder flow = flowThroughA();
  flow.opening(4, "pressure").with("value", 0);
  std::map<int, double> rate = ratesOf(work, flow);
  const double through = std::abs(rate.at(1));
  CHECK(through > 0.9 * 1e-9 * std::numbers::pi * radius * radius);
  CHECK(std::abs(rate[1] + rate[3]) < 1e-6 * through);
  CHECK(std::abs(rate[2]) < 1e-6 * through);
  CHECK(std::abs(rate[4]) < 1e-6 * through);
}

TEST_CASE("Near tubes: flows in opposite directions are separate in every result", "[pipeline]") {
  const WorkFolder work;
  makeTubes(work);
  CaseBuilder flow = flowThroughA();
  flow.opening(4, "velocity").with("profile", "parabolic").with("mean", "0.3 mm/s");
  std::map<int, double> rate = ratesOf(work, flow);
  CHECK(std::abs(rate[1] + rate[3]) < 1e-6 * std::abs(rate[1]));
  CHECK(std::abs(rate[2] + rate[4]) < 1e-6 * std::abs(rate[4]));

  const Double3 reach = (radius + gap) * across;
  work.mustRun(
      "tessera-postprocess --quiet --no-pictures tubes.fields -o out --stations 6 --plane 'a=" +
      inMillimetres(middleOf(true)) + ";1,2,2' --plane 'b=" + inMillimetres(middleOf(false)) +
      ";1,2,2' --line 'l=" + inMillimetres(middleOf(true) + reach) + ';' +
      inMillimetres(middleOf(false) - reach) + ";300'");
  const auto summary = work.json("out/summary.json");
  // A plane in a tube 13 nodes across is 2 % off, near another tube or not.
  const double section = 1e-6 * std::numbers::pi * radius * radius;
  const auto checkPlane = [&](std::size_t k, double expected) {
    const auto& plane = summary.at("planes").at(k);
    CHECK(plane.at("area_m2").get<double>() == Approx(section).epsilon(0.03));
    CHECK(plane.at("flow_rate_m3_s").get<double>() == Approx(expected).epsilon(0.03));
  };
  checkPlane(0, rate[3]);
  checkPlane(1, rate[2] * -1.0);
  for (const auto& opening : summary.at("openings"))
    CHECK(opening.at("flow_rate_inside_m3_s").get<double>() ==
          Approx(opening.at("flow_rate_m3_s").get<double>()).epsilon(0.03));

  // The tube that a point is in, or the gap between them, by its place across.
  int inA = 0, inB = 0;
  for (const auto& row : rowsOf(readWhole(work.path("out/lines.csv")))) {
    if (row.at(5).empty() || row.at(5) == "nan") continue;
    const Double3 place{std::stod(row.at(2)), std::stod(row.at(3)), std::stod(row.at(4))};
    const Double3 velocity{std::stod(row.at(5)), std::stod(row.at(6)), std::stod(row.at(7))};
    const double fromGap = 1e3 * dot(place, across) + radius + 0.5 * gap;
    if (std::abs(fromGap) < 0.1) continue;
    CHECK((dot(velocity, along) > 0.0) == (fromGap > 0.0));
    ++(fromGap > 0.0 ? inA : inB);
  }
  CHECK(inA > 100);
  CHECK(inB > 100);

  std::set<std::string> centrelines;
  for (const auto& row : rowsOf(readWhole(work.path("out/stations.csv"))))
    centrelines.insert(row.at(0));
  CHECK(centrelines == std::set<std::string>{"1-3"});
}
