// SPDX-License-Identifier: GPL-3.0-or-later
// The program, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// Ascending boundary nodes and wall patches only on walls, as preprocess writes them.
LatticeGeometry someGeometry() {
  return plain::geometryOf(plain::randomLattice({30, 26, 22}, 0.7, 6, 11), {false, true, false});
}

void putGeometry(const WorkFolder& work, const LatticeGeometry& geometry = someGeometry()) {
  Provenance provenance = newProvenance("tessera-preprocess");
  provenance.inputs = {{"vessel.stl", std::string(32, 'b')}};
  writeLatticeFile(work.path("geom.vdb"), geometry, provenance);
}

void refused(const WorkFolder& work, const std::string& options, int code,
             const std::string& words) {
  checkRefused(work, "tessera-tiler " + options, code, words);
}

}  // namespace

TEST_CASE("tessera-tiler: a geometry is covered with the fewest tiles", "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  const Outcome outcome = work.mustRun("tessera-tiler geom.vdb -o geom.tiles --report r.json");
  const OffsetCounts counts = countTilesAtAllOffsets(someGeometry().fluid, 3);
  const Int3 offset = chooseOffset(counts, someGeometry());
  const auto report = work.json("r.json");
  const TilesFile file = readTilesFile(work.path("geom.tiles"));
  CHECK(report.at("offset") == offset);
  CHECK(file.geometry.offset == offset);
  CHECK(report.at("tiles") == file.geometry.tiles());
  CHECK(report.at("fluid_nodes") == someGeometry().fluid.count());
  CHECK(report.at("wall_links") == countWallLinks(someGeometry().boundary));
  CHECK_THAT(outcome.output, Catch::Contains(std::to_string(file.geometry.tiles())));
  CHECK(outcome.errors.empty());
}

TEST_CASE("tessera-tiler: the file equals the library's tiling of the input", "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  work.mustRun("tessera-tiler geom.vdb --offset 1,3,2 --placement global -o geom.tiles");
  const TiledGeometry expected = coverWithTiles(someGeometry(), {1, 3, 2});
  const TiledGeometry found = readTilesFile(work.path("geom.tiles")).geometry;
  CHECK(found.offset == expected.offset);
  CHECK(found.tileMap == expected.tileMap);
  CHECK(found.nodeType == expected.nodeType);
  CHECK(found.boundaryMask == expected.boundaryMask);
  CHECK(found.linkPatch == expected.linkPatch);
  CHECK(found.linkDistance == expected.linkDistance);
}

TEST_CASE("tessera-tiler: the provenance leads back to the first input", "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  work.mustRun("tessera-tiler geom.vdb -o geom.tiles --offset 0,0,0");
  const Provenance provenance = readTilesFile(work.path("geom.tiles")).provenance;
  CHECK(provenance.program == "tessera-tiler");
  REQUIRE(provenance.inputs.size() == 1);
  CHECK(provenance.inputs[0].name == "geom.vdb");
  CHECK(provenance.inputs[0].hash == readLatticeFile(work.path("geom.vdb")).contentHash);
  REQUIRE(provenance.history.size() == 1);
  CHECK(provenance.history[0].inputs.at(0).name == "vessel.stl");
}

TEST_CASE("tessera-tiler: the same bytes whatever the threads, the report and the output's name",
          "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  work.mustRun("tessera-tiler geom.vdb -o a.tiles --threads 1");
  work.mustRun("tessera-tiler geom.vdb -o b.tiles --threads 2 --report r.json --verbose");
  CHECK(chain::readWhole(work.path("a.tiles")) == chain::readWhole(work.path("b.tiles")));
}

TEST_CASE("tessera-tiler: --plan prints everything and writes nothing", "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  const Outcome outcome = work.mustRun("tessera-tiler --plan geom.vdb -o a.tiles");
  CHECK(work.names() == std::vector<std::string>{"geom.vdb"});
  for (const std::string word :
       {"tiles", "utilisation", "memory", "time", "f64", "tiles, two copies", "ghost buffers",
        "connectivity matrix", "fluid index array", "dense", "zigzagNE", "4.28 TB/s"})
    CHECK_THAT(outcome.output, Catch::Contains(word));
  CHECK(work.mustRun("tessera-tiler --plan geom.vdb").output == outcome.output);
}

TEST_CASE(
    "tessera-tiler: speeds are predicted for the given bandwidth, and the file stays the same",
    "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  work.mustRun("tessera-tiler geom.vdb -o a.tiles --report a.json");
  work.mustRun("tessera-tiler geom.vdb -o b.tiles --report b.json --bandwidth '2140 GB/s'");
  const auto speed = [&](const std::string& report) {
    return work.json(report).at("overheads").at(0).at("mflups").get<double>();
  };
  CHECK(speed("a.json") == Approx(2.0 * speed("b.json")));
  CHECK(chain::readWhole(work.path("a.tiles")) == chain::readWhole(work.path("b.tiles")));
}

TEST_CASE(
    "tessera-tiler: --placement rows takes the fewest tiles of a shifted tiling and prints the "
    "saving",
    "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  const Outcome outcome =
      work.mustRun("tessera-tiler geom.vdb --placement rows -o a.tiles --report r.json");
  const RowSearch search = searchRows(someGeometry().fluid);
  const TilesFile file = readTilesFile(work.path("a.tiles"));
  CHECK(file.geometry.isShifted());
  CHECK(file.geometry.tiles() == search.tiles);
  CHECK(file.geometry.rows.axes == search.mesh.rows.axes);
  CHECK(file.geometry.rows.row == search.mesh.rows.row);
  CHECK(file.provenance.options.at(1) == std::pair<std::string, std::string>{"placement", "rows"});
  const auto report = work.json("r.json");
  const OffsetCounts counts = countTilesAtAllOffsets(someGeometry().fluid, 3);
  const auto one = *std::min_element(counts.tiles.begin(), counts.tiles.end());
  CHECK(report.at("placement") == "rows");
  CHECK(report.at("tiles") == search.tiles);
  CHECK(report.at("rows").at("tiles_global") == one);
  CHECK(report.at("rows").at("saved").get<double>() ==
        Approx(1.0 - static_cast<double>(search.tiles) / static_cast<double>(one)));
  CHECK(report.at("offsets").size() == 64);
  CHECK_THAT(outcome.output, Catch::Contains(std::to_string(one)));
  // The same bytes with a picture and on one thread; a plan with the names of the run's files.
  work.mustRun("tessera-tiler geom.vdb --placement rows -o b.tiles --picture b.png --threads 1");
  CHECK(chain::readWhole(work.path("a.tiles")) == chain::readWhole(work.path("b.tiles")));
  CHECK_THAT(work.mustRun("tessera-tiler --plan geom.vdb --placement rows").output,
             Catch::Contains(std::to_string(search.tiles)));
  const Outcome info = work.mustRun("tessera-info a.tiles --verbose");
  CHECK_THAT(info.output, Catch::Contains("row_axes") && Catch::Contains("layerOffset") &&
                              Catch::Contains("format 2.2"));
}

TEST_CASE("tessera-tiler: --picture writes a picture and does not change the tiles", "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  work.mustRun("tessera-tiler geom.vdb -o a.tiles");
  work.mustRun("tessera-tiler geom.vdb -o b.tiles --picture b.png --slice z=7");
  work.mustRun("tessera-tiler geom.vdb -o c.tiles --picture c.png");
  CHECK(chain::readWhole(work.path("a.tiles")) == chain::readWhole(work.path("b.tiles")));
  CHECK(chain::readWhole(work.path("b.png")).substr(1, 3) == "PNG");
  CHECK(chain::readWhole(work.path("b.png")) != chain::readWhole(work.path("c.png")));
}

TEST_CASE("tessera-tiler: invalid options and geometries are refused", "[pipeline]") {
  const WorkFolder work;
  putGeometry(work);
  refused(work, "none.vdb -o a.tiles", 3, "none.vdb");
  refused(work, "-o a.tiles", 2, "input");
  refused(work, "geom.vdb", 2, "-o");
  refused(work, "geom.vdb -o geom.vdb", 2, "geom.vdb");
  refused(work, "geom.vdb -o a.tiles --report ./geom.vdb", 2, "geom.vdb");
  refused(work, "geom.vdb -o a.tiles --report a.tiles", 2, "a.tiles");
  refused(work, "geom.vdb -o no/such/a.tiles", 4, "no/such");
  refused(work, "geom.vdb -o a.tiles --report no/such/r.json", 4, "no/such");
  for (const std::string offset : {"4,0,0", "-1,0,0", "0,0", "0,0,0,0", "a,b,c", "1,2,3x", "''"})
    refused(work, "geom.vdb -o a.tiles --offset " + offset, 2, "auto");
  refused(work, "geom.vdb -o a.tiles --placement columns", 2, "global");
  refused(work, "geom.vdb -o a.tiles --placement rows --offset 0,0,0", 2, "--offset");
  refused(work, "geom.vdb -o a.tiles --picture a.jpg", 2, ".png");
  refused(work, "geom.vdb -o a.png --picture ./a.png", 2, "--picture");
  refused(work, "geom.vdb -o a.tiles --report a.png --picture a.png", 2, "a.png");
  refused(work, "geom.vdb -o a.tiles --picture no/such/a.png", 4, "no/such");
  refused(work, "geom.vdb -o a.tiles --slice z=3", 2, "--picture");
  refused(work, "geom.vdb --plan --picture a.png", 2, "--picture");
  refused(work, "geom.vdb --plan --report r.json", 2, "--report");
  for (const std::string slice : {"z", "w=1", "z=", "z=1.5", "3"})
    refused(work, "geom.vdb -o a.tiles --picture a.png --slice " + slice, 2, "z=12");
  for (const std::string slice : {"x=30", "y=26", "z=-1"})
    refused(work, "geom.vdb -o a.tiles --picture a.png --slice " + slice, 2, "");
  for (const std::string bandwidth : {"0", "'-1 GB/s'", "'3 mm'", "fast"})
    refused(work, "geom.vdb -o a.tiles --bandwidth=" + bandwidth, 2, "bandwidth");
  refused(work, "geom.vdb -o a.tiles --offsett auto", 2, "--offset");
  refused(work, "geom.vdb -o a.tiles --case none.toml", 3, "none.toml");

  putGeometry(work, plain::geometryOf(plain::fullLattice({9, 8, 1}), {false, false, true}, 2));
  refused(work, "geom.vdb -o a.tiles --placement rows", 2, "3D");

  LatticeGeometry solid = someGeometry();
  solid.fluid = BitLattice(solid.fluid.size);
  solid.boundary = {};
  putGeometry(work, solid);
  refused(work, "geom.vdb -o a.tiles", 3, "fluid");
}
