// SPDX-License-Identifier: GPL-3.0-or-later
// CGAL as the oracle of the voxeliser and of the links: exact predicates for the inside, exact
// arithmetic for the first crossing of a link with the surface, its tree for the nearest triangle.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fixtures/geometry/vessel_case.hpp"
#include "tests/fixtures/oracle/cgal_oracle.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

std::size_t countOnWrongSide(const BitLattice& fluid, const CgalOracle& exact) {
  std::size_t wrong = 0;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x) {
        const Double3 node = pointAt({x, y, z});
        if (exact.inside(node) != fluid.at(x, y, z) && exact.distanceTo(node) > vertexRounding)
          ++wrong;
      }
  return wrong;
}

// Differences of links and wall normals from CGAL's.
struct Differences {
  std::size_t nodes = 0, links = 0;
  std::size_t grazing = 0;     // rounding decides whether the link crosses, or which triangle
  std::size_t otherPatch = 0;  // farther than rounding from a triangle of the patch
  std::size_t otherNormal = 0;
  double worst = 0.0;       // of the distances, parts of a link, grazing ones left out
  double worstAngle = 0.0;  // of the normals to that of a nearest triangle, radians
};

class LinkCheck {
 public:
  LinkCheck(const BitLattice& fluid, const TriangleMesh& mesh, const CgalOracle& exact)
      : fluid_(fluid), mesh_(mesh), exact_(exact) {}

  // Every stride-th boundary node with all its links.
  Differences compare(const BoundaryNodes& boundary, std::size_t stride) {
    std::size_t link = 0;
    for (std::size_t k = 0; k < boundary.node.size(); ++k) {
      const auto links = static_cast<std::size_t>(std::popcount(boundary.mask[k]));
      if (k % stride == 0) compareNode(boundary, k, link);
      link += links;
    }
    return found_;
  }

 private:
  void compareNode(const BoundaryNodes& boundary, std::size_t k, std::size_t link) {
    const Int3 node = fluid_.nodeAt(boundary.node[k]);
    bool onlyWalls = true;
    ++found_.nodes;
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      onlyWalls = onlyWalls && !isOpening(boundary.patch[link]);
      compareLink(node, directionStep(std::countr_zero(rest)),
                  distanceFromCode(boundary.distance[link]), boundary.patch[link]);
    }
    if (onlyWalls) compareNormal(node, normalFromCode(boundary.normal[k]));
  }
  void compareLink(const Int3& node, const Int3& step, double distance, Patch patch) {
    ++found_.links;
    const auto crossings = exact_.crossings(pointAt(node), pointAt(step), 1.0 + vertexRounding);
    const Double3 end = pointAt(node) + distance * pointAt(step);
    const double difference =
        crossings.empty() ? 1.0 : std::abs(crossings.front().along - distance);
    if (difference > 1e-4 && exact_.distanceTo(end) < vertexRounding) {
      ++found_.grazing;  // it still ends on the surface
      return;
    }
    found_.worst = std::max(found_.worst, difference);
    const auto near = exact_.trianglesWithin(end, 2.0 * vertexRounding);
    found_.otherPatch += std::none_of(near.begin(), near.end(),
                                      [&](std::size_t t) { return mesh_.label[t] == patch; });
  }
  // Where several triangles are equally near, in an edge or a corner, any of them will do.
  void compareNormal(const Int3& node, const Double3& normal) {
    double least = 4.0;
    for (const std::size_t t :
         exact_.trianglesWithin(pointAt(node), exact_.distanceTo(pointAt(node)) + vertexRounding)) {
      if (isOpening(mesh_.label[t])) return;
      const Double3 area = areaVector(mesh_, t);
      least = std::min(least, std::atan2(length(cross(normal, area)), dot(normal, area)));
    }
    found_.worstAngle = std::max(found_.worstAngle, least);
    found_.otherNormal += least > 2e-4 ? 1 : 0;
  }

  const BitLattice& fluid_;
  const TriangleMesh& mesh_;
  const CgalOracle& exact_;
  Differences found_;
};

void checkLinks(const TriangleMesh& mesh, const Int3& nodes, const CgalOracle& exact,
                std::size_t stride) {
  const BitLattice fluid = voxelise(mesh, nodes, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  const Differences other = LinkCheck(fluid, mesh, exact).compare(found.boundary, stride);
  REQUIRE(other.links > 1000);
  CHECK(other.worst < 1e-5);
  CHECK(other.otherPatch == 0);
  CHECK(other.grazing <= other.links / 100'000);
  CHECK(other.otherNormal <= other.nodes / 10'000);
  WARN(other.links << " links of " << other.nodes << " nodes: distances within " << other.worst
                   << ", grazing " << other.grazing << ", other patch " << other.otherPatch
                   << ", other normal " << other.otherNormal << " (worst " << other.worstAngle
                   << " rad)");
}

void checkBody(const TriangleMesh& mesh, const Int3& nodes) {
  const CgalOracle exact(mesh);
  CHECK(countOnWrongSide(voxelise(mesh, nodes, notPeriodic), exact) == 0);
  checkLinks(mesh, nodes, exact, 1);
}

void checkVesselLinks(std::int64_t triangles, int longest, std::size_t stride) {
  const VesselCase vessel = vesselCase(triangles, longest);
  const CgalOracle exact(vessel.mesh);
  checkLinks(vessel.mesh, vessel.lattice.size(), exact, stride);
}

}  // namespace

TEST_CASE("CGAL oracle: nodes and links agree on small, large and long triangles", "[unit]") {
  checkBody(sphereMesh({14.3, 14.1, 14.7}, 13.2, 160, 80), {30, 29, 29});
  checkBody(sphereMesh({9.3, 9.1, 9.7}, 8.2, 12, 6), {20, 19, 19});
  checkBody(tubeMesh({7.1, 8.3, 7.7}, {46.2, 26.1, 22.9}, 5.9, 64, true), {55, 36, 32});
}

TEST_CASE("CGAL oracle: links and wall normals of a vessel agree", "[unit]") {
  checkVesselLinks(20'000, 160, 10);
}

TEST_CASE(
    "CGAL oracle: links and wall normals of a large vessel agree, of triangles larger and smaller "
    "than a cell",
    "[slow]") {
  checkVesselLinks(100'000, 730, 20);
  checkVesselLinks(1'000'000, 365, 10);
}
