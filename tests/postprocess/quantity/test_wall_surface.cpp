// SPDX-License-Identifier: GPL-3.0-or-later
// The wall as triangles: still closed after division, outward, each corner once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/quantity/wall_curvature.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "preprocess/geometry/plane_axes.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tiler/analysis/sharp_edges.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::analysis;
using namespace tessera::test;

namespace {

// Tetrahedron with corners 7 apart and two labels.
TriangleMesh tetrahedron() {
  return {{{0, 0, 0}, {7, 0, 0}, {0, 7, 0}, {0, 0, 7}},
          {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
          {0, 0, 1, 1}};
}

// Every directed edge has exactly one opposite.
bool isClosed(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const Triangle& t : mesh.triangle)
    for (std::size_t e = 0; e < 3; ++e) {
      const std::uint32_t a = t[e], b = t[(e + 1) % 3];
      edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  return std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 0; });
}

double volumeOf(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangle)
    sum += dot(mesh.vertex[t[0]], cross(mesh.vertex[t[1]], mesh.vertex[t[2]])) / 6.0;
  return sum;
}

std::array<double, 2> areaByLabel(const TriangleMesh& mesh) {
  std::array<double, 2> area{};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    area[mesh.label[t]] += 0.5 * length(areaVector(mesh, t));
  return area;
}

bool blob(int x, int y, int z) {
  return (x - 5) * (x - 5) + (y - 5) * (y - 5) + (z - 4) * (z - 4) < 12;
}

}  // namespace

TEST_CASE("Wall surface: divided triangles have short edges, closed, same volume and areas",
          "[unit]") {
  const TriangleMesh coarse = tetrahedron();
  for (const double longest : {20.0, 6.9, 2.0, 0.7}) {
    const TriangleMesh fine = refineSurface(coarse, longest);
    for (const Triangle& t : fine.triangle)
      for (std::size_t e = 0; e < 3; ++e)
        REQUIRE(length(fine.vertex[t[e]] - fine.vertex[t[(e + 1) % 3]]) <= longest);
    CHECK(isClosed(fine));
    CHECK(volumeOf(fine) == Approx(volumeOf(coarse)));
    CHECK(areaByLabel(fine)[0] == Approx(areaByLabel(coarse)[0]));
    CHECK(areaByLabel(fine)[1] == Approx(areaByLabel(coarse)[1]));
  }
  CHECK(refineSurface(coarse, 20.0).triangle == coarse.triangle);
}

TEST_CASE("Wall surface: slivers become no more triangles than their length requires", "[unit]") {
  // A strip 100 long and 1 wide with a fat triangle on its long edge.
  const TriangleMesh coarse{{{0, 0, 0}, {100, 0, 0}, {100, 1, 0}, {0, 1, 0}, {50, -60, 0}},
                            {{0, 1, 2}, {0, 2, 3}, {1, 0, 4}},
                            {0, 0, 1}};
  const TriangleMesh fine = refineSurface(coarse, 2.0);
  CHECK(areaByLabel(fine)[0] == Approx(100.0));
  CHECK(areaByLabel(fine)[1] == Approx(3000.0));
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const Triangle& t : fine.triangle)
    for (std::size_t e = 0; e < 3; ++e) {
      REQUIRE(length(fine.vertex[t[e]] - fine.vertex[t[(e + 1) % 3]]) <= 2.0);
      const bool once = ++edges[{t[e], t[(e + 1) % 3]}] == 1;
      REQUIRE(once);
    }
  // Only the outline has edges without an opposite.
  double outline = 0.0;
  for (const auto& [edge, count] : edges)
    if (edges.count({edge.second, edge.first}) == 0)
      outline += length(fine.vertex[edge.first] - fine.vertex[edge.second]);
  CHECK(outline == Approx(102.0 + 2.0 * std::sqrt(50.0 * 50.0 + 60.0 * 60.0)));
  CHECK(std::count(fine.label.begin(), fine.label.end(), Patch{0}) < 400);
}

TEST_CASE("Wall surface: the wall of a surface leaves its openings out", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({6.0, 24.0});
  const WallSurface wall = wallSurface(pipe.geometry);
  CHECK_FALSE(wall.fromVoxels);
  CHECK(wall.mesh.triangle.size() == wall.normal.size());
  CHECK(wall.mesh.triangle.size() > 800);
  for (const Double3& normal : wall.normal)
    REQUIRE(std::abs(dot(normal, pipe.spec.direction)) < 1e-5);
}

TEST_CASE("Wall surface: edges of a duct are sharp, those at its openings are none", "[unit]") {
  // A box of 10 x 10 x 40 whose ends are openings; corner k has the bits of x, y, z.
  Surface box;
  for (int k = 0; k < 8; ++k)
    box.vertex.push_back({10.0F * float(k & 1), 10.0F * float(k >> 1 & 1), 40.0F * float(k >> 2)});
  const std::array<std::array<std::uint32_t, 4>, 6> faces{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}}};
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto& q = faces[f];
    for (const std::array<std::uint32_t, 3>& t :
         {std::array{q[0], q[1], q[2]}, {q[0], q[2], q[3]}}) {
      box.triangle.push_back(t);
      box.label.push_back(f < 2 ? openingPatch(int(f) + 1) : Patch{0});
    }
  }
  const auto edges = sharpEdges(box);
  REQUIRE(edges.size() == 4);
  for (const auto& [from, to] : edges) CHECK(length(to - from) == Approx(40.0));
  const NearEdges near(edges, 3.0);
  CHECK(near.contain({0.0, 2.0, 17.0}));
  CHECK(near.contain({10.0, 8.0, 39.9}));
  CHECK_FALSE(near.contain({0.0, 5.0, 17.0}));
  CHECK_FALSE(near.contain({5.0, 5.0, 0.0}));
  CHECK_FALSE(NearEdges({}, 3.0).contain({0.0, 0.0, 0.0}));
}

TEST_CASE("Wall surface: the voxel faces of a blob close round its nodes", "[unit]") {
  const TiledGeometry geometry = imageGeometry({11, 11, 10}, {false, false, false}, blob);
  const WallSurface wall = wallSurface(geometry);
  CHECK(wall.fromVoxels);
  CHECK(isClosed(wall.mesh));
  CHECK(volumeOf(wall.mesh) == Approx(static_cast<double>(geometry.fluidNodes)));
}

TEST_CASE("Wall surface: corners are numbered once, in row-major order", "[unit]") {
  PointNumbering numbering({100, 3, 2});
  const std::vector<Int3> sorted{{0, 0, 0}, {63, 0, 0}, {64, 0, 0}, {100, 3, 1}, {7, 0, 2}};
  for (const std::size_t i : {3U, 0U, 4U, 2U, 1U, 3U}) numbering.use(sorted[i]);
  numbering.number();
  CHECK(numbering.corners() == sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) CHECK(numbering.numberOf(sorted[i]) == i);
}

namespace {

// Wall of a mesh in lattice coordinates, its triangles outward.
WallSurface wallOf(TriangleMesh mesh) {
  WallSurface wall;
  wall.mesh = std::move(mesh);
  for (std::size_t t = 0; t < wall.mesh.triangle.size(); ++t) {
    const Double3 area = areaVector(wall.mesh, t);
    wall.normal.push_back((1.0 / length(area)) * area);
  }
  return wall;
}

// Tube of nearly equilateral triangles, along z.
TriangleMesh fineTube(double radius, double tubeLength, double edge) {
  const auto columns = static_cast<Index>(2.0 * std::numbers::pi * radius / edge);
  const auto rows = static_cast<Index>(tubeLength / edge);
  TriangleMesh mesh;
  for (Index j = 0; j <= rows; ++j)
    for (Index i = 0; i < columns; ++i) {
      const double angle = 2.0 * std::numbers::pi * (i + 0.5 * (j % 2)) / columns;
      mesh.vertex.push_back({radius * std::cos(angle), radius * std::sin(angle), j * edge});
    }
  const auto at = [&](Index j, Index i) { return j * columns + i % columns; };
  for (Index j = 0; j < rows; ++j)
    for (Index i = 0; i < columns; ++i) {
      const Index shift = j % 2;
      mesh.triangle.push_back({at(j, i), at(j, i + 1), at(j + 1, i + shift)});
      mesh.triangle.push_back({at(j, i + 1 - shift), at(j + 1, i + 1), at(j + 1, i)});
    }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

// Every vertex moved by normally distributed distances.
void roughen(TriangleMesh& mesh, double deviation) {
  std::mt19937 random(1);
  std::normal_distribution<double> distance(0.0, deviation);
  for (Double3& vertex : mesh.vertex)
    for (double& x : vertex) x += distance(random);
}

// Tilted, its vertices moved to the nearest points of a lattice, like a surface of an image's
// voxels: terraces with steps of many directions. Triangles without an area are left out.
TriangleMesh terracedTube(double radius, double tubeLength, double step) {
  TriangleMesh tube = fineTube(radius, tubeLength, step), mesh;
  const Double3 along = unit(Double3{1.0, 2.0, 3.0});
  const PlaneAxes across(along);
  std::map<Double3, Index> numbers;
  std::vector<Index> numberOf;
  for (const Double3& p : tube.vertex) {
    Double3 place = p[0] * across.u + p[1] * across.v + p[2] * along;
    for (double& x : place) x = step * std::round(x / step);
    const auto [found, isNew] = numbers.try_emplace(place, Index(mesh.vertex.size()));
    if (isNew) mesh.vertex.push_back(place);
    numberOf.push_back(found->second);
  }
  for (Triangle corner : tube.triangle) {
    for (Index& vertex : corner) vertex = numberOf[vertex];
    mesh.triangle.push_back(corner);
    if (length(areaVector(mesh, mesh.triangle.size() - 1)) == 0.0) mesh.triangle.pop_back();
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

}  // namespace

TEST_CASE("Wall curvature: roughness of a mesh does not pass for it", "[unit]") {
  for (const double edge : {0.15, 0.3, 0.5}) {
    INFO("edges of " << edge << " nodes");
    TriangleMesh mesh = fineTube(10.0, 20.0, edge);
    const auto mean = [](const std::vector<double>& values) {
      return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    };
    CHECK(mean(wallCurvature(wallOf(mesh))) == Approx(-0.1).epsilon(0.01));
    roughen(mesh, 0.3 * edge);
    const std::vector<double> curvature = wallCurvature(wallOf(mesh));
    CHECK(mean(curvature) == Approx(-0.08).margin(0.03));
    for (const double one : curvature) REQUIRE(std::abs(one + 0.08) < 0.12);
  }
}

TEST_CASE("Wall curvature: terraces finer than the nodes count as the surface that they follow",
          "[unit]") {
  for (const double step : {0.1, 0.2, 0.3, 0.5}) {
    INFO("steps of " << step << " nodes");
    const std::vector<double> curvature = wallCurvature(wallOf(terracedTube(10.0, 5.0, step)));
    std::size_t followed = 0;
    for (const double one : curvature) {
      REQUIRE(std::abs(one + 0.08) < 0.12);
      followed += one < -0.05 ? 1 : 0;
    }
    CHECK(double(followed) > 0.5 * double(curvature.size()));
  }
}

TEST_CASE("Wall curvature: the work is proportional to the triangles, terraced or not", "[unit]") {
  // Processor time of a triangle; the least of three, since other work disturbs it.
  const auto work = [](const WallSurface& wall) {
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int k = 0; k < 3; ++k) {
      const std::clock_t begin = std::clock();
      wallCurvature(wall);
      least = std::min(least, std::clock() - begin);
    }
    return double(least) / double(wall.mesh.triangle.size());
  };
  // As much; a search of all neighbours for each would be 600 times as much.
  CHECK(work(wallOf(terracedTube(10.0, 5.0, 0.1))) < 20.0 * work(wallOf(fineTube(10.0, 5.0, 0.1))));
}

TEST_CASE("Wall curvature: that of tubes and spheres, on either side", "[unit]") {
  for (const double radius : {3.0, 6.0, 20.0}) {
    INFO("radius " << radius);
    const WallSurface tube = wallSurface(analyticPipe({radius, 6.0 * radius}).geometry);
    for (const double curvature : wallCurvature(tube))
      REQUIRE(curvature == Approx(-1.0 / radius).epsilon(0.06));
    WallSurface sphere = wallOf(sphereMesh({0, 0, 0}, radius, 48, 24));
    for (const double curvature : wallCurvature(sphere))
      REQUIRE(curvature == Approx(-2.0 / radius).epsilon(0.2));
    for (Triangle& corner : sphere.mesh.triangle) std::swap(corner[0], corner[1]);
    for (Double3& normal : sphere.normal) normal = -1.0 * normal;
    for (const double curvature : wallCurvature(sphere))
      REQUIRE(curvature == Approx(2.0 / radius).epsilon(0.2));
  }
}

TEST_CASE("Wall curvature: sharp edges do not count, and a triangle alone is flat", "[unit]") {
  TriangleMesh box = boxMesh({0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {6, 6, 6});
  const WallSurface wall = wallOf(refineSurface(std::move(box), 2.0));
  for (const double curvature : wallCurvature(wall)) REQUIRE(std::abs(curvature) < 1e-12);
  CHECK(wallCurvature(wallOf({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, {0}})) ==
        std::vector<double>{0.0});
}
