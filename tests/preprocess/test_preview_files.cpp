// SPDX-License-Identifier: GPL-3.0-or-later
// --picture, --page and the openings of --plan; the page is used in a browser where there is one.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/fixtures/chain.hpp"

using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::readWhole;
using tessera::chain::WorkFolder;

namespace {

constexpr const char* preprocess = "tessera-preprocess --quiet --unit mm --across 8 tube.stl ";

void makeTube(const WorkFolder& work) {
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '12 mm' --direction 1,2,3 -o "
      "tube.stl");
}

bool isPng(const std::string& bytes) {
  return bytes.starts_with("\x89PNG\r\n") && bytes.size() > 10000;
}

}  // namespace

TEST_CASE("Preview files: picture and page are the same on any number of threads", "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.mustRun(std::string(preprocess) + "-o a.vdb --picture a.png --page a.html --threads 1");
  work.mustRun(std::string(preprocess) + "-o b.vdb --picture b.png --page b.html --threads 2");
  CHECK(isPng(readWhole(work.path("a.png"))));
  CHECK((readWhole(work.path("a.png")) == readWhole(work.path("b.png"))));
  CHECK((readWhole(work.path("a.html")) == readWhole(work.path("b.html"))));
  CHECK((readWhole(work.path("a.vdb")) == readWhole(work.path("b.vdb"))));
  const std::string page = readWhole(work.path("a.html"));
  CHECK_THAT(page, Catch::Contains("opening1") && Catch::Contains("opening2") &&
                       !Catch::Contains("http://") && !Catch::Contains("https://"));
}

TEST_CASE("Preview files: --plan lists the openings and writes nothing", "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  const auto before = work.names();
  const Outcome outcome =
      work.mustRun(std::string(preprocess) + "-o a.vdb --picture a.png --page a.html --plan");
  CHECK_THAT(outcome.output, Catch::Contains("openings     2") && Catch::Contains("opening1") &&
                                 Catch::Contains("8.0 nodes across") &&
                                 Catch::Contains("a.png and a.html would be written"));
  CHECK(work.names() == before);
  work.write("image.pgm", "P2\n6 4\n1\n0 0 0 0 0 0\n1 1 1 1 1 1\n1 1 1 1 1 1\n0 0 0 0 0 0\n");
  const Outcome image = work.mustRun(
      "tessera-preprocess --quiet --voxel '1 mm' --pore 1 --faces x-,x+ image.pgm --plan -o i.vdb");
  CHECK_THAT(image.output,
             Catch::Contains("openings     2") && Catch::Contains("2.0 nodes across"));
}

TEST_CASE("Preview files: a case asks for them under the name of the output", "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.write("case.toml", "[preprocess]\nunit = \"mm\"\nacross = 8\npicture = true\npage = true\n");
  work.mustRun("tessera-preprocess --quiet --case case.toml tube.stl -o geom.vdb");
  CHECK(isPng(readWhole(work.path("geom.png"))));
  CHECK_THAT(readWhole(work.path("geom.html")), Catch::Contains("tube.stl"));
  work.write("names.toml", "[preprocess]\nunit = \"mm\"\nacross = 8\npicture = \"../x.png\"\n");
  checkRefused(work, "tessera-preprocess --case names.toml tube.stl -o other.vdb", 2,
               "names.toml:4");
}

TEST_CASE("Preview files: names that are no picture or page, or are taken, are refused",
          "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  const std::string command = std::string(preprocess) + "-o a.vdb ";
  checkRefused(work, command + "--picture a.jpg", 2, "--picture");
  checkRefused(work, command + "--page .html", 2, "--page");
  work.write("old.html", "mine");
  checkRefused(work, command + "--page old.html --report old.html", 2, "old.html");
  checkRefused(work, command + "--page nowhere/a.html", 4, "nowhere");
}

TEST_CASE("Preview files: an image and a picture in 2D have pages and pictures", "[pipeline]") {
  const WorkFolder work;
  work.write("image.pgm",
             "P2\n8 6\n2\n0 0 0 0 0 0 0 0\n1 1 1 1 1 1 1 1\n1 1 0 1 1 1 1 1\n1 1 1 1 1 1 1 1\n"
             "1 1 1 1 1 1 1 1\n0 0 0 0 0 0 0 0\n");
  work.mustRun(
      "tessera-preprocess --quiet --voxel '1 mm' --pore 1 --faces x-,x+ --wall y-=lid image.pgm "
      "-o i.vdb --picture i.png --page i.html");
  CHECK(isPng(readWhole(work.path("i.png"))));
  CHECK_THAT(readWhole(work.path("i.html")), Catch::Contains("\"flat\":true"));
  work.mustRun("head -c 1000 /dev/zero > rock.raw");
  work.mustRun(
      "tessera-preprocess --quiet --voxel '3 um' --dims 10,10,10 --type u8 --pore 0 --faces x-,x+ "
      "rock.raw -o r.vdb --picture r.png --page r.html");
  CHECK(isPng(readWhole(work.path("r.png"))));
  CHECK_THAT(readWhole(work.path("r.html")), Catch::Contains("porosity 1.000"));
}

TEST_CASE("Preview files: the case that a page writes in a browser is run", "[slow]") {
  const WorkFolder work;
  makeTube(work);
  work.mustRun(std::string(preprocess) +
               "-o a.vdb && tessera-tiler --quiet a.vdb -o a.tiles && "
               "tessera-info a.tiles --page a.html");
  const Outcome clicked =
      work.run("python3 '" TESSERA_SOURCE "/tests/preprocess/click_page.py' a.html case.toml");
  if (clicked.code == 77 || clicked.code == 127) {
    WARN("skipped: chromedriver is not installed");
    return;
  }
  INFO(clicked.errors);
  REQUIRE(clicked.code == 0);
  const std::string text = readWhole(work.path("case.toml"));
  INFO(text);
  CHECK_THAT(text, Catch::Contains("fluid = \"water\"") && Catch::Contains("value = \"2 ml/s\"") &&
                       Catch::Contains("value = \"1 Pa\""));
  CHECK_THAT(work.mustRun("tessera-solver --case case.toml --check").output,
             Catch::Contains("flow-rate, 2 ml/s into the fluid"));
  work.mustRun("tessera-solver a.tiles --case case.toml --check");
  work.mustRun(
      "tessera-solver a.tiles --quiet --backend cpu --case case.toml --steps 20 -o a.fields");
}
