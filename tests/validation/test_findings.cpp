// SPDX-License-Identifier: GPL-3.0-or-later
// Tolerances of entries, and the tables.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/validation/report.hpp"

using namespace tessera;
using namespace tessera::validation;

TEST_CASE("Findings: an entry passes within its tolerance and at its ends, and never as NaN",
          "[unit]") {
  Findings findings;
  findings.within("inside", 1.5, 1.0, 0.5, "a book");
  findings.relative("inside", -99.0, -100.0, 0.01, "a book");
  findings.between("inside", 2.0, 1.9, 2.1, "a book");
  findings.atMost("inside", 1e-12, 1e-10, "a book");
  findings.atLeast("inside", 1.8, 1.8, "a book");
  CHECK(findings.failed() == 0);
  CHECK(findings.entries[0].used() == Approx(1.0));
  CHECK(findings.entries[2].used() == Approx(0.0).margin(1e-12));
  findings.within("outside", 1.51, 1.0, 0.5, "a book");
  findings.relative("outside", -98.9, -100.0, 0.01, "a book");
  findings.atMost("outside", 1e-9, 1e-10, "a book");
  findings.atLeast("outside", 1.79, 1.8, "a book");
  findings.atMost("outside", std::nan(""), 1.0, "a book");
  findings.relative("outside", std::nan(""), 1.0, 0.5, "a book");
  CHECK(findings.failed() == 6);
}

TEST_CASE("Findings: orders are slopes of errors over nodes", "[unit]") {
  CHECK(orderOf(4e-3, 1e-3) == Approx(2.0));
  CHECK(fittedOrder({10, 20, 40}, {3e-1, 1.5e-1, 0.75e-1}) == Approx(1.0));
}

TEST_CASE("Findings: the tables mark failures and quote commas", "[unit]") {
  const Case one{"box", "A <box>", "claim", nullptr};
  CaseResult result{&one, {}};
  result.findings.atMost("drag, and \"lift\"", 2.0, 1.0, "x < y");
  CHECK_THAT(entryTable({result}), Catch::Contains("OUTSIDE"));
  CHECK_THAT(summaryTable({result}), Catch::Contains("1 OUTSIDE"));
  CHECK_THAT(csvTable({result}),
             Catch::Contains("box,\"drag, and \"\"lift\"\"\",0,-inf,1,\"at most 1\",2,false"));
  const std::string page = reportHtml({result}, "about");
  CHECK_THAT(page, Catch::Contains("1 of 1 entries lie outside"));
  CHECK_THAT(page, Catch::Contains("A &lt;box&gt;") && Catch::Contains("x &lt; y"));
  CHECK(page.find("http") == std::string::npos);
}
