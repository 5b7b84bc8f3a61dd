// SPDX-License-Identifier: GPL-3.0-or-later
// Wall shear stress of Poiseuille's flow on the triangles of a tube that is not aligned with the
// axes, with interpolated walls, through the whole chain: 4 mu U / R everywhere.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "postprocess/fields/run_files.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::chain;
using namespace tessera::testing;

namespace {

constexpr double across = 4e-3, tubeLength = 12e-3, meanVelocity = 1e-3, viscosity = 1e-3;

std::string tubeCase() {
  CaseBuilder flow = fluidOf("1e-3 Pa.s");
  flow.table("solver").with("equilibrium", "incompressible").with("precision", "f64");
  flow.with("walls", "bouzidi").with("tau", 1.0);
  flow.opening(1, "velocity").with("profile", "parabolic").with("mean", "1 mm/s");
  flow.opening(2, "pressure").with("value", 0);
  return flow.steps(20000).with("converged", 1e-6).toml();
}

// Errors of triangles whose centroid is between two distances from the inlet, weighted by area.
struct ShearError {
  double mean = 0.0;  // of the area mean, signed, relative
  double p95 = 0.0;   // 95 % of the area has a smaller relative error
};

ShearError errorBetween(const WallShear& wall, const Double3& axis, double first, double last) {
  const double exact = 4.0 * viscosity * meanVelocity / (0.5 * across);
  std::vector<std::pair<double, double>> errors;  // error, area
  double area = 0.0, sum = 0.0;
  for (std::size_t t = 0; t < wall.triangle.size(); ++t) {
    const auto& corner = wall.triangle[t];
    const double along =
        dot(wall.vertex[corner[0]] + wall.vertex[corner[1]] + wall.vertex[corner[2]], axis) / 3.0;
    if (along < first || along > last) continue;
    area += wall.triangleArea[t];
    sum += wall.triangleArea[t] * wall.triangleShear[t];
    errors.emplace_back(std::abs(wall.triangleShear[t] / exact - 1.0), wall.triangleArea[t]);
  }
  std::sort(errors.begin(), errors.end());
  double below = 0.0;
  for (const auto& [error, part] : errors)
    if ((below += part) >= 0.95 * area) return {sum / area / exact - 1.0, error};
  return {};
}

}  // namespace

TEST_CASE("Wall shear of a slanted tube: mean within 1 %, 95 % of the wall within 5 %", "[slow]") {
  const WorkFolder work;
  work.write("tube.toml", tubeCase());
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '12 mm' --direction 1,2,3"
      " --segments 192 -o tube.stl");
  work.mustRun("tessera-preprocess --quiet --unit mm --across 30 tube.stl -o tube.vdb");
  work.mustRun("tessera-tiler --quiet tube.vdb -o tube.tiles");
  work.mustRun("tessera-solver --quiet tube.tiles --case tube.toml -o tube.fields");
  const RunFiles run = readRun({work.path("tube.fields")});
  const Results results = computeResults(run.fields, run.geometry());
  const Double3 axis = (1.0 / std::sqrt(14.0)) * Double3{1, 2, 3};
  REQUIRE(results.wall.triangle.size() > 10000);
  const auto check = [&](double first, double last) {
    const ShearError error = errorBetween(results.wall, axis, first, last);
    INFO("from " << first << " to " << last << " m: mean " << error.mean << ", p95 " << error.p95);
    CHECK(error.p95 > 0.0);
    CHECK(std::abs(error.mean) < 0.01);
    CHECK(error.p95 < 0.05);
  };
  check(0.25 * across, tubeLength - 0.25 * across);
  // With the inlet's rim; slow flow feels the pressure outlet for a radius.
  check(-across, tubeLength - 0.5 * across);
}
