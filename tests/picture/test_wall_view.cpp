// SPDX-License-Identifier: GPL-3.0-or-later
// Decimation of a surface and its interactive view, without any stage.
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/picture/decimate.hpp"
#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/wall_view.hpp"
#include "pipelines/stage/io/json.hpp"
#include "tests/fixtures/geometry/sphere_shape.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

// An open tube along z, of radius 1 and length 4, outward.
Shape tube(std::uint32_t around, std::uint32_t along) {
  Shape mesh;
  for (std::uint32_t j = 0; j <= along; ++j)
    for (std::uint32_t i = 0; i < around; ++i) {
      const double angle = 2.0 * 3.14159265358979 * i / around;
      mesh.vertex.push_back({std::cos(angle), std::sin(angle), 4.0 * j / along});
    }
  for (std::uint32_t j = 0; j < along; ++j)
    for (std::uint32_t i = 0; i < around; ++i) {
      const std::uint32_t a = j * around + i, b = j * around + (i + 1) % around;
      mesh.triangle.push_back({a, b, b + around});
      mesh.triangle.push_back({a, b + around, a + around});
    }
  return mesh;
}

double areaOf(const std::vector<Double3>& vertex, const std::vector<Triangle>& triangle) {
  double area = 0.0;
  for (const Triangle& t : triangle)
    area += 0.5 * length(cross(vertex[t[1]] - vertex[t[0]], vertex[t[2]] - vertex[t[0]]));
  return area;
}

}  // namespace

TEST_CASE(
    "Interactive view: a decimated surface keeps within its limits, its shape, its sides and its "
    "rims",
    "[unit]") {
  const Shape fine = tube(400, 300);
  const std::size_t most = GENERATE(2000, 20000);
  const CoarseSurface coarse = decimate(fine.vertex, fine.triangle, most, 65535);
  CHECK(coarse.triangle.size() <= most);
  CHECK(coarse.triangle.size() > most / 3);
  CHECK(areaOf(coarse.vertex, coarse.triangle) ==
        Approx(areaOf(fine.vertex, fine.triangle)).epsilon(0.04));
  std::size_t onRim = 0;
  for (const Double3& v : coarse.vertex) {
    CHECK(std::hypot(v[0], v[1]) == Approx(1.0).epsilon(0.02));
    onRim += v[2] == 0.0 || v[2] == Approx(4.0).margin(1e-12) ? 1U : 0U;
  }
  CHECK(onRim > 30);
  for (const Triangle& t : coarse.triangle) {
    const Double3& a = coarse.vertex[t[0]];
    const Double3 n = cross(coarse.vertex[t[1]] - a, coarse.vertex[t[2]] - a);
    if (length(n) > 1e-9) CHECK(n[0] * a[0] + n[1] * a[1] > -1e-9);
  }
  // A linear value is reproduced at the vertices' own positions.
  std::vector<double> height;
  for (const Double3& v : fine.vertex) height.push_back(v[2]);
  const auto values = coarse.values(height);
  REQUIRE(values.size() == coarse.vertex.size());
  for (std::size_t v = 0; v < values.size(); ++v)
    CHECK(static_cast<double>(values[v]) == Approx(coarse.vertex[v][2]).margin(1e-6));
}

TEST_CASE("Interactive view: a small surface is kept as it is, without unused vertices", "[unit]") {
  Shape mesh = tube(20, 5);
  mesh.vertex.insert(mesh.vertex.begin(), Double3{9, 9, 9});
  for (Triangle& t : mesh.triangle)
    for (std::uint32_t& v : t) ++v;
  const CoarseSurface same = decimate(mesh.vertex, mesh.triangle, 1000, 65535);
  CHECK(same.triangle.size() == mesh.triangle.size());
  CHECK(same.vertex.size() == mesh.vertex.size() - 1);
  CHECK(same.coarse[0] == CoarseSurface::notKept);
  CHECK(areaOf(same.vertex, same.triangle) == Approx(areaOf(mesh.vertex, mesh.triangle)));
  // Too many vertices are as much a reason as too many triangles.
  CHECK(decimate(mesh.vertex, mesh.triangle, 1000, 100).vertex.size() <= 100);
}

TEST_CASE(
    "Interactive view: the view of a surface holds its triangles, its values and an escaped title",
    "[unit]") {
  const Shape surface = tube(20, 5);
  std::vector<double> height;
  for (const Double3& v : surface.vertex) height.push_back(v[2]);
  const WallViewValues values{
      "height <z>", "height [mm]", "mm", 1e3, height, {ColourMap::Magma, 0.0, 4.0}, false, true};
  const std::string markup = wallView(surface.vertex, surface.triangle, {&values, 1});
  CHECK(markup.find("<option value=\"0\">height &lt;z&gt;</option>") != std::string::npos);
  CHECK(markup.find("200 triangles.") != std::string::npos);
  const std::string start = "<script type=\"application/json\">";
  const std::size_t begin = markup.find(start) + start.size();
  const Json data = Json::parse(markup.substr(begin, markup.find("</script>", begin) - begin));
  const Json& quantity = data["quantities"][0];
  CHECK(quantity["high"].get<double>() == 4000.0);
  CHECK(quantity["openAbove"].get<bool>());
  std::vector<float> shown;
  for (const double h : height) shown.push_back(static_cast<float>(h) * 1e3F);
  CHECK(quantity["values"].get<std::string>() ==
        base64({reinterpret_cast<const char*>(shown.data()), shown.size() * sizeof(float)}));
  CHECK(wallView(surface.vertex, surface.triangle, {}).empty());
}

TEST_CASE("Interactive view: vertices of two labels are two, and no name ends the script",
          "[unit]") {
  const Shape surface = tube(20, 4);
  std::vector<std::uint16_t> label(surface.triangle.size(), 0);
  for (std::size_t t = label.size() / 2; t < label.size(); ++t) label[t] = 1;
  ViewParts parts;
  parts.labels = {{"wall </script><b>", colourOf(0x112233)},
                  {"inlet", colourOf(0x445566), false, 0}};
  parts.labelOf = label;
  ViewMark mark;
  mark.number = "3";
  mark.name = "</script><script>";
  mark.normal = {0, 0, 1};
  parts.marks = {mark};
  const std::string markup = wallView(surface.vertex, surface.triangle, {}, parts);
  const std::string start = "<script type=\"application/json\">";
  const std::size_t begin = markup.find(start) + start.size();
  const Json data = Json::parse(markup.substr(begin, markup.find("</script>", begin) - begin));
  CHECK(data["marks"][0]["name"].get<std::string>() == mark.name);
  const Json& labels = data["quantities"][0]["labels"];
  REQUIRE(labels.size() == 2);
  CHECK(labels[0]["name"].get<std::string>() == "wall </script><b>");
  CHECK(labels[1]["colour"].get<std::string>() == "#445566");
  CHECK(labels[1]["mark"].get<int>() == 0);
  CHECK(labels[0]["from"].get<std::size_t>() == 0);
  CHECK(labels[0]["count"].get<std::size_t>() == 3 * label.size() / 2);
  CHECK(labels[1]["from"].get<std::size_t>() == 3 * label.size() / 2);
  // A ring of 20 vertices belongs to both.
  const std::size_t vertices = surface.vertex.size() + 20;
  CHECK(data["quantities"][0]["values"].get<std::string>().size() == (4 * vertices + 2) / 3 * 4);
  CHECK(data["positions"].get<std::string>().size() == (6 * vertices + 2) / 3 * 4);
  CHECK_FALSE(data["wide"].get<bool>());
}

TEST_CASE("Interactive view: more vertices than 16 bits count have wide corners", "[unit]") {
  const Shape surface = tube(500, 200);
  const std::vector<std::uint16_t> label(surface.triangle.size(), 0);
  ViewParts parts;
  parts.labels = {{"wall", colourOf(0x112233)}};
  parts.labelOf = label;
  parts.mostTriangles = 300000;
  const std::string markup = wallView(surface.vertex, surface.triangle, {}, parts);
  CHECK(markup.find("\"wide\":true") != std::string::npos);
  CHECK(markup.find(escapeMarkup(formatCount(200000)) + " triangles.") != std::string::npos);
}
