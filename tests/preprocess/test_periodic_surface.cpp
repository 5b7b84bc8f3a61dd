// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces on periodic axes, through the program: nodes, masks, distances and normals right across
// the seam; and the same bytes of geom.vdb for any number of threads.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/sample/spheres.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;
using namespace tessera::test;
using tessera::chain::WorkFolder;

namespace {

// Signed distance to the nearest sphere or wall, positive in the fluid, and the way out of it.
struct Pores {
  Int3 size;
  std::array<bool, 3> periodic;
  std::vector<Sphere> sphere;

  struct Nearest {
    double distance;
    Double3 outward;
    double next;  // distance of the second nearest
  };
  [[nodiscard]] Nearest nearest(const Double3& at) const {
    Nearest found{1e9, {}, 1e9};
    const auto offer = [&](double distance, const Double3& outward) {
      if (distance < found.distance)
        found = {distance, outward, found.distance};
      else
        found.next = std::min(found.next, distance);
    };
    for (const Sphere& s : sphere)
      for (int n = 0; n < 27; ++n) {
        Double3 from = s.centre - at;
        for (std::size_t a = 0; a < 3; ++a) from[a] += directionStep(n)[a] * size[a];
        offer(length(from) - s.radius, 1.0 / length(from) * from);
      }
    for (std::size_t a = 0; a < 3; ++a) {
      if (periodic[a]) continue;
      Double3 outward{};
      outward[a] = -1.0;
      offer(at[a] + 0.5, outward);
      outward[a] = 1.0;
      offer(size[a] - 0.5 - at[a], outward);
    }
    return found;
  }
};

std::uint32_t plainMask(const LatticeGeometry& geometry, const Int3& node) {
  std::uint32_t mask = 0;
  const BitLattice& fluid = geometry.fluid;
  for (int n = 0; n < 27; ++n) {
    Int3 to = node;
    for (std::size_t a = 0; a < 3; ++a) {
      to[a] += directionStep(n)[a];
      if (geometry.periodic[a]) to[a] = (to[a] + fluid.size[a]) % fluid.size[a];
    }
    if (!fluid.inside(to[0], to[1], to[2]) || !fluid.at(to[0], to[1], to[2])) mask |= 1U << n;
  }
  return mask;
}

// Least distance from the walls at points of a link a twentieth apart; where it is more than the
// slack, points that cannot be nearer than the slack are left out.
double leastOnLink(const Pores& pores, const Int3& node, int n, double slack) {
  constexpr int parts = 20;
  const Double3 part = 1.0 / parts * pointAt(directionStep(n));
  double least = 1e9;
  for (int k = 1; k < parts; ++k) {
    const double distance = pores.nearest(pointAt(node) + k * part).distance;
    least = std::min(least, distance);
    k += std::max(0, static_cast<int>((distance - slack) / length(part)) - 1);
  }
  return least;
}

// Whether a mask has the links that leave the fluid, and of those between fluid nodes the ones that
// pass through a solid; those that graze one within the slack may be in it.
bool isMaskOf(const Pores& pores, const Int3& node, std::uint32_t leaving, std::uint32_t mask,
              double slack) {
  for (int n = 0; n < directionCount; ++n) {
    const bool has = (mask >> n & 1U) != 0;
    if ((leaving >> n & 1U) != 0 ? !has : n == restDirection && has) return false;
    if ((leaving >> n & 1U) != 0 || n == restDirection) continue;
    const double least = leastOnLink(pores, node, n, slack);
    if (has ? least > slack : least < -slack) return false;
  }
  return true;
}

// slack: how far the facets lie from the spheres, nodes.
void checkPores(const LatticeGeometry& geometry, const Pores& pores, double slack) {
  const BitLattice& fluid = geometry.fluid;
  REQUIRE(fluid.size == pores.size);
  std::size_t wrongNodes = 0, wrongMasks = 0, seamLinks = 0, k = 0, link = 0;
  double worst = 0.0, worstNormal = 0.0;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x) {
        const Int3 node{x, y, z};
        const Pores::Nearest nearest = pores.nearest(pointAt(node));
        wrongNodes +=
            std::abs(nearest.distance) > slack && (nearest.distance > 0.0) != fluid.at(x, y, z);
        if (!fluid.at(x, y, z)) continue;
        const bool known = k < geometry.boundary.node.size() &&
                           geometry.boundary.node[k] == fluid.nodeIndex(x, y, z);
        const std::uint32_t mask = known ? geometry.boundary.mask[k] : 0;
        wrongMasks += !isMaskOf(pores, node, plainMask(geometry, node), mask, slack);
        if (mask == 0) continue;
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link) {
          const Double3 step = pointAt(directionStep(std::countr_zero(rest)));
          const Double3 end =
              pointAt(node) + distanceFromCode(geometry.boundary.distance[link]) * step;
          worst = std::max(worst, std::abs(pores.nearest(end).distance));
          for (std::size_t a = 0; a < 3; ++a)
            seamLinks += geometry.periodic[a] && (end[a] < 0.0 || end[a] > fluid.size[a] - 1.0);
        }
        if (nearest.distance < 0.5 && nearest.next > nearest.distance + 0.1)
          worstNormal = std::max(
              worstNormal, length(normalFromCode(geometry.boundary.normal[k]) - nearest.outward));
        ++k;
      }
  CHECK(k == geometry.boundary.node.size());
  CHECK(wrongNodes == 0);
  CHECK(wrongMasks == 0);
  CHECK(worst < slack);
  CHECK(worstNormal < 0.15);  // facets of an edge of a twelfth of the radius
  CHECK(seamLinks > 100);     // else the seam was not tested
}

// One thread and two, in turn.
void checkSameBytes(const WorkFolder& work, const std::string& command) {
  work.mustRun(command + " --threads 1 -o first.vdb");
  const std::string first = chain::readWhole(work.path("first.vdb"));
  REQUIRE(first.size() > 1000);
  for (int repeat = 0; repeat < 4; ++repeat) {
    work.mustRun(command + (repeat % 2 == 0 ? " --threads 2" : " --threads 1") + " -o again.vdb");
    INFO(repeat);
    REQUIRE((chain::readWhole(work.path("again.vdb")) == first));
  }
}

}  // namespace

TEST_CASE(
    "Periodic surface: sphere lattices are right across the seams of two and three periodic axes",
    "[pipeline]") {
  const WorkFolder work;
  for (const auto& [name, cell] :
       {std::pair{"sc", LatticeCell::Simple}, {"bcc", LatticeCell::BodyCentred}})
    for (const std::string axes : {"xy", "xyz"}) {
      INFO(name << ' ' << axes);
      // Spheres that overlap reach across the box's sides.
      const double radius = cell == LatticeCell::Simple ? 0.52 : 0.4;
      work.mustRun("tessera-sample lattice --lattice " + std::string(name) + " --radius " +
                   std::to_string(radius) + " --nodes 40 --side 40mm -o pores.stl");
      const auto told =
          work.mustRun("tessera-preprocess --unit mm --spacing 1mm --keep all --periodic " + axes +
                       " pores.stl -o pores.vdb");
      CHECK_THAT(told.errors, !Catch::Contains("periodic"));
      LatticeShape shape;
      shape.cell = cell;
      shape.nodes = 40;
      shape.radius = radius;
      const SpherePack pack = latticeSpherePack(shape);
      const LatticeGeometry geometry = readLatticeFile(work.path("pores.vdb")).geometry;
      checkPores(geometry, {pack.size, {true, true, axes == "xyz"}, pack.sphere}, 0.02);
    }
}

TEST_CASE("Periodic surface: links of a periodic tube meet its wall across the seam",
          "[pipeline]") {
  const WorkFolder work;
  work.write("tube.stl", binaryStl(soupOf(tubeMesh({0, 0, 0}, {0, 0, 10}, 3, 96, true))));
  work.mustRun("tessera-preprocess --unit mm --spacing 0.25mm --periodic z tube.stl -o tube.vdb");
  const LatticeGeometry geometry = readLatticeFile(work.path("tube.vdb")).geometry;
  const Double3 middle{0.5 * (geometry.fluid.size[0] - 1), 0.5 * (geometry.fluid.size[1] - 1), 0.0};
  std::size_t link = 0, seamLinks = 0;
  double worst = 0.0;
  for (std::size_t k = 0; k < geometry.boundary.node.size(); ++k) {
    const Int3 node = geometry.fluid.nodeAt(geometry.boundary.node[k]);
    for (std::uint32_t rest = geometry.boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const Int3 step = directionStep(std::countr_zero(rest));
      const Double3 end = pointAt(node) +
                          distanceFromCode(geometry.boundary.distance[link]) * pointAt(step) -
                          middle;
      worst = std::max(worst, std::abs(std::hypot(end[0], end[1]) - 12.0));
      seamLinks += node[2] + step[2] < 0 || node[2] + step[2] >= geometry.fluid.size[2];
    }
    CHECK(std::abs(normalFromCode(geometry.boundary.normal[k])[2]) < 1e-4);
  }
  CHECK(worst < 0.01);  // sagitta of 96 sides: 0.0064
  CHECK(seamLinks > 100);
}

TEST_CASE("Periodic surface: ends of a periodic axis that do not match are warned about",
          "[pipeline]") {
  const WorkFolder work;
  const std::string command =
      "tessera-preprocess --unit mm --spacing 0.5mm -o tube.vdb tube.stl --periodic ";
  const auto warningsOf = [&](const TriangleMesh& mesh, const std::string& axes) {
    work.write("tube.stl", binaryStl(soupOf(mesh)));
    return work.mustRun(command + axes).errors;
  };
  TriangleMesh tube = tubeMesh({0, 0, 0}, {0, 0, 10}, 3, 48, true);
  CHECK_THAT(warningsOf(tube, "z"), !Catch::Contains("periodic"));
  CHECK_THAT(warningsOf(tube, "x"), Catch::Contains("flat") && Catch::Contains("periodic x"));
  for (Double3& p : tube.vertex)
    if (p[2] > 5) p[0] += 1.5;
  CHECK_THAT(warningsOf(tube, "z"), Catch::Contains("1.5 mm"));
  for (Double3& p : tube.vertex)
    if (p[2] > 5) p = {0.9 * (p[0] - 1.5), 0.9 * p[1], p[2]};
  CHECK_THAT(warningsOf(tube, "z"), Catch::Contains("28.19 mm2") && Catch::Contains("22.84 mm2"));
}

TEST_CASE("Periodic surface: slivers at the faces of a fully periodic box are no openings",
          "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample lattice --lattice bcc --solid 0.417733 --side 1mm -o x.stl");
  work.mustRun(
      "tessera-preprocess x.stl --unit mm --periodic xyz --longest 32 -o x.vdb --report r.json");
  const auto report = work.json("r.json");
  CHECK(report.at("openings").empty());
  CHECK(report.at("porosity").get<double>() == Approx(1.0 - 0.417733).margin(0.01));
}

TEST_CASE("Periodic surface: geom.vdb has the same bytes for one thread and two", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample aneurysm --triangles 20000 -o vessel.stl");
  checkSameBytes(work, "tessera-preprocess --quiet --unit mm --longest 100 vessel.stl");
  work.mustRun("tessera-sample spheres --size 48,40,44 --diameter 12 --porosity 0.6 -o pack.raw");
  const std::string image =
      "tessera-preprocess --quiet --voxel 3um --dims 48,40,44 --type u8 --pore 0 pack.raw";
  checkSameBytes(work, image + " --faces x-,x+");
  checkSameBytes(work, image + " --faces x-,x+ --smooth");
}
