// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the console keep to the columns of a terminal.
#include <catch2/catch.hpp>
#include <sstream>

#include "pipelines/stage/text.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/write/console_table.hpp"
#include "postprocess/write/write.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess;
using namespace tessera::postprocess::write;
using namespace tessera::test;

namespace {

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) most = std::max(most, stage::widthOf(line));
  return most;
}

}  // namespace

TEST_CASE("Console table: columns are as wide as their contents, with units below the titles",
          "[unit]") {
  CHECK(consoleTable({{"name", "", true, {"a", "bcd"}}, {"flow", "ml/s", false, {"-12.5", "3"}}},
                     80) ==
        "name  flow\n"
        "      ml/s\n"
        "a    -12.5\n"
        "bcd      3\n");
  CHECK(consoleTable({{"x", "", false, {"1"}}}, 80) == "x\n1\n");
  CHECK(consoleTable({}, 80).empty());
}

TEST_CASE("Console table: a text is broken where the table is too wide, and nothing is lost",
          "[unit]") {
  CHECK(consoleTable({{"name", "", true, {"left anterior descending", "r\u00fcckw\u00e4rts-xy"}},
                      {"flow", "", false, {"1", "2"}}},
                     16) ==
        "name        flow\n"
        "left           1\n"
        "anterior\n"
        "descending\n"
        "r\u00fcckw\u00e4rts-     2\n"
        "xy\n");
  // Without a sign to break behind.
  CHECK(consoleTable({{"n", "", true, {"abcdefghijkl"}}, {"v", "", false, {"1"}}}, 10) ==
        "n        v\n"
        "abcdefgh 1\n"
        "ijkl\n");
}

TEST_CASE("Console table: openings and planes with long names, large numbers and mmHg fit",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  pipe.fields.caseText = "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"80 mmHg\"\n";
  results::Results results = quantity::computeResults(pipe.fields, pipe.geometry, {});
  REQUIRE(results.openings.size() == 2);
  for (results::OpeningSummary& opening : results.openings) {
    opening.name = "left anterior descending artery, distal end";
    opening.kind = "outflow-split";
    opening.flowRate = -123.4e-9;
    opening.reynolds = 12345.6;
  }
  results.planes.push_back({"the neck of the aneurysm at its narrowest",
                            {},
                            {0, 0, 1},
                            1.234567e-5,
                            -123.4e-9,
                            -0.1234,
                            -12345.6,
                            0.1234,
                            1.0});
  const std::string text = tableForPeople(results, "out");
  const std::string tables = text.substr(0, text.find("pressure drop"));
  INFO(tables);
  CHECK(widest(tables) <= stage::usualColumns);
  for (const char* part : {"anterior", "distal end", "aneurysm", "split", "mmHg"})
    CHECK(tables.find(part) != std::string::npos);
}
