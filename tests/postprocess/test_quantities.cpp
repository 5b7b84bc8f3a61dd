// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions of exact fields: what is put in must come out.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numbers>

#include "analytic_pipe.hpp"
#include "postprocess/compute_results.hpp"
#include "postprocess/opening_flow.hpp"
#include "postprocess/permeability.hpp"
#include "postprocess/sample_field.hpp"
#include "postprocess/wall_shear.hpp"
#include "postprocess/write_summary.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

double relative(double found, double expected) {
  return std::abs(found - expected) / std::abs(expected);
}

bool everywhere(int, int, int) {
  return true;
}

// A slit of ten nodes between two plates.
bool slit(int, int y, int) {
  return y >= 1 && y <= 10;
}

}  // namespace

TEST_CASE("a linear field is sampled exactly, on periodic axes across the seam", "[unit]") {
  const TiledGeometry geometry = imageGeometry({10, 9, 7}, {true, false, false}, everywhere);
  const NodeLookup lookup(geometry);
  std::vector<float> field(geometry.fluidNodes);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 node = geometry.nodeOf(t, l);
    field[index] = static_cast<float>(2 * node[1] - 3 * node[2] + 5);
  });
  for (const Double3& place : {Double3{2.25, 3.5, 1.125}, Double3{9.75, 7.5, 5.0},
                               Double3{-0.5, 0.0, 0.25}, Double3{0.0, 8.0, 6.0}}) {
    const Stencil stencil = stencilAt(lookup, place);
    CHECK(stencil.fluidPart == Approx(1.0));
    CHECK(sample(field, stencil) == Approx(2 * place[1] - 3 * place[2] + 5).margin(1e-12));
  }
}

TEST_CASE("near a wall only non-solid nodes count, and the centre says where they are", "[unit]") {
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, slit);
  const NodeLookup lookup(geometry);
  const Stencil stencil = stencilAt(lookup, {3.5, 0.75, 4.0});
  CHECK(stencil.count == 2);
  CHECK(stencil.fluidPart == Approx(0.75));
  CHECK(stencil.centre[1] == Approx(1.0));
  CHECK(stencilAt(lookup, {3.5, -0.5, 4.0}).count == 0);
  const Stencil lower = stencilWithin(lookup, {3.0, 5.5, 4.0}, {{3.0, 5.25, 4.0}, {0, 1, 0}});
  CHECK(lower.centre[1] == Approx(5.0));
}

TEST_CASE("the flow rate through any plane of a tilted pipe is that of Poiseuille", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({12.0, 48.0});
  const NodeLookup lookup(pipe.geometry);
  const Double3 oblique =
      (1.0 / std::sqrt(1.25)) * (pipe.spec.direction + 0.5 * Double3{0.8, 0, -0.6});
  for (const Double3& normal : {pipe.spec.direction, (1.0 / length(oblique)) * oblique}) {
    const auto plane = planeFlow({"p", pipe.middle, normal}, lookup, pipe.fields);
    REQUIRE(plane);
    CHECK(relative(plane->flowRate, pipe.flowRate()) < 0.01);
    const double area =
        std::numbers::pi * pipe.radius() * pipe.radius() / dot(normal, pipe.spec.direction);
    CHECK(relative(plane->area, area) < 0.02);
    CHECK(std::abs(plane->meanPressure) < 0.002 * pipe.gradient * pipe.length());
  }
  CHECK_FALSE(planeFlow({"p", pipe.geometry.frame.origin, {1, 0, 0}}, lookup, pipe.fields));
}

TEST_CASE("a plane takes only the cross-section that holds its point", "[unit]") {
  const auto twoSlits = [](int, int y, int) { return y < 4 || y > 7; };
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, twoSlits);
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {4.0F, 0.0F, 0.0F};  // 1 m/s
  const NodeLookup lookup(geometry);
  const auto plane = planeFlow({"p", {4e-3, 1.5e-3, 4e-3}, {1, 0, 0}}, lookup, fields);
  REQUIRE(plane);
  CHECK(plane->area == Approx(4.0 * 8.0 * 1e-6).epsilon(0.07));
}

TEST_CASE("wall shear of a tilted pipe: mean G R / 2, second order", "[unit]") {
  double previous = 0.0;
  for (const double radius : {5.0, 10.0, 20.0}) {
    const AnalyticPipe pipe = analyticPipe({radius, 4.0 * radius, {0.48, 0.6, 0.64}, 400, 1e-4});
    const NodeLookup lookup(pipe.geometry);
    const WallSurface wall = wallSurface(pipe.geometry);
    const auto stress = stressOnSurface(lookup, pipe.fields, wall);
    const WallShear shear = wallShear(wall, stress, pipe.geometry.frame);
    const ShearStatistics statistics = shearStatistics(shear);
    const double error = relative(statistics.mean, pipe.wallShear());
    CHECK(shear.triangle.size() == wall.mesh.triangle.size());
    CHECK(relative(statistics.area, 2.0 * std::numbers::pi * pipe.radius() * pipe.length()) < 1e-3);
    previous = error;
    // Along the flow, everywhere.
    Double3 mean{};
    for (const Double3& traction : shear.triangleTraction) mean = mean + traction;
    CHECK(dot(mean, pipe.spec.direction) / length(mean) > 0.9999);
  }
  CHECK(previous < 0.01);
}
