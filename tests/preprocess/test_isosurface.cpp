// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces of fields and of grids of values: closed, outward, where they should be.
#include <tbb/global_control.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "preprocess/surface/isosurface.hpp"
#include "preprocess/surface/mesh_measure.hpp"
#include "preprocess/surface/relax.hpp"
#include "tests/preprocess/sample_meshes.hpp"

using namespace tessera;

namespace {
// A ball on a grid of voxels that need not be cubes; factor: the slope of the values.
struct BallGrid {
  Double3 spacing{1.0, 1.0, 2.5};
  Double3 centre{30.0, 30.0, 30.0};
  double radius = 20.0;
  double factor = 1.0;
  std::vector<float> value;
  ScalarGrid grid;

  explicit BallGrid(double slope, const Int3& size = {61, 61, 25}) : factor(slope) {
    for (int z = 0; z < size[2]; ++z)
      for (int y = 0; y < size[1]; ++y)
        for (int x = 0; x < size[0]; ++x) {
          const Double3 at{x * spacing[0], y * spacing[1], z * spacing[2]};
          value.push_back(static_cast<float>(factor * (length(at - centre) - radius)));
        }
    grid = {.size = size, .origin = {}, .spacing = spacing, .value = value};
  }
};

double furthestFromBall(const TriangleMesh& mesh, const BallGrid& ball) {
  double furthest = 0.0;
  for (const Double3& v : mesh.vertex)
    furthest = std::max(furthest, std::abs(length(v - ball.centre) - ball.radius));
  return furthest;
}
}  // namespace

TEST_CASE("A ball on a grid of flat voxels keeps its volume, whatever the slope", "[unit]") {
  for (const double factor : {1.0, 1e-3, 50.0}) {
    const BallGrid ball(factor);
    const TriangleMesh mesh = isosurface(ball.grid);
    CHECK(rimEdgesOfManifold(mesh) == 0);
    const double volume = 4.0 / 3.0 * M_PI * 8000.0;
    CHECK(enclosedVolume(mesh) == Approx(volume).epsilon(0.01));
    CHECK(furthestFromBall(mesh, ball) < 0.1);
  }
}

TEST_CASE("Relaxed on its grid the ball stays where it is", "[unit]") {
  const BallGrid ball(0.3);
  TriangleMesh mesh = isosurface(ball.grid);
  relax(mesh, distanceTo(ball.grid), 4);
  CHECK(rimEdgesOfManifold(mesh) == 0);
  CHECK(furthestFromBall(mesh, ball) < 0.1);
  CHECK(enclosedVolume(mesh) == Approx(4.0 / 3.0 * M_PI * 8000.0).epsilon(0.015));
}

TEST_CASE("A shape that reaches the grid's side ends half a spacing beyond it", "[unit]") {
  BallGrid ball(1.0, {31, 61, 25});  // cut through its centre, at x = 30.5
  const TriangleMesh mesh = isosurface(ball.grid);
  CHECK(rimEdgesOfManifold(mesh) == 0);
  double right = 0.0;
  double flat = 0.0;
  for (const Double3& v : mesh.vertex) right = std::max(right, v[0]);
  CHECK(right == Approx(30.5).margin(1e-12));
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const auto& [a, b, c] = mesh.triangle[t];
    const bool on = std::min({mesh.vertex[a][0], mesh.vertex[b][0], mesh.vertex[c][0]}) > 30.4999;
    if (on) flat += 0.5 * areaVector(mesh, t)[0];
  }
  CHECK(flat > 0.75 * M_PI * 400.0);  // the rim is rounded over a cell
  CHECK(flat < M_PI * 400.0);
  const double cap = M_PI * 400.0 * 0.5;  // the half sample beyond the centre
  CHECK(enclosedVolume(mesh) == Approx(2.0 / 3.0 * M_PI * 8000.0 + cap).epsilon(0.02));
}

TEST_CASE("Noise still gives a closed manifold, and the same on any number of threads", "[unit]") {
  std::vector<float> value;
  std::uint32_t state = 1;
  for (int k = 0; k < 20 * 21 * 22; ++k) {
    state = state * 1664525U + 1013904223U;
    value.push_back(static_cast<float>(state >> 8U) * 0x1.0p-24F - 0.5F);
  }
  const ScalarGrid grid{
      .size = {20, 21, 22}, .origin = {1, 2, 3}, .spacing = {1, 1, 1}, .value = value};
  const TriangleMesh mesh = isosurface(grid);
  CHECK(rimEdgesOfManifold(mesh) == 0);
  CHECK(everyVertexOneFan(mesh));
  CHECK(mesh.triangle.size() > 10000);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TriangleMesh again = isosurface(grid);
  CHECK(again.vertex == mesh.vertex);
  CHECK(again.triangle == mesh.triangle);
}

TEST_CASE("All inside or all outside", "[unit]") {
  std::vector<float> value(4 * 3 * 2, 1.0F);
  const ScalarGrid grid{
      .size = {4, 3, 2}, .origin = {}, .spacing = {0.5, 1.0, 2.0}, .value = value};
  CHECK(isosurface(grid).triangle.empty());
  std::fill(value.begin(), value.end(), -1.0F);
  const TriangleMesh box = isosurface(grid);
  CHECK(rimEdgesOfManifold(box) == 0);
  CHECK(enclosedVolume(box) == Approx(4 * 0.5 * 3 * 2 * 2.0).epsilon(0.3));  // rounded corners
}

TEST_CASE("A field's surface is on the field", "[unit]") {
  const DistanceField ball = [](const Double3& p) {
    const double r = length(p);
    return Distance{r - 1.0, (1.0 / std::max(r, 1e-9)) * p};
  };
  const TriangleMesh mesh = isosurface(ball, {-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}, 0.1);
  CHECK(rimEdgesOfManifold(mesh) == 0);
  double furthest = 0.0;
  for (const Double3& v : mesh.vertex) furthest = std::max(furthest, std::abs(length(v) - 1.0));
  CHECK(furthest < 1e-12);
  CHECK(enclosedVolume(mesh) == Approx(4.0 / 3.0 * M_PI).epsilon(0.005));
}
