// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/printable_output.hpp"
#include "pipelines/stage/numbers_apart.hpp"
#include "pipelines/stage/text.hpp"

using namespace tessera::stage;
using Words = std::vector<std::string>;

TEST_CASE("Text: numbers and shares have significant digits without trailing zeros", "[unit]") {
  CHECK(number(0.0125) == "0.0125");
  CHECK(number(1234567.0) == "1.23457e+06");
  CHECK(number(1234567.0, 8) == "1234567");
  CHECK(number(-0.1, 1) == "-0.1");
  CHECK(number(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(percent(0.125) == "12.5 %");
  CHECK(percent(1.0) == "100 %");
  CHECK(percent(1.234, 2) == "120 %");
  CHECK(percent(0.996, 2) == "100 %");
  CHECK(percent(-12.0, 2) == "-1200 %");
  CHECK(percent(0.0, 2) == "0 %");
  CHECK(percent(0.00012345) == "0.0123 %");
}

TEST_CASE("Text: a value is told from the limit that it exceeds", "[unit]") {
  using Pair = std::pair<std::string, std::string>;
  CHECK(numbersApart(14.46, 2.0) == Pair{"14.5", "2"});
  CHECK(numbersApart(2.0004, 2.0) == Pair{"2.0004", "2"});
  CHECK(numbersApart(2.34567, 2.34512) == Pair{"2.346", "2.345"});
  CHECK(numbersApart(1.0 + 1e-12, 1.0).first == "1.000000000001");
  CHECK(numbersApart(1.0, 1.0) == Pair{"1", "1"});
}

TEST_CASE("Text: words are joined, enumerated and cut short", "[unit]") {
  CHECK(joined(Words{"a", "b", "c"}, "; ") == "a; b; c");
  CHECK(joined(Words{}).empty());
  CHECK(enumeration(Words{}) == "none");
  CHECK(enumeration(Words{"a"}) == "a");
  CHECK(enumeration(Words{"a", "b"}) == "a and b");
  CHECK(enumeration(Words{"a", "b", "c"}, " or ") == "a, b or c");
  CHECK(firstOf(Words{"a", "b", "c"}, 3) == "a, b, c");
  CHECK(firstOf(Words{"a", "b", "c"}, 2) == "a, b and 1 more");
}

TEST_CASE("Text: nothing that a terminal would obey is printed", "[unit]") {
  CHECK(printable("plain \t text\n") == "plain \t text\n");
  CHECK(printable("a\x1b[31mb\x07\x7f") == "a?[31mb??");
  CHECK(printable("M\u00fcller, \u65e5\u672c, \U0001f600, \u00b5m") ==
        "M\u00fcller, \u65e5\u672c, \U0001f600, \u00b5m");
  CHECK(printable("\u009b31m") == "?31m");  // CSI as one character
  CHECK(printable("\x9b"
                  "31m") == "?31m");                 // and as one byte
  CHECK(printable("a\u202egnp\u2069") == "a?gnp?");  // right to left
  CHECK(printable("caf\xe9") == "caf\xe9");
  CHECK(printable("\r") == "?");
}

TEST_CASE("Text: counts carry their noun and bytes their unit", "[unit]") {
  CHECK(plural(0, "node") == "0 nodes");
  CHECK(plural(1, "node") == "1 node");
  CHECK(plural(2, "vertex", "vertices") == "2 vertices");
  CHECK(bytesText(1) == "1 byte");
  CHECK(bytesText(99'999) == "99999 bytes");
  CHECK(bytesText(1'500'000) == "1.50 MB");
  CHECK(bytesText(2'250'000'000) == "2.25 GB");
}

TEST_CASE("Text: a beginning has whole characters", "[unit]") {
  const std::string text = "a\u00b5\u65e5z";  // of 1, 2, 3 and 1 bytes
  CHECK(widthOf(text) == 4);
  const std::vector<std::size_t> ends{0, 1, 3, 6, 7, 7};
  for (std::size_t k = 0; k < ends.size(); ++k) CHECK(beginningOf(text, k).size() == ends[k]);
  const std::vector<std::size_t> ofBytes{0, 1, 1, 3, 3, 3, 6, 7, 7};
  for (std::size_t k = 0; k < ofBytes.size(); ++k)
    CHECK(beginningInBytes(text, k).size() == ofBytes[k]);
  CHECK(beginningInBytes("\x80\x80", 1).empty());  // no beginning of a character
}
