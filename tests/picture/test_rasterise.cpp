// SPDX-License-Identifier: GPL-3.0-or-later
// The rasteriser, the camera and the annotations of a picture.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/rasterise.hpp"
#include "pipelines/picture/surface.hpp"
#include "pipelines/picture/tube.hpp"
#include "preprocess/geometry/plane_axes.hpp"
#include "tests/fixtures/geometry/sphere_shape.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

// Triangles of one colour, seen along -z with one pixel a metre, y up from the image's bottom.
RenderMesh plainMesh(std::vector<Double3> vertex, std::vector<Triangle> triangle, Colour colour) {
  RenderMesh mesh;
  mesh.normal = smoothNormals(vertex, triangle);
  mesh.vertex = std::move(vertex);
  mesh.triangle = std::move(triangle);
  mesh.plain = colour;
  return mesh;
}

Camera fromAbove(int height) {
  Camera camera;
  camera.centre = {0.0, static_cast<double>(height)};
  return camera;
}

double notWhite(const Image& image) {
  double count = 0.0;
  for (const Colour& c : image.pixel) count += c == Colour{255, 255, 255} ? 0.0 : 1.0;
  return count;
}

}  // namespace

TEST_CASE("Rasteriser: the nearer triangle hides the farther one, in any order", "[unit]") {
  const std::vector<Triangle> one{{0, 1, 2}};
  const RenderMesh near = plainMesh({{0, 0, 5}, {40, 0, 5}, {0, 40, 5}}, one, Colour{200, 0, 0});
  const RenderMesh far = plainMesh({{0, 0, 1}, {40, 0, 1}, {0, 40, 1}}, one, Colour{0, 0, 200});
  for (const auto& order : {std::array{&near, &far}, std::array{&far, &near}}) {
    Image image(40, 40, Colour{255, 255, 255});
    rasterise(order, fromAbove(40), image);
    const Colour seen = image.at(8, 31);
    CHECK(seen.r > 100);
    CHECK(seen.b < 90);
  }
}

TEST_CASE("Rasteriser: two intersecting triangles are each seen in front of the other", "[unit]") {
  const std::vector<Triangle> quad{{0, 1, 2}, {0, 2, 3}};
  const RenderMesh red =
      plainMesh({{0, 0, 0}, {40, 0, 8}, {40, 40, 8}, {0, 40, 0}}, quad, Colour{200, 0, 0});
  const RenderMesh blue =
      plainMesh({{0, 0, 8}, {40, 0, 0}, {40, 40, 0}, {0, 40, 8}}, quad, Colour{0, 0, 200});
  Image image(40, 40, Colour{255, 255, 255});
  rasterise(std::array{&red, &blue}, fromAbove(40), image);
  CHECK(image.at(5, 20).b > image.at(5, 20).r);
  CHECK(image.at(35, 20).r > image.at(35, 20).b);
}

TEST_CASE("Rasteriser: a triangle covers its area, an inner pixel wholly, and an edge in part",
          "[unit]") {
  const RenderMesh mesh =
      plainMesh({{4.5, 4.5, 0}, {84.5, 4.5, 0}, {4.5, 64.5, 0}}, {{0, 1, 2}}, Colour{0, 0, 0});
  Image image(100, 80, Colour{255, 255, 255});
  rasterise(mesh, fromAbove(80), image);
  double covered = 0.0;
  const float inside = linearFromSrgb(image.at(20, 60).g);
  for (const Colour& c : image.pixel)
    covered += static_cast<double>((1.0F - linearFromSrgb(c.g)) / (1.0F - inside));
  CHECK(covered == Approx(0.5 * 80.0 * 60.0).epsilon(0.005));
  const Colour edge = image.at(50, 75);  // its lower half is outside: y from 4 to 5
  CHECK(edge.g > image.at(20, 60).g + 20);
  CHECK(edge.g < 235);
}

TEST_CASE("Rasteriser: neighbouring triangles leave no gap", "[unit]") {
  const Shape ball = sphere(30.0, 40);
  const RenderMesh green = plainMesh(ball.vertex, ball.triangle, Colour{0, 90, 0});
  Camera camera;
  camera.centre = {40.0, 40.0};
  Image image(80, 80, Colour{255, 255, 255});
  rasterise(green, camera, image);
  for (int y = 15; y < 65; ++y)
    for (int x = 0; x < 80; ++x)
      if (std::hypot(x + 0.5 - 40.0, y + 0.5 - 40.0) < 28.0) {
        CHECK(image.at(x, y).r < 100);
      }
  CHECK(notWhite(image) == Approx(3.14159 * 30.0 * 30.0).epsilon(0.08));
}

TEST_CASE("Rasteriser: the inside of a surface is drawn darker than its outside", "[unit]") {
  const std::vector<Double3> corners{{0, 0, 0}, {40, 0, 0}, {0, 40, 0}};
  const RenderMesh outside = plainMesh(corners, {{0, 1, 2}}, Colour{120, 160, 120});
  const RenderMesh inside = plainMesh(corners, {{0, 2, 1}}, Colour{120, 160, 120});
  Image bright(40, 40, Colour{255, 255, 255}), dark = bright;
  rasterise(outside, fromAbove(40), bright);
  rasterise(inside, fromAbove(40), dark);
  CHECK(dark.at(8, 31).g + 20 < bright.at(8, 31).g);
}

TEST_CASE("Rasteriser: glass tints what is behind it, most at its silhouette, and nothing in front",
          "[unit]") {
  const Shape ball = sphere(30.0, 40);
  RenderMesh glass = plainMesh(ball.vertex, ball.triangle, Colour{40, 40, 40});
  glass.glass = true;
  const std::vector<Triangle> quad{{0, 1, 2}, {0, 2, 3}};
  const auto square = [&](double z) {
    return plainMesh({{-5, -5, z}, {5, -5, z}, {5, 5, z}, {-5, 5, z}}, quad, Colour{200, 60, 0});
  };
  const RenderMesh inside = square(0.0), before = square(35.0);
  Camera camera;
  camera.centre = {40.0, 40.0};
  const auto picture = [&](std::vector<const RenderMesh*> meshes) {
    Image image(80, 80, Colour{255, 255, 255});
    rasterise(meshes, camera, image);
    return image;
  };
  const Image both = picture({&glass, &inside}), alone = picture({&inside}),
              front = picture({&glass, &before}), frontAlone = picture({&before});
  const Image reversed = picture({&inside, &glass});
  CHECK(both.pixel == reversed.pixel);
  CHECK(both.at(40, 40).r < alone.at(40, 40).r);  // seen, through one layer
  CHECK(both.at(40, 40).r > alone.at(40, 40).r - 40);
  CHECK(front.at(40, 40) == frontAlone.at(40, 40));   // the glass is behind
  CHECK(both.at(40, 25).g < 252);                     // the background, through two layers
  CHECK(both.at(40, 12).g + 20 < both.at(40, 25).g);  // near the rim
}

TEST_CASE("Rasteriser: a tube has the given radius and length, and turns smoothly", "[unit]") {
  const std::vector<Double3> line{{0, 0, 0}, {10, 0, 0}, {10, 0, 0}, {10, 10, 0}, {10, 10, 10}};
  const std::vector<float> shade{0.0F, 0.2F, 0.2F, 0.6F, 1.0F};
  RenderMesh tube;
  appendTube(line, shade, 2.0, tube);
  REQUIRE(tube.vertex.size() == 4 * 6);  // the repeated point is passed over
  CHECK(tube.shade.size() == tube.vertex.size());
  CHECK(tube.triangle.size() == 3 * 12);
  for (std::size_t v = 0; v < 6; ++v) {
    CHECK(length(tube.vertex[v] - line[0]) == Approx(2.0));
    CHECK(tube.vertex[v][0] == Approx(0.0).margin(1e-9));
    CHECK(tube.shade[v] == 0.0F);
    CHECK(length(tube.vertex[18 + v] - line[4]) == Approx(2.0));
  }
  // Outside is outside: each triangle's normal and its corners' agree.
  for (std::size_t t = 0; t < tube.triangle.size(); ++t) {
    const Triangle& c = tube.triangle[t];
    const Double3 face =
        cross(tube.vertex[c[1]] - tube.vertex[c[0]], tube.vertex[c[2]] - tube.vertex[c[0]]);
    const Double3 corner{tube.normal[t][0][0], tube.normal[t][0][1], tube.normal[t][0][2]};
    CHECK(dot(face, corner) > 0.0);
  }
}

TEST_CASE("Rasteriser: a view along an axis shows the other two, z up", "[unit]") {
  const std::vector<Double3> points{{0, 0, 0}, {2, 1, 4}};
  const Camera front = fixedView(1, false, points, {0, 0, 100, 100});
  CHECK(front.toward == Double3{0, -1, 0});
  CHECK(front.up == Double3{0, 0, 1});
  CHECK(front.right == Double3{1, 0, 0});
  CHECK(front.scale == Approx(25.0));
  const Camera top = fixedView(2, true, points, {0, 0, 100, 100});
  CHECK(top.up == Double3{0, 1, 0});
  CHECK(top.right == Double3{1, 0, 0});
}

TEST_CASE("Rasteriser: axes that point alike have distinguishable names", "[unit]") {
  // x and y both point up, one a little to the left and one to the right.
  Camera camera;
  camera.right = {-0.1, 0.1, 0.99};
  camera.up = {0.7, 0.7, 0.0};
  camera.toward = {0.7, -0.7, 0.14};
  Drawing drawing{200.0, 200.0, {}};
  drawAxesTriad(camera, drawing, {100.0, 100.0}, 30.0);
  std::vector<Point> names;
  for (const auto& shape : drawing.shapes)
    if (const auto* label = std::get_if<Label>(&shape)) names.push_back(label->at);
  REQUIRE(names.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK(std::hypot(names[i].x - names[j].x, names[i].y - names[j].y) > 12.0);
}

TEST_CASE("Rasteriser: axis names keep clear of the other arrows", "[unit]") {
  // y is short and points where x does.
  Camera camera;
  camera.right = {0.37, 0.22, -0.9};
  camera.up = {0.78, 0.44, 0.43};
  camera.toward = {0.5, -0.87, 0.0};
  Drawing drawing{200.0, 200.0, {}};
  const Point origin{100.0, 100.0};
  drawAxesTriad(camera, drawing, origin, 30.0);
  std::size_t names = 0;
  for (const auto& shape : drawing.shapes)
    if (const auto* label = std::get_if<Label>(&shape)) {
      ++names;
      const Point middle{label->at.x, label->at.y - 4.0};
      for (std::size_t a = 0; a < 3; ++a)
        for (double part = 0.0; part <= 1.0; part += 0.05) {
          const Point on{origin.x + 30.0 * part * camera.right[a],
                         origin.y - 30.0 * part * camera.up[a]};
          CHECK(std::hypot(middle.x - on.x, middle.y - on.y) > 6.0);
        }
    }
  CHECK(names == 3);
}

TEST_CASE("Rasteriser: the picture is the same on one thread and on several", "[unit]") {
  const Shape ball = sphere(45.0, 60);
  RenderMesh mesh = plainMesh(ball.vertex, ball.triangle, Colour{});
  for (const Double3& v : ball.vertex)
    mesh.shade.push_back(static_cast<float>(0.5 + 0.5 * std::sin(0.2 * v[0] + 0.1 * v[1])));
  Camera camera;
  camera.centre = {50.0, 50.0};
  std::vector<Image> images;
  for (std::size_t threads : {1, 2, 4}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    images.emplace_back(100, 100, Colour{255, 255, 255});
    rasterise(mesh, camera, images.back());
  }
  CHECK(images[0].pixel == images[1].pixel);
  CHECK(images[0].pixel == images[2].pixel);
  CHECK(notWhite(images[0]) > 5000);
}

TEST_CASE("Rasteriser: normals are smooth over a curve and sharp over an edge", "[unit]") {
  const Shape ball = sphere(1.0, 24);
  const auto normals = smoothNormals(ball.vertex, ball.triangle);
  for (std::size_t t = 0; t < ball.triangle.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Double3& v = ball.vertex[ball.triangle[t][k]];
      const Double3 n{normals[t][k][0], normals[t][k][1], normals[t][k][2]};
      if (std::abs(v[2]) < 0.99) CHECK(dot(n, v) > 0.99);
    }
  // Two faces at a right angle along one edge.
  const std::vector<Double3> corner{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto sharp = smoothNormals(corner, std::vector<Triangle>{{0, 1, 2}, {0, 3, 1}});
  CHECK(sharp[0][0][2] == Approx(1.0));
  CHECK(sharp[1][0][1] == Approx(1.0));
}

TEST_CASE("Rasteriser: principal axes are ordered from the longest to the shortest extent",
          "[unit]") {
  Shape egg = sphere(1.0, 16);
  for (Double3& v : egg.vertex) v = {v[0], 5.0 * v[1], 2.5 * v[2]};
  const auto axes = principalAxes(egg.vertex, egg.triangle);
  CHECK(std::abs(axes[0][1]) == Approx(1.0).margin(1e-6));
  CHECK(std::abs(axes[1][2]) == Approx(1.0).margin(1e-6));
  CHECK(std::abs(axes[2][0]) == Approx(1.0).margin(1e-6));
  CHECK(dot(cross(axes[0], axes[1]), axes[2]) == Approx(1.0));
}

TEST_CASE("Rasteriser: a framed view holds every point and touches the frame", "[unit]") {
  Shape egg = sphere(1.0, 16);
  for (Double3& v : egg.vertex) v = {1.0 + v[0], 5.0 * v[1] - 3.0, 2.0 * v[2]};
  const Rectangle frame{20.0, 30.0, 300.0, 200.0};
  const Camera camera =
      viewFrom(bestSide(egg.vertex, egg.triangle, std::vector<bool>(egg.triangle.size())),
               egg.vertex, frame);
  CHECK(dot(cross(camera.right, camera.up), camera.toward) == Approx(1.0));
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Double3& v : egg.vertex) {
    const Projected p = camera.project(v);
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  CHECK(left >= frame.left - 1e-6);
  CHECK(right <= frame.left + frame.width + 1e-6);
  CHECK(top >= frame.top - 1e-6);
  CHECK(bottom <= frame.top + frame.height + 1e-6);
  const bool touches = right - left == Approx(frame.width) || bottom - top == Approx(frame.height);
  CHECK(touches);
  // An unprojected point is projected to the same position.
  const Projected again = camera.project(camera.unproject(123.0, 77.0));
  CHECK(again.x == Approx(123.0));
  CHECK(again.y == Approx(77.0));
}

TEST_CASE("Rasteriser: the best side is that of marked triangles", "[unit]") {
  Shape ball = sphere(1.0, 24);
  for (Double3& v : ball.vertex) v = {3.0 * v[0], 2.0 * v[1], v[2]};
  std::vector<bool> marked;
  for (const Triangle& t : ball.triangle) marked.push_back(ball.vertex[t[0]][2] < -0.5);
  CHECK(bestSide(ball.vertex, ball.triangle, marked).toward[2] < 0.0);
  marked.flip();
  CHECK(bestSide(ball.vertex, ball.triangle, marked).toward[2] > 0.0);
}

TEST_CASE("Rasteriser: all meshes of one geometry are seen from one side", "[unit]") {
  for (const Double3& extent :
       {Double3{1, 1, 1}, Double3{5, 1, 1}, Double3{4, 4, 1}, Double3{3, 2, 1}, Double3{1, 4, 2}}) {
    INFO("extent " << extent[0] << ", " << extent[1] << ", " << extent[2]);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> noise(-0.004, 0.004);
    const Double3 along = unit(Double3{1.0, 1.0, -1.0});
    const preprocess::geometry::PlaneAxes across(along);
    std::optional<Side> first;
    for (const int columns : {24, 32, 60}) {
      Shape egg = sphere(1.0, columns);
      std::vector<bool> marked;
      for (const Triangle& t : egg.triangle) marked.push_back(egg.vertex[t[0]][0] > 0.9);
      for (Double3& v : egg.vertex) {
        const Double3 p{extent[0] * v[0] + noise(random), extent[1] * v[1] + noise(random),
                        extent[2] * v[2] + noise(random)};
        v = p[0] * along + p[1] * across.u + p[2] * across.v;
      }
      const Side side = bestSide(egg.vertex, egg.triangle, marked);
      if (!first) first = side;
      CHECK(dot(side.toward, first->toward) > 0.999);
      CHECK(dot(side.up, first->up) > 0.999);
    }
  }
}
