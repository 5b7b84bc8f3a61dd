// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of parts of a surface and of a lattice, in memory.
#include <catch2/catch.hpp>

#include "preprocess/check_topology.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/opening_paths.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess;
using namespace tessera::preprocess::geometry;
using namespace tessera::test;

namespace {

// Two tubes along z with a gap between them.
TriangleMesh tubesApart(double gap) {
  TriangleMesh right =
      tubeMesh({12.3 + 12.0 + gap, 8.2, 2.5}, {12.3 + 12.0 + gap, 8.2, 20.5}, 6.0, 48, true);
  for (Patch& label : right.label)
    if (isOpening(label)) label = openingPatch(openingId(label) + 2);
  return joined(tubeMesh({12.3, 8.2, 2.5}, {12.3, 8.2, 20.5}, 6.0, 48, true), right);
}

struct Compared {
  PreprocessReport report;
  std::vector<std::string> warnings;
};

// withCuts: whether links that the walls cross connect, as they should not.
Compared compare(const TriangleMesh& mesh, bool withCuts) {
  LatticeGeometry geometry;
  geometry.openings.resize(4);
  for (int k = 0; k < 4; ++k) geometry.openings[static_cast<std::size_t>(k)].id = k + 1;
  geometry.fluid = lattice::nodesInside(mesh, {}, {40, 16, 24}, {}).fluid;
  geometry.boundary = lattice::findLinks(geometry.fluid, {}, mesh).boundary;
  const SurfaceParts surface = surfaceParts(mesh, 4, false);
  auto touching = lattice::nodesByLink(geometry);
  for (auto& nodes : nodesWithin(surface, mesh, geometry.fluid)) touching.push_back(nodes);
  const auto cuts = lattice::cutNodesOf(geometry.fluid, {}, geometry.boundary);
  const auto parts = lattice::partsOf(geometry.fluid, {}, touching, Neighbours::TwentySix,
                                      withCuts ? std::span(cuts) : std::span<lattice::CutNode>());
  Compared compared;
  compareTopology(surface, mesh, geometry, parts, 0, 0, compared.report);
  compared.warnings = compared.report.warnings;
  return compared;
}

}  // namespace

TEST_CASE("Topology check: parts that the lattice joins are warned about where they are nearest",
          "[unit]") {
  const TriangleMesh tubes = tubesApart(0.3);
  const Compared cut = compare(tubes, true);
  CHECK(cut.report.meshParts == 2);
  CHECK(cut.report.latticeParts == 2);
  CHECK(cut.warnings.empty());
  const Compared joined = compare(tubes, false);
  CHECK(joined.report.meshParts == 2);
  CHECK(joined.report.latticeParts == 1);
  REQUIRE(joined.warnings.size() == 1);
  // The middle of the gap, x = 18.45, in mm of a lattice whose nodes are metres apart.
  CHECK_THAT(joined.warnings[0], Catch::Contains("(1.845e+04, 8200, "));
}

TEST_CASE("Topology check: overlapping parts are one, whether or not a node is in both", "[unit]") {
  CHECK(compare(tubesApart(-1.0), true).report.meshParts == 1);
  const Compared thin = compare(tubesApart(-0.02), true);
  CHECK(thin.report.meshParts == 1);
  CHECK(thin.warnings.empty());
}

TEST_CASE("Topology check: a part that a sheet cuts off is warned about with the sheet", "[unit]") {
  const SurfaceParts one;
  LatticeGeometry geometry;
  std::vector<lattice::FluidPart> parts(2);
  parts[0] = {500, {0}, {}, {8.0, 8.0, 8.0}};
  parts[1] = {400, {1}, {}, {8.0, 8.0, 30.0}};
  const auto warnings = [&](std::uint64_t splitBySheets) {
    PreprocessReport report;
    report.sheets = {{{0.0, 0.0, 0.0}, 3e-6}, {{8.0, 8.0, 20.0}, 5e-6}};
    compareTopology(one, {}, geometry, parts, splitBySheets, 0, report);
    return report.warnings;
  };
  const std::vector<std::string> bySheet = warnings(1), byNeck = warnings(0);
  REQUIRE(bySheet.size() == 1);
  CHECK_THAT(bySheet[0], Catch::Contains("400 nodes") && Catch::Contains("sheet of 5 mm2") &&
                             Catch::Contains("--sheets drop") && !Catch::Contains("spacing"));
  REQUIRE(byNeck.size() == 1);
  CHECK_THAT(byNeck[0], Catch::Contains("400 nodes") && Catch::Contains("smaller node spacing") &&
                            !Catch::Contains("sheet"));
}
