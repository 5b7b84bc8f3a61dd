// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions of exact fields.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "postprocess/fields/pressure_tap.hpp"
#include "postprocess/fields/sample_field.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/opening_flow.hpp"
#include "postprocess/quantity/permeability.hpp"
#include "postprocess/quantity/wall_curvature.hpp"
#include "postprocess/quantity/wall_forces.hpp"
#include "postprocess/quantity/wall_shear.hpp"
#include "postprocess/write/write.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::postprocess::write;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::file;
using namespace tessera::tiler;
using namespace tessera::test;

namespace {

using std::numbers::pi;

// A slit of ten nodes between two plates.
bool slit(int, int y, int) {
  return y >= 1 && y <= 10;
}

}  // namespace

TEST_CASE("Quantities: a linear field is sampled exactly, on periodic axes across the seam",
          "[unit]") {
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

TEST_CASE("Quantities: near a wall only fluid nodes count, and the centre lies between them",
          "[unit]") {
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

TEST_CASE("Quantities: the flow rate through any plane of a tilted pipe is that of Poiseuille",
          "[unit]") {
  const AnalyticPipe pipe = analyticPipe({12.0, 48.0});
  const NodeLookup lookup(pipe.geometry);
  const Double3 oblique =
      (1.0 / std::sqrt(1.25)) * (pipe.spec.direction + 0.5 * Double3{0.8, 0, -0.6});
  for (const Double3& normal : {pipe.spec.direction, (1.0 / length(oblique)) * oblique}) {
    const auto plane = planeFlow({"p", pipe.middle, normal}, lookup, pipe.fields);
    REQUIRE(plane);
    CHECK(relative(plane->flowRate, pipe.flowRate()) < 0.01);
    const double area = pi * pipe.radius() * pipe.radius() / dot(normal, pipe.spec.direction);
    CHECK(relative(plane->area, area) < 0.02);
    CHECK(std::abs(plane->meanPressure) < 0.002 * pipe.gradient * pipe.length());
  }
  CHECK_FALSE(planeFlow({"p", pipe.geometry.frame.origin, {1, 0, 0}}, lookup, pipe.fields));
}

TEST_CASE("Quantities: a plane takes only the cross-section that holds its point", "[unit]") {
  const auto twoSlits = [](int, int y, int) { return y < 4 || y > 7; };
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, twoSlits);
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {4.0F, 0.0F, 0.0F};  // 1 m/s
  const NodeLookup lookup(geometry);
  const auto plane = planeFlow({"p", {4e-3, 1.5e-3, 4e-3}, {1, 0, 0}}, lookup, fields);
  REQUIRE(plane);
  CHECK(plane->area == Approx(4.0 * 8.0 * 1e-6).epsilon(0.07));
}

TEST_CASE("Quantities: wall shear of a tilted pipe is G R / 2 on every triangle", "[unit]") {
  for (const double radius : {5.0, 10.0}) {
    const AnalyticPipe pipe = analyticPipe({radius, 4.0 * radius});
    const NodeLookup lookup(pipe.geometry);
    const WallSurface wall = wallSurface(pipe.geometry);
    const auto stress = stressOnSurface(lookup, pipe.fields, wall);
    const WallShear shear = wallShear(wall, stress, pipe.geometry.frame);
    const ShearStatistics statistics = shearStatistics(shear);
    CHECK(shear.triangle.size() == wall.mesh.triangle.size());
    CHECK(relative(statistics.area, 2.0 * pi * pipe.radius() * pipe.length()) < 1e-3);
    // The polygon of 400 corners leaves 3e-5.
    for (const double value : {statistics.mean, statistics.p01, statistics.p99, statistics.max})
      CHECK(relative(value, pipe.wallShear()) < 1e-4);
    for (const double value : shear.vertexShear) REQUIRE(relative(value, pipe.wallShear()) < 1e-4);
    for (const Double3& traction : shear.triangleTraction)
      REQUIRE(dot(traction, pipe.spec.direction) > 0.9999 * pipe.wallShear());
  }
}

TEST_CASE(
    "Quantities: shear over a cycle has mean magnitude, oscillation and residence by definition",
    "[unit]") {
  AnalyticPipe pipe = analyticPipe({5.0, 20.0});
  const NodeLookup lookup(pipe.geometry);
  CHECK_FALSE(computeResults(pipe.fields, pipe.geometry, {}).cycle);
  // At the nodes at the wall: a magnitude that grows along x, of which three fifths have one
  // direction; the wall's other end has a tenth.
  MeanFields means;
  const auto magnitude = [](const Int3& node) { return 1.0 + 0.02 * node[0]; };
  const int middle = pipe.geometry.nodes[0] / 2;
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const auto& geometry = pipe.geometry;
    const auto from = geometry.boundaryLocal.begin();
    const auto begin = from + static_cast<std::ptrdiff_t>(geometry.boundaryStart[t]);
    const auto end = from + static_cast<std::ptrdiff_t>(geometry.boundaryStart[t + 1]);
    if (std::find(begin, end, l) == end) return;
    const Int3 node = geometry.nodeOf(t, l);
    const double part = node[0] < middle ? 0.6 : 0.1;
    means.wallNode.push_back(index);
    means.wallShear.push_back(static_cast<float>(magnitude(node)));
    means.wallTraction.push_back({0.0F, static_cast<float>(part * magnitude(node)), 0.0F});
  });
  pipe.fields.means = means;
  const Results results = computeResults(pipe.fields, pipe.geometry, {});
  REQUIRE(results.cycle);
  REQUIRE(results.cycle->osi.size() == results.wall.triangle.size());
  for (std::size_t t = 0; t < results.wall.triangle.size(); ++t) {
    Double3 centroid{};
    for (const std::uint32_t v : results.wall.triangle[t])
      centroid = centroid + (1.0 / 3.0) * results.wall.vertex[v];
    const double x = pipe.geometry.frame.toLattice(centroid)[0];
    const double tawss = results.cycle->tawss[t];
    // Stored values are in units of 2 Pa; the nodes around lie within a node.
    REQUIRE(std::abs(tawss - 2.0 * (1.0 + 0.02 * x)) < 2.0 * 0.02 * 1.6);
    if (std::abs(x - middle) < 3.0) continue;
    const double osi = x < middle ? 0.2 : 0.45;
    REQUIRE(results.cycle->osi[t] == Approx(osi).epsilon(1e-5));
    REQUIRE(results.cycle->residence[t] == Approx(1.0 / ((1.0 - 2.0 * osi) * tawss)).epsilon(1e-4));
  }
  const std::string summary = summaryJson(results);
  for (const char* key : {"\"tawss_pa\"", "\"osi\"", "\"relative_residence_time_1_pa\""})
    CHECK_THAT(summary, Catch::Contains(key));
}

TEST_CASE("Quantities: wall shear of pulsatile flow follows a curved profile", "[unit]") {
  AnalyticPipe pipe = analyticPipe({10.0, 40.0});
  const NodeLookup lookup(pipe.geometry);
  // The stress 1 - x / 10 + x^2 / 50 of the wall's, x nodes inside; a line gives 0.96 of it.
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const double r =
        pipe.fromAxis(pipe.geometry.frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]})) /
        pipe.spec.spacing;
    const double x = pipe.spec.radius - r;
    if (x > 7.0) return;
    for (float& s : pipe.fields.stress[index])
      s = static_cast<float>(double(s) * (1.0 - 0.1 * x + 0.02 * x * x) * pipe.spec.radius / r);
  });
  const auto meanOf = [&](const char* caseText) {
    pipe.fields.caseText = caseText;
    return computeResults(pipe.fields, pipe.geometry, {}).shear.mean / pipe.wallShear();
  };
  CHECK(meanOf("") == Approx(0.96).epsilon(0.01));
  CHECK(meanOf("[time]\ncycles = 3\n") == Approx(1.0).epsilon(0.01));
}

// The stress exp(-x / 3) of the wall's, x nodes inside, as curved as beside an edge.
TEST_CASE("Quantities: near sharp edges wall shear is extrapolated by a cubic", "[unit]") {
  AnalyticPipe pipe = analyticPipe({10.0, 40.0});
  const NodeLookup lookup(pipe.geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const double r =
        pipe.fromAxis(pipe.geometry.frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]})) /
        pipe.spec.spacing;
    if (r < 3.0) return;
    for (float& s : pipe.fields.stress[index])
      s = static_cast<float>(double(s) * std::exp((r - pipe.spec.radius) / 3.0) * pipe.spec.radius /
                             r);
  });
  WallSurface wall = wallSurface(pipe.geometry);
  CHECK(wall.nearEdge.empty());
  const auto meanOver = [&] {
    const auto stress = stressOnSurface(lookup, pipe.fields, wall);
    return shearStatistics(wallShear(wall, stress, pipe.geometry.frame)).mean / pipe.wallShear();
  };
  CHECK(meanOver() < 0.94);
  wall.nearEdge.assign(wall.mesh.triangle.size(), true);
  CHECK(meanOver() == Approx(1.0).epsilon(0.03));
}

// The stress that falls as 1 / r from the wall inwards would be that of an annulus's outer wall.
TEST_CASE("Quantities: along a curved wall the stress is extrapolated with its curvature",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 30.0});
  const NodeLookup lookup(pipe.geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const double r =
        pipe.fromAxis(pipe.geometry.frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]})) /
        pipe.spec.spacing;
    if (r < 2.0) return;
    for (float& s : pipe.fields.stress[index])
      s = static_cast<float>(double(s) * std::pow(pipe.spec.radius / r, 2.0));
  });
  WallSurface wall = wallSurface(pipe.geometry);
  const auto meanOver = [&] {
    const auto stress = stressOnSurface(lookup, pipe.fields, wall);
    return shearStatistics(wallShear(wall, stress, pipe.geometry.frame)).mean / pipe.wallShear();
  };
  CHECK(meanOver() < 0.92);
  wall.curvature = wallCurvature(wall);
  CHECK(meanOver() == Approx(1.0).epsilon(0.01));
}

TEST_CASE("Quantities: a pipe five nodes across still gives its wall shear within a tenth",
          "[unit]") {
  const AnalyticPipe pipe = analyticPipe({2.5, 20.0});
  const NodeLookup lookup(pipe.geometry);
  const WallSurface wall = wallSurface(pipe.geometry);
  const auto stress = stressOnSurface(lookup, pipe.fields, wall);
  const ShearStatistics statistics = shearStatistics(wallShear(wall, stress, pipe.geometry.frame));
  CHECK(relative(statistics.mean, pipe.wallShear()) < 0.1);
}

TEST_CASE("Quantities: forces on the wall: drag by balance, pressure by the divergence theorem",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({10.0, 40.0});
  const Double3 across{0.8, 0.0, -0.6};  // normal to the pipe
  const double slope = 50.0;             // Pa/m
  const NodeLookup lookup(pipe.geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const Double3 from =
        pipe.geometry.frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]}) - pipe.middle;
    pipe.fields.pressure[index] = static_cast<float>(
        (slope * dot(from, across) - pipe.fields.pressureReference) / pipe.fields.pressureFactor);
  });
  const WallSurface wall = wallSurface(pipe.geometry);
  const auto stress = stressOnSurface(lookup, pipe.fields, wall);
  const auto forces = wallForces(wall, stress, pipe.geometry.frame, {"wall"});
  REQUIRE(forces.size() == 1);
  const double volume = pi * pipe.radius() * pipe.radius() * pipe.length();
  CHECK(relative(dot(forces[0].viscous, pipe.spec.direction), pipe.gradient * volume) < 1e-3);
  CHECK(relative(dot(forces[0].pressure, across), slope * volume) < 2e-3);
  CHECK(std::abs(dot(forces[0].pressure, pipe.spec.direction)) < 1e-3 * slope * volume);
}

TEST_CASE("Quantities: an image without a surface gives plane Poiseuille flow on its voxel faces",
          "[unit]") {
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, slit);
  Fields fields = emptyFields(geometry);
  const double gradient = 100.0, half = 5e-3, h = geometry.frame.spacing;
  const NodeLookup lookup(geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const double y = (geometry.nodeOf(t, l)[1] - 5.5) * h;
    fields.stress[index][3] = static_cast<float>(-gradient * y / fields.stressFactor);
  });
  const WallSurface wall = wallSurface(geometry);
  CHECK(wall.fromVoxels);
  CHECK(wall.mesh.triangle.size() == 2U * 2U * 64U);
  const auto stress = stressOnSurface(lookup, fields, wall);
  const WallShear shear = wallShear(wall, stress, geometry.frame);
  const ShearStatistics statistics = shearStatistics(shear);
  CHECK(statistics.area == Approx(2.0 * 64.0 * h * h));
  CHECK(relative(statistics.mean, gradient * half) < 1e-5);
  CHECK(relative(statistics.max, gradient * half) < 1e-5);
  const auto forces = wallForces(wall, stress, geometry.frame, {"wall"});
  CHECK(relative(forces[0].viscous[0], gradient * 64.0 * h * h * 2.0 * half) < 1e-5);
}

TEST_CASE("Quantities: wall shear percentiles are weighted by area", "[unit]") {
  WallShear shear;
  shear.triangle.resize(4);
  shear.triangleShear = {4.0, 1.0, 3.0, 2.0};
  shear.triangleArea = {0.5, 97.0, 1.5, 1.0};
  const ShearStatistics statistics = shearStatistics(shear);
  CHECK(statistics.mean == Approx((2.0 + 97.0 + 4.5 + 2.0) / 100.0));
  CHECK(statistics.max == 4.0);
  CHECK(statistics.p01 == 1.0);
  CHECK(statistics.p50 == 1.0);
  CHECK(statistics.p99 == 3.0);
  CHECK(shearStatistics({}).mean == 0.0);
}

TEST_CASE("Quantities: permeability by body force and by the pressure difference of two box faces",
          "[unit]") {
  TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, slit);
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {0.04F, 0.0F, 0.0F};  // 0.01 m/s
  const double superficial = 0.01 * 10.0 / 12.0, viscosity = 1e-3;
  CHECK_FALSE(permeability(NodeLookup(geometry), fields, nodeSums(fields), {}));
  fields.bodyForce = {20.0, 0.0, 0.0};
  const auto driven = permeability(NodeLookup(geometry), fields, nodeSums(fields), {});
  REQUIRE(driven);
  CHECK(relative(driven->value, viscosity * superficial / 20.0) < 1e-6);
  fields.bodyForce = {0.0, 20.0, 0.0};  // against the plates
  CHECK_FALSE(permeability(NodeLookup(geometry), fields, nodeSums(fields), {}));

  fields.bodyForce = {};
  geometry.openings = {{1, "x-", {}, {-1, 0, 0}, 1e-4, 1e-2}, {2, "x+", {}, {1, 0, 0}, 1e-4, 1e-2}};
  fields.openings = {{1, "x-", "pressure", -1e-6, 0.2}, {2, "x+", "pressure", 1e-6, 0.04}};
  const NodeLookup lookup(geometry);
  const auto pushed =
      permeability(lookup, fields, nodeSums(fields), openingSummaries(lookup, fields));
  REQUIRE(pushed);
  CHECK(pushed->pressureGradient == Approx(0.16 / 8e-3));
  CHECK(relative(pushed->value, viscosity * superficial / 20.0) < 1e-6);
}

TEST_CASE("Quantities: a medium that lets nothing through has no permeability", "[unit]") {
  Results results;
  results.permeability = Permeability{};
  Permeability& found = *results.permeability;
  found.direction = {0, 0, 1};
  found.superficial = 1e-9;
  found.tortuosity = 1.4;
  warnAboutBlocked(results, Frame{});
  CHECK(results.warnings.empty());
  // Known from the geometry, along the driven axis only.
  results.geometryReport = GeometryReport{};
  results.geometryReport->percolates = {false, false, true};
  warnAboutBlocked(results, Frame{});
  CHECK(results.warnings.empty());
  CHECK_FALSE(found.blocked);
  results.geometryReport->percolates = {true, true, false};
  warnAboutBlocked(results, Frame{});
  REQUIRE(results.warnings.size() == 1);
  CHECK(results.warnings[0].find("z") != std::string::npos);
  CHECK(found.blocked);

  // Known from the flow: one of 21 nodes more goes forth than back.
  TiledGeometry geometry = imageGeometry({41, 8, 8}, {true, true, true}, everywhere);
  Fields fields = emptyFields(geometry);
  fields.bodyForce = {1.0, 0.0, 0.0};
  for (std::size_t i = 0; i < fields.velocity.size(); ++i)
    fields.velocity[i] = {i % 41 < 22 ? 0.01F : -0.01F, 0.0F, 0.0F};
  Results turning;
  turning.permeability = permeability(NodeLookup(geometry), fields, nodeSums(fields), {});
  REQUIRE(turning.permeability);
  CHECK(turning.permeability->blocked);
  warnAboutBlocked(turning, geometry.frame);
  REQUIRE(turning.warnings.size() == 1);
  CHECK(turning.warnings[0].find("tortuosity 1") != std::string::npos);
}

TEST_CASE("Quantities: pressure drop, mass residual and Reynolds number of a bifurcation",
          "[unit]") {
  TiledGeometry geometry = imageGeometry({8, 8, 8}, {false, false, false}, everywhere);
  geometry.openings = {{2, "left", {}, {0, 0, 1}, 2e-6, 1e-3},
                       {1, "in", {}, {0, 0, -1}, 4e-6, 2e-3},
                       {3, "right", {}, {0, 0, 1}, 1e-6, 1e-3}};
  Fields fields = emptyFields(geometry);
  fields.openings = {{1, "inlet", "velocity", -8e-6, 120.0},
                     {2, "", "pressure", 6e-6, 20.0},
                     {3, "right", "pressure", 1.96e-6, 10.0}};
  const auto openings = openingSummaries(NodeLookup(geometry), fields);
  REQUIRE(openings.size() == 3);
  CHECK(openings[0].name == "inlet");
  CHECK(openings[1].name == "left");
  CHECK(openings[0].meanVelocity == Approx(2.0));
  CHECK(openings[0].reynolds == Approx(2.0 * 4e-3 / 1e-6));
  CHECK(massResidual(openings) == Approx(0.04 / 8.0));
  const auto drop = pressureDrop(openings);
  REQUIRE(drop);
  CHECK(*drop == Approx(120.0 - (6.0 * 20.0 + 1.96 * 10.0) / 7.96));
  CHECK_FALSE(pressureDrop({openings[1]}));
}

TEST_CASE("Quantities: the Reynolds number of an opening in 2D is that of its width", "[unit]") {
  TiledGeometry geometry = imageGeometry({8, 8, 1}, {false, false, false}, everywhere);
  geometry.dimensions = 2;
  geometry.openings = {{1, "in", {}, {-1, 0, 0}, 8e-6, std::sqrt(8e-6 / std::numbers::pi)}};
  Fields fields = emptyFields(geometry);
  fields.openings = {{1, "in", "velocity", -16e-6, 1.0}};
  const auto openings = openingSummaries(NodeLookup(geometry), fields);
  REQUIRE(openings.size() == 1);
  CHECK(openings[0].diameter == Approx(8e-3));  // of nodes 1 mm apart
  CHECK(openings[0].reynolds == Approx(2.0 * 8e-3 / 1e-6));
}

TEST_CASE("Quantities: implausible results are warned about", "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  CHECK(computeResults(pipe.fields, pipe.geometry, {}).warnings.empty());
  pipe.fields.converged = false;
  pipe.fields.caseText = "[stop]\nsteps = 10\n";
  CHECK(computeResults(pipe.fields, pipe.geometry, {}).warnings.empty());  // no rule was given
  pipe.fields.caseText += "converged = 1e-6\n";
  pipe.fields.machMax = 0.4;
  pipe.fields.openings[1].flowRate *= 0.8;
  const auto warnings = computeResults(pipe.fields, pipe.geometry, {}).warnings;
  REQUIRE(warnings.size() == 4);
  CHECK(warnings[0].find("20.0 %") != std::string::npos);
  CHECK(warnings[1].find("opening 2") != std::string::npos);
  CHECK(warnings[2].find("convergence") != std::string::npos);
  CHECK(warnings[3].find("Mach") != std::string::npos);
}

TEST_CASE("Quantities: a run that recovered from divergence is warned about, and says how",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  pipe.fields.recovered = "half the time step from 0.1 s on";
  const Results results = computeResults(pipe.fields, pipe.geometry, {});
  REQUIRE(results.warnings.size() == 1);
  CHECK(results.warnings[0].find(pipe.fields.recovered) != std::string::npos);
  CHECK(summaryJson(results).find("\"recovered\": \"" + pipe.fields.recovered) !=
        std::string::npos);
}

TEST_CASE("Quantities: flow rates that do not balance and a varying density are warned about",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  pipe.fields.openings[1].flowRate *= 0.98;
  const auto warning = [&] {
    const auto warnings = computeResults(pipe.fields, pipe.geometry, {}).warnings;
    REQUIRE(warnings.size() == 1);
    return warnings[0];
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  CHECK(says(warning(), "converge"));
  pipe.fields.converged = true;
  pipe.fields.openings[1].flowRate /= 0.98;
  pipe.fields.densityRange = {0.99, 1.03};
  CHECK(says(warning(), "4.0 %"));
  pipe.fields.variant = "D3Q19 trt incompressible f32";
  CHECK(computeResults(pipe.fields, pipe.geometry, {}).warnings.empty());
}

TEST_CASE("Quantities: a part of the surface without fluid is left out with a warning", "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  Surface& surface = pipe.geometry.surface;
  const auto first = static_cast<std::uint32_t>(surface.vertex.size());
  surface.vertex.insert(surface.vertex.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  surface.triangle.push_back({first, first + 1, first + 2});
  surface.label.push_back(0);
  const Results results = computeResults(pipe.fields, pipe.geometry, {});
  REQUIRE(results.warnings.size() == 1);
  CHECK(results.warnings[0].find("1 of ") == 0);
  CHECK(relative(results.shear.mean, pipe.wallShear()) < 1e-4);
}

TEST_CASE("Quantities: the pressure drop is that between the planes of the openings", "[unit]") {
  AnalyticPipe pipe = analyticPipe({9.0, 30.0});
  // As the solver's, of the nodes next to the openings.
  pipe.fields.openings[0].meanPressure = 1.0;
  pipe.fields.openings[1].meanPressure = 0.5;
  const NodeLookup lookup(pipe.geometry);
  const auto openings = openingSummaries(lookup, pipe.fields);
  CHECK(openings[0].nodePressure == 1.0);
  const double drop = pipe.gradient * pipe.length();
  CHECK(openings[0].meanPressure == Approx(0.5 * drop).epsilon(1e-4));
  CHECK(openings[1].meanPressure == Approx(-0.5 * drop).epsilon(1e-4));
  CHECK(pressureDrop(openings).value() == Approx(drop).epsilon(1e-4));
  // Relative to the pressure at a point a quarter of the way along, the drop is the same.
  const Double3 tap = pipe.middle - (0.25 * pipe.length()) * pipe.spec.direction;
  CHECK(subtractPressureAt(tap, lookup, pipe.fields, "tap") == Approx(0.25 * drop).epsilon(1e-4));
  const auto after = openingSummaries(lookup, pipe.fields);
  CHECK(after[0].meanPressure == Approx(0.25 * drop).epsilon(1e-3));
  CHECK(after[1].meanPressure == Approx(-0.75 * drop).epsilon(1e-3));
  CHECK(pressureDrop(after).value() == Approx(drop).epsilon(1e-4));
  checkError(ExitCode::Usage,
             [&] {
               subtractPressureAt(pipe.middle + Double3{1.0, 0.0, 0.0}, lookup, pipe.fields,
                                  "--pressure-at");
             },
             {"--pressure-at", "fluid"});
}
