// SPDX-License-Identifier: GPL-3.0-or-later
// Repair against damage of known kinds: the closed mesh must hold the volume of the intact one.
#include <tbb/global_control.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/edge_table.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

RepairedMesh repaired(const TriangleSoup& soup) {
  return repair(soup, 1.0, "a.stl");
}

std::uint64_t countOf(const RepairedMesh& mesh, const std::string& name) {
  for (const auto& [key, count] : mesh.repairs)
    if (key == name) return count;
  FAIL("no repair is called " << name);
  return 0;
}

// On every edge as many triangles run one way as the other.
bool isClosed(const TriangleMesh& mesh) {
  const EdgeTable edges = edgesOf(mesh);
  bool closed = true;
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, auto ends) {
      int sum = 0;
      for (const auto& end : ends) sum += runsUp(mesh, end.half) ? 1 : -1;
      closed = closed && sum == 0;
    });
  return closed;
}

// About 20,000 triangles, with caps.
TriangleMesh fineSphere() {
  return sphereMesh({0.3, -0.2, 0.1}, 1.0, 128, 80);
}

double volumeOfFineSphere() {
  return enclosedVolume(fineSphere());
}

std::vector<std::size_t> someTriangles(std::size_t triangles, std::size_t count) {
  std::vector<std::size_t> all(triangles);
  for (std::size_t t = 0; t < triangles; ++t) all[t] = t;
  std::mt19937 random(7);
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random() % (triangles - i)]);
  all.resize(count);
  return all;
}

void checkSphere(const TriangleSoup& soup, double tolerance) {
  const RepairedMesh mesh = repaired(soup);
  CHECK(isClosed(mesh.mesh));
  CHECK(mesh.caps.empty());
  CHECK(enclosedVolume(mesh.mesh) == Approx(volumeOfFineSphere()).epsilon(tolerance));
}

void turn(TriangleSoup& soup, std::size_t triangle) {
  std::swap(soup.corner[3 * triangle + 1], soup.corner[3 * triangle + 2]);
}

void addCube(TriangleSoup& soup, float x, bool insideOut) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool high : {false, true}) {
      const auto corner = [&](int u, int v) {
        Float3 p{};
        p[axis] = high ? 1.0F : 0.0F;
        p[(axis + 1) % 3] = static_cast<float>(u);
        p[(axis + 2) % 3] = static_cast<float>(v);
        p[0] += x;
        return p;
      };
      const bool outward = high != insideOut;
      const Float3 one = outward ? corner(1, 0) : corner(0, 1);
      const Float3 other = outward ? corner(0, 1) : corner(1, 0);
      soup.corner.insert(soup.corner.end(),
                         {corner(0, 0), one, corner(1, 1), corner(0, 0), corner(1, 1), other});
    }
}

TriangleSoup cubesOnOneSide() {
  TriangleSoup soup;
  addCube(soup, 0.0F, false);
  addCube(soup, 1.0F, true);
  return soup;
}

}  // namespace

TEST_CASE("Repair: welding shares the corners of an intact surface and repairs nothing", "[unit]") {
  const TriangleMesh sphere = fineSphere();
  const RepairedMesh mesh = repaired(soupOf(sphere));
  CHECK(mesh.mesh.vertex.size() == sphere.vertex.size());
  CHECK(mesh.mesh.triangle.size() == sphere.triangle.size());
  CHECK(isClosed(mesh.mesh));
  for (const auto& [name, count] : mesh.repairs) {
    INFO(name);
    CHECK(count == 0);
  }
  CHECK(mesh.warnings.empty());
}

TEST_CASE("Repair: coordinates are scaled to metres", "[unit]") {
  const RepairedMesh mesh = repair(soupOf(fineSphere()), 1e-3, "a.stl");
  CHECK(enclosedVolume(mesh.mesh) == Approx(1e-9 * volumeOfFineSphere()).epsilon(1e-6));
}

TEST_CASE("Repair: deleted triangles leave holes that are closed", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  TriangleSoup damaged;
  const auto deleted = someTriangles(soup.triangles(), 50);
  for (std::size_t t = 0; t < soup.triangles(); ++t)
    if (std::find(deleted.begin(), deleted.end(), t) == deleted.end())
      damaged.corner.insert(damaged.corner.end(), &soup.corner[3 * t], &soup.corner[3 * t] + 3);
  checkSphere(damaged, 1e-5);
  CHECK(countOf(repaired(damaged), "holes_closed") >= 45);
}

TEST_CASE("Repair: one per cent of reversed triangles is turned back", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  const auto turned = someTriangles(soup.triangles(), soup.triangles() / 100);
  for (const std::size_t t : turned) turn(soup, t);
  checkSphere(soup, 1e-6);
  CHECK(countOf(repaired(soup), "triangles_turned") == turned.size());
}

TEST_CASE("Repair: one per cent of duplicate triangles is dropped", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  const auto twice = someTriangles(soup.triangles(), soup.triangles() / 100);
  for (const std::size_t t : twice)
    for (std::size_t k = 0; k < 3; ++k) soup.corner.push_back(soup.corner[3 * t + (k + 1) % 3]);
  checkSphere(soup, 1e-6);
  CHECK(countOf(repaired(soup), "duplicate_triangles_dropped") == twice.size());
}

TEST_CASE("Repair: inside-out and mixed winding come out outward", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  for (std::size_t t = 0; t < soup.triangles(); ++t) turn(soup, t);
  checkSphere(soup, 1e-6);
  CHECK(countOf(repaired(soup), "parts_turned_outward") == 1);
  for (std::size_t t = 0; t < soup.triangles(); t += 2) turn(soup, t);
  checkSphere(soup, 1e-6);
}

TEST_CASE("Repair: corners that differ by less than the tolerance are one", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  std::mt19937 random(3);
  std::uniform_real_distribution<float> jitter(-2e-7F, 2e-7F);
  for (Float3& corner : soup.corner)
    for (float& c : corner) c += jitter(random);
  checkSphere(soup, 1e-5);
  CHECK(countOf(repaired(soup), "vertices_stitched") > 0);
}

TEST_CASE("Repair: triangles without an area are dropped", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  const Float3 point = soup.corner[30];
  soup.corner.insert(soup.corner.end(), {point, point, soup.corner[31]});
  checkSphere(soup, 1e-6);
  CHECK(countOf(repaired(soup), "degenerate_triangles_dropped") == 1);
}

TEST_CASE("Repair: open ends of a tube become caps", "[unit]") {
  const TriangleMesh closed = tubeMesh({1, 2, 3}, {4, 6, 5}, 0.8, 40, true);
  const TriangleMesh open = tubeMesh({1, 2, 3}, {4, 6, 5}, 0.8, 40, false);
  const RepairedMesh mesh = repaired(soupOf(open));
  CHECK(mesh.caps.size() == 2);
  CHECK(isClosed(mesh.mesh));
  CHECK(enclosedVolume(mesh.mesh) == Approx(enclosedVolume(closed)).epsilon(1e-6));
  CHECK(countOf(mesh, "openings_capped") == 2);
  CHECK(countOf(mesh, "holes_closed") == 0);
}

TEST_CASE("Repair: a closed part in another one stays a cavity, one outside it is turned",
          "[unit]") {
  TriangleMesh inner = sphereMesh({0.3, -0.2, 0.1}, 0.5, 30, 20);
  const double innerVolume = enclosedVolume(inner);
  for (Triangle& t : inner.triangle) std::swap(t[1], t[2]);
  const RepairedMesh hollow = repaired(soupOf(joined(fineSphere(), inner)));
  CHECK(enclosedVolume(hollow.mesh) == Approx(volumeOfFineSphere() - innerVolume).epsilon(1e-6));
  CHECK(hollow.warnings.size() == 1);
  for (Double3& v : inner.vertex) v[0] += 3.0;
  const RepairedMesh beside = repaired(soupOf(joined(fineSphere(), inner)));
  CHECK(enclosedVolume(beside.mesh) == Approx(volumeOfFineSphere() + innerVolume).epsilon(1e-6));
}

TEST_CASE("Repair: a surface that cannot be closed is refused with the reason", "[unit]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> place(0.0F, 1.0F);
  TriangleSoup loose;
  for (int i = 0; i < 300; ++i)
    loose.corner.push_back({place(random), place(random), place(random)});
  const auto sentenceFor = [](const TriangleSoup& soup) {
    return sentenceOfError(ExitCode::BadInput, [&] { repaired(soup); });
  };
  CHECK_THAT(sentenceFor(loose), Catch::Contains("100 %"));

  // Two cubes on one side, one inside-out: every edge has its triangles, five have more than two.
  CHECK_THAT(sentenceFor(cubesOnOneSide()), Catch::Contains("12.9 %"));

  // A tube of which a half was torn off along a zigzag far from any plane.
  const TriangleSoup sphere = soupOf(fineSphere());
  TriangleSoup torn;
  for (std::size_t t = 0; t < sphere.triangles(); ++t) {
    const Float3& p = sphere.corner[3 * t];
    const double angle = std::atan2(p[1] + 0.2, p[0] - 0.3);
    if (p[2] < 0.1 + 0.6 * std::sin(3.0 * angle))
      torn.corner.insert(torn.corner.end(), &sphere.corner[3 * t], &sphere.corner[3 * t] + 3);
  }
  CHECK_THAT(sentenceFor(torn), Catch::Contains("planar"));

  TriangleSoup flat;  // one square
  flat.corner = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  CHECK_THAT(sentenceFor(flat), Catch::Contains("closed") || Catch::Contains("volume"));
}

TEST_CASE("Repair: the repaired mesh does not depend on the number of threads", "[unit]") {
  TriangleSoup soup = soupOf(fineSphere());
  for (const std::size_t t : someTriangles(soup.triangles(), 100)) turn(soup, t);
  const auto withThreads = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return repaired(soup).mesh;
  };
  const TriangleMesh one = withThreads(1), four = withThreads(4);
  CHECK(one.vertex == four.vertex);
  CHECK(one.triangle == four.triangle);
}

TEST_CASE("Repair: edges of added triangles make the table of the whole mesh", "[unit]") {
  const TriangleMesh whole = fineSphere();
  for (const std::size_t added : {0, 1, 7, 500}) {
    TriangleMesh mesh = whole;
    const auto first = static_cast<std::uint32_t>(mesh.triangle.size() - added);
    mesh.triangle.resize(first);
    EdgeTable edges = edgesOf(mesh);
    mesh = whole;
    // A fan over a vertex of its own, as closes a hole.
    const auto centre = static_cast<std::uint32_t>(mesh.vertex.size());
    mesh.vertex.push_back({0.0, 0.0, 0.0});
    for (const std::uint32_t v : {40U, 3U, 900U}) mesh.triangle.push_back({v, v + 1, centre});
    addEdges(mesh, first, edges);
    const EdgeTable expected = edgesOf(mesh);
    CHECK(edges.start == expected.start);
    REQUIRE(edges.end.size() == expected.end.size());
    CHECK(std::equal(edges.end.begin(), edges.end.end(), expected.end.begin(),
                     [](const EdgeTable::End& a, const EdgeTable::End& b) {
                       return a.high == b.high && a.half == b.half;
                     }));
  }
}

TEST_CASE("Repair: the advice of a refusal is the same from a soup that is read again", "[unit]") {
  TriangleSoup soup = soupOf(sphereMesh({0, 0, 0}, 1.0, 64, 40));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> shift(-1e-4F, 1e-4F);
  for (Float3& corner : soup.corner)
    for (float& x : corner) x += shift(random);
  RepairRequest request;
  const std::string kept =
      sentenceOfError(ExitCode::BadInput, [&] { repair(soup, 1.0, "a.stl", request); });
  CHECK(kept.find("try --weld") != kept.npos);
  int reads = 0;
  request.readAgain = [&] {
    ++reads;
    return soup;
  };
  CHECK(sentenceOfError(ExitCode::BadInput, [&] { repair(soup, 1.0, "a.stl", request); }) == kept);
  CHECK(reads == 1);
}
