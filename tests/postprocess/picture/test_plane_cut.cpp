// SPDX-License-Identifier: GPL-3.0-or-later
// Cut of a surface by a plane.
#include <catch2/catch.hpp>
#include <cmath>

#include "postprocess/picture/slice_picture.hpp"
#include "tests/fixtures/geometry/sphere_shape.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::postprocess::picture;
using namespace tessera::preprocess::geometry;
using namespace tessera::test;

TEST_CASE("Plane cut: a plane cuts a sphere in a closed circle", "[unit]") {
  const Shape ball = sphere(30.0, 40);
  Camera camera;
  camera.centre = {40.0, 40.0};
  const double offset = GENERATE(0.0, 12.0);  // 0 passes through the vertices of the equator
  camera.target = {0.0, 0.0, offset};
  const auto outline =
      cutSurface(ball.vertex, ball.triangle, std::vector<Patch>(ball.triangle.size(), 3), camera);
  REQUIRE_FALSE(outline.empty());
  CHECK(outline.front().label == 3);
  const auto inside = insideOutline(outline, 80, 80);
  double count = 0.0;
  for (char c : inside) count += c;
  const double radius = std::sqrt(30.0 * 30.0 - offset * offset);
  CHECK(count == Approx(3.14159 * radius * radius).epsilon(0.02));
}
