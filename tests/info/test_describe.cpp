// SPDX-License-Identifier: GPL-3.0-or-later
// Description of a file, as text and as JSON.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "pipelines/info/describe.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/info/sample_files.hpp"

namespace tessera {

using namespace tessera::info;
using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;
using Json = nlohmann::json;

TEST_CASE("Description of a file: the text has kind, hash, provenance and content", "[unit]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  const Inspection file = inspectFile(folder / "geom.tiles", true);
  const std::string text = describeForPerson(file, false);
  CHECK_THAT(text, Contains("tiled geometry by tessera-tiler"));
  CHECK_THAT(text, Contains("format 1.0") && Contains(file.contentHash));
  CHECK_THAT(text, Contains("geom.vdb") && Contains("unit"));
  CHECK_THAT(text, Contains("vessel.stl") && Contains(hashBytes("stl", 3)));
  CHECK(text.find("tessera-tiler 0") < text.find("tessera-preprocess 0"));
  CHECK_THAT(text, Contains("[4, 5, 6]") && Contains("id 1  name inlet\n"));
  CHECK_THAT(text, !Contains("linkPatch"));
  CHECK_THAT(describeForPerson(file, true), Contains("linkPatch") && Contains("100 x 2 bytes"));
}

TEST_CASE("Description of a file: JSON has the same content", "[unit]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  writeSampleVdb(folder / "geom.vdb");
  const std::vector<Inspection> files{inspectFile(folder / "geom.tiles", false),
                                      inspectFile(folder / "geom.vdb", true)};
  const Json one = Json::parse(describeAsJson(std::span(files).first(1)));
  CHECK(one["kind"] == "tiles");
  CHECK(one["bytes"] == std::filesystem::file_size(folder / "geom.tiles"));
  CHECK(one["hash"] == files[0].contentHash);
  CHECK(one["meta"]["nodes"] == Json{4, 5, 6});
  CHECK(one["provenance"]["history"][0]["options"]["unit"] == "mm");
  CHECK(one["sections"][2]["name"] == "linkPatch");
  CHECK(one["sections"][2]["count"] == 100);
  const Json both = Json::parse(describeAsJson(files));
  REQUIRE(both.size() == 2);
  CHECK(both[0] == one);
  CHECK(both[1]["kind"] == "lattice");
  CHECK(both[1]["hash"].get<std::string>().size() == 32);
}

TEST_CASE("Description of a file: files without metadata or with damaged JSON are still described",
          "[unit]") {
  const TemporaryFolder folder;
  ContainerWriter writer("other", 1, 0);
  writer.addText("meta", "{not JSON");
  AtomicFile file(folder / "a");
  writer.write(file);
  file.commit();
  const std::vector<Inspection> files{inspectFile(folder / "a", true)};
  CHECK_THAT(describeForPerson(files[0], true), Contains("{not JSON") && Contains("other"));
  const Json json = Json::parse(describeAsJson(files));
  CHECK(json["meta"] == "{not JSON");
  CHECK(json["provenance"].is_null());
}

}  // namespace
}  // namespace tessera
