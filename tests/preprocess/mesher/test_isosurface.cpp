// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces of fields: closed, outward, on the field.
#include <tbb/global_control.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/mesher/isosurface.hpp"
#include "tests/fixtures/geometry/sample_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::mesher;

namespace {
const DistanceField unitBall = [](const Double3& p) {
  const double r = length(p);
  return Distance{r - 1.0, (1.0 / std::max(r, 1e-9)) * p};
};

double furthestFromBall(const TriangleMesh& mesh) {
  double furthest = 0.0;
  for (const Double3& v : mesh.vertex) furthest = std::max(furthest, std::abs(length(v) - 1.0));
  return furthest;
}

// Values in -0.5 .. 0.5 of the points of a grid of 20 x 21 x 22, positive around it. The gradient
// is zero, so that vertices stay where the net puts them.
struct Noise {
  std::vector<double> value;
  Noise() {
    std::uint32_t state = 1;
    for (int k = 0; k < 20 * 21 * 22; ++k) {
      state = state * 1664525U + 1013904223U;
      value.push_back(static_cast<double>(state >> 8U) * 0x1.0p-24 - 0.5);
    }
  }
  Distance operator()(const Double3& p) const {
    const Int3 at{static_cast<int>(std::lround(p[0])), static_cast<int>(std::lround(p[1])),
                  static_cast<int>(std::lround(p[2]))};
    if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= 20 || at[1] >= 21 || at[2] >= 22)
      return {0.5, {}};
    return {value[static_cast<std::size_t>(at[0] + 20 * (at[1] + 21 * at[2]))], {}};
  }
};
}  // namespace

TEST_CASE(
    "Isosurface: the surface net of noise is a closed manifold, and the same on any number of "
    "threads",
    "[unit]") {
  const DistanceField noise = Noise();
  const auto surface = [&] { return isosurface(noise, {-2, -2, -2}, {22, 23, 24}, 1.0); };
  const TriangleMesh mesh = surface();
  CHECK(rimEdgesOfManifold(mesh) == 0);
  CHECK(everyVertexOneFan(mesh));
  CHECK(mesh.triangle.size() > 10000);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TriangleMesh again = surface();
  CHECK(again.vertex == mesh.vertex);
  CHECK(again.triangle == mesh.triangle);
}

TEST_CASE("Isosurface: relaxed on its field a ball stays in place and its triangles become regular",
          "[unit]") {
  TriangleMesh mesh = isosurface(unitBall, {-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}, 0.1);
  const auto smallest = [&] {
    double area = 1.0;
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
      area = std::min(area, 0.5 * length(areaVector(mesh, t)));
    return area;
  };
  const double before = smallest();
  relax(mesh, unitBall, 4);
  CHECK(rimEdgesOfManifold(mesh) == 0);
  CHECK(furthestFromBall(mesh) < 1e-9);
  CHECK(enclosedVolume(mesh) == Approx(4.0 / 3.0 * M_PI).epsilon(0.005));
  CHECK(smallest() > 2.0 * before);
}

TEST_CASE("Isosurface: a field that is outside or inside throughout has none", "[unit]") {
  for (const double value : {1.0, -1.0}) {
    const DistanceField constant = [&](const Double3&) { return Distance{value, {}}; };
    CHECK(isosurface(constant, {0, 0, 0}, {1, 1, 1}, 0.1).triangle.empty());
  }
}

TEST_CASE("Isosurface: it lies on the field's zero", "[unit]") {
  const TriangleMesh mesh = isosurface(unitBall, {-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}, 0.1);
  CHECK(rimEdgesOfManifold(mesh) == 0);
  CHECK(furthestFromBall(mesh) < 1e-12);
  CHECK(enclosedVolume(mesh) == Approx(4.0 / 3.0 * M_PI).epsilon(0.005));
}
