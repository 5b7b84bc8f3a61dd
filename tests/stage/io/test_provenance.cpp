// SPDX-License-Identifier: GPL-3.0-or-later
// Provenance and hashes.
#include <catch2/catch.hpp>
#include <string>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/io/hash.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;

TEST_CASE("Provenance: it survives its JSON, with the history before it", "[unit]") {
  Provenance first = newProvenance("tessera-preprocess");
  first.options = {{"unit", "mm"}, {"across", "40"}};
  first.inputs = {{"vessel.stl", hashBytes("abc", 3)}};
  first.warnings = {"too coarse"};
  Provenance second = newProvenance("tessera-tiler");
  second.inputs = {{"geom.vdb", hashBytes("", 0)}};
  second.history = first.steps();
  const Provenance read = Provenance::fromJson(second.toJson());
  CHECK(read.program == "tessera-tiler");
  CHECK(read.version == versionNumber());
  CHECK(read.gitHash == gitHash());
  CHECK(read.build == buildDescription());
  CHECK(read.inputs.at(0).hash == second.inputs.at(0).hash);
  REQUIRE(read.history.size() == 1);
  const Provenance& before = read.history[0];
  CHECK(before.options == first.options);
  CHECK(before.inputs.at(0).name == "vessel.stl");
  CHECK(before.history.empty());
  CHECK(before.warnings == first.warnings);
  // Files of earlier versions have none.
  CHECK(second.toJson().find("warnings") == second.toJson().rfind("warnings"));
  CHECK(read.toJson() == second.toJson());
}

TEST_CASE("Provenance: the nesting of version 0.1 is read as a list", "[unit]") {
  const auto step = [](const std::string& program, const std::string& history) {
    return R"({"program": ")" + program + R"(", "version": "0.1.0", "git": "g", "build": "b",
      "options": {}, "inputs": [])" +
           (history.empty() ? "" : ", \"history\": " + history) + "}";
  };
  const Provenance read =
      Provenance::fromJson(step("solver", step("tiler", step("preprocess", ""))));
  REQUIRE(read.history.size() == 2);
  CHECK(read.history[0].program == "tiler");
  CHECK(read.history[1].program == "preprocess");
  CHECK(read.history[0].history.empty());
  CHECK(Provenance::fromJson(read.toJson()).toJson() == read.toJson());
  // Levels and bytes are bounded.
  std::string deep = step("preprocess", "");
  for (int k = 0; k < 70; ++k) deep = step("tiler", deep);
  checkError(ExitCode::BadInput, [&] { Provenance::fromJson(deep); }, {"64 steps"});
  for (int k = 0; k < 300; ++k) deep = step("tiler", deep);
  checkError(ExitCode::BadInput, [&] { Provenance::fromJson(deep); }, {"too deeply"});
  checkError(ExitCode::BadInput,
             [&] { Provenance::fromJson(step(std::string(2'000'000, 'a'), "")); }, {"1.05 MB"});
}

TEST_CASE("Provenance: kept warnings name no folder, and are few and short", "[unit]") {
  const TemporaryFolder folder;
  const std::string series = (folder.path() / "series").string();
  std::filesystem::create_directory(series);
  const auto kept = warningsToKeep(
      {series + "/a.dcm and " + series + "/sub/b.dcm (" + series + "/c.dcm), 3 scans/h and 2 mm",
       "scan/s.stl is too coarse, subscan/s.stl is not"},
      {series, series + "/sub/b.dcm", "scan/s.stl", "s.stl"});
  CHECK(kept == std::vector<std::string>{"a.dcm and b.dcm (c.dcm), 3 scans/h and 2 mm",
                                         "s.stl is too coarse, subscan/s.stl is not"});
  const auto many = warningsToKeep(std::vector<std::string>(90, std::string(5000, 'x')), {});
  REQUIRE(many.size() == 31);
  CHECK(many.back() == "and 60 more");
  CHECK(many.front().size() < 2100);
  // A cut leaves whole characters of three bytes.
  std::string three;
  for (int k = 0; k < 1000; ++k) three += "\u30c6";
  CHECK((warningsToKeep({three}, {}).front().size() - std::string(" ...").size()) % 3 == 0);
}

TEST_CASE("Provenance: a name that is not UTF-8 does not stop a run", "[unit]") {
  Provenance provenance = newProvenance("tessera-tiler");
  provenance.inputs = {{"caf\xe9.vdb", ""}};
  CHECK(Provenance::fromJson(provenance.toJson()).inputs.size() == 1);
}

TEST_CASE("Provenance: damaged provenance is exit code 3", "[unit]") {
  const std::string text = GENERATE("", "{", "[]", "{}", R"({"program": 3})");
  checkError(ExitCode::BadInput, [&] { Provenance::fromJson(text); }, {"provenance"});
}

// Values of xxh128sum.
TEST_CASE("Provenance: hashes are those of the reference program", "[unit]") {
  CHECK(hashBytes("", 0) == "99aa06d3014798d86001c324468d497f");
  CHECK(hashBytes("abc", 3) == "06b05ab6733a618578af5f94892f3950");
}

TEST_CASE("Provenance: a file's hash is that of its bytes, however it is read", "[unit]") {
  const TemporaryFolder folder;
  const std::string content(3'000'001, 'x');
  writeWhole(folder / "a", content);
  CHECK(hashFile(folder / "a") == hashBytes(content.data(), content.size()));
  CHECK(toHex(hashFileRange(folder / "a", 1, 4)) == hashBytes("xxx", 3));
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(content)).first(17));
  hasher.update(std::as_bytes(std::span(content)).subspan(17));
  CHECK(toHex(hasher.digest()) == hashFile(folder / "a"));
  checkError(ExitCode::BadInput, [&] { hashFile(folder / "b"); }, {folder.path().string()});
  checkError(ExitCode::BadInput, [&] { hashFileRange(folder / "a", 0, 9'000'000); }, {"9000000"});
}

TEST_CASE("Provenance: version, commit and build are those of this build", "[unit]") {
  CHECK_THAT(versionNumber(), Catch::Matchers::Matches("[0-9]+\\.[0-9]+\\.[0-9]+"));
  CHECK_THAT(gitHash(), Catch::Matchers::Matches("unknown|[0-9a-f]{12,}(-dirty)?"));
#if defined(__aarch64__)
  const std::string isa = "armv8";
#else
  const std::string isa = "x86-64";
#endif
  CHECK_THAT(buildDescription(), Contains(isa) && (Contains("CUDA") || Contains("HIP")));
}

}  // namespace
}  // namespace tessera
