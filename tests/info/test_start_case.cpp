// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-info --case and --page: a case to start from and a page, of a .tiles.
#include <catch2/catch.hpp>

#include "pipelines/info/lattice_of_file.hpp"
#include "pipelines/stage/case/case_file.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/info/run_info.hpp"
#include "tests/info/sample_files.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/tile.hpp"

namespace tessera {

using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
namespace {

using Catch::Matchers::Contains;

// A box of voxels, 10 x 6 x 5 nodes of which all but a rim on y and z are fluid, periodic on x.
LatticeGeometry duct() {
  BitLattice fluid({10, 6, 5});
  for (int z = 1; z < 4; ++z)
    for (int y = 1; y < 5; ++y)
      for (int x = 0; x < 10; ++x) fluid.set(x, y, z);
  return plain::geometryOf(std::move(fluid), {true, false, false});
}

TEST_CASE("Start of a case: tiles become the lattice that they were made of", "[unit]") {
  const LatticeGeometry before = duct();
  const LatticeGeometry after = info::latticeOf(coverWithTiles(before, {1, 0, 2}));
  CHECK((after.fluid == before.fluid));
  CHECK(after.boundary.node.size() == before.boundary.node.size());
  CHECK(after.boundary.patch.size() == before.boundary.patch.size());
  CHECK(countWallLinks(after.boundary) == countWallLinks(before.boundary));
  CHECK(after.periodic == before.periodic);
}

TEST_CASE("Start of a case: a case and a page of a .tiles", "[pipeline]") {
  const TemporaryFolder folder;
  writeTilesFile(folder / "geom.tiles", coverWithTiles(duct(), {1, 0, 2}), sampleProvenance());
  REQUIRE(runInfo(folder, "geom.tiles --case --page page.html").status == 0);
  const std::string text = readWhole(folder / "out");
  INFO(text);
  const CaseFile file = CaseFile::parse(text, "case.toml");
  const auto force = file.table("solver").vector("body_force", Dimension::ForceDensity);
  REQUIRE(force);
  CHECK(length(*force) > 0.0);  // along the lattice's x, which is not the world's
  const std::string page = readWhole(folder / "page.html");
  CHECK_THAT(page, Contains("geom.tiles") && Contains("\"tileEdge\":[4,4,4]"));
}

TEST_CASE("Start of a case: options that do not fit are refused", "[pipeline]") {
  const TemporaryFolder folder;
  writeTilesFile(folder / "geom.tiles", coverWithTiles(duct(), {1, 0, 2}), sampleProvenance());
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    INFO(arguments);
    CHECK(runInfo(folder, arguments).status == 2);
    CHECK_THAT(readWhole(folder / "err"), Contains(words));
  };
  refused("geom.tiles --recipe rock", "--case");
  refused("geom.tiles --case --recipe 2d", "3D");
  refused("geom.tiles --case --recipe pulsatile", "--waveform");
  refused("geom.tiles --case --recipe pulsatile --waveform in.csv", "two openings");
  refused("geom.tiles --case --json", "no other");
  refused("geom.tiles geom.tiles --case", "one geometry");
  refused("geom.tiles --page geom.tiles", ".html");
  writeWhole(folder / "x.toml", "[fluid]\n");
  refused("x.toml --case", "no geometry");
  CHECK(runInfo(folder, "absent.tiles --case").status == 3);
}

}  // namespace
}  // namespace tessera
