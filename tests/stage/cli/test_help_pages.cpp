// SPDX-License-Identifier: GPL-3.0-or-later
// Man pages and completion of one program's options, as text.
#include <catch2/catch.hpp>

#include "pipelines/stage/cli/help_pages.hpp"

using namespace tessera;
using namespace tessera::stage;
using Catch::Matchers::Contains;

namespace {

ProgramHelp sampleHelp(const std::string& program) {
  return {program,
          "1.2",
          "Does things. And more:\n.dot\n  a\\b",
          true,
          {{{"-o", "--output"}, "FILE", {}, "what to write"},
           {{"--colour-map"}, "WORD", {"red", "dark-blue"}, "'quoted' first"},
           {{"--quiet"}, "", {}, "say less"}},
          {program + " x -o y"}};
}

}  // namespace

TEST_CASE("Help pages: a man page has every option, with roff's own characters escaped", "[unit]") {
  const std::string page = manPage(sampleHelp("tessera-try"));
  CHECK_THAT(page, Contains(".TH TESSERA-TRY 1") && Contains("Tessera 1.2"));
  CHECK_THAT(page, Contains("tessera\\-try \\- Does things\n"));
  CHECK_THAT(page, Contains("\n\\&.dot\n") && Contains("a\\eb"));
  CHECK_THAT(page,
             Contains(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nwhat to write\n"));
  CHECK_THAT(page, Contains("\n\\&'quoted' first\n"));
  CHECK_THAT(page, Contains("\\fB\\-\\-quiet\\fR\nsay less"));
  CHECK_THAT(page, Contains(".SH EXAMPLES") && Contains("tessera\\-try x \\-o y"));
}

TEST_CASE("Help pages: completion has every option and the words of choices", "[unit]") {
  const std::string text = bashCompletion(sampleHelp("tessera-try"));
  CHECK_THAT(text, Contains("_tessera_try() {") && Contains("-F _tessera_try tessera-try\n"));
  CHECK_THAT(text, Contains("-o --output --colour-map --quiet"));
  CHECK_THAT(text, Contains("--colour-map) COMPREPLY=($(compgen -W 'red dark-blue'"));
  CHECK_THAT(text, Contains("-o|--output) COMPREPLY=($(compgen -f"));
  const std::string kind = bashCompletion(sampleHelp("tessera-try bent-tube"));
  CHECK_THAT(kind, Contains("_tessera_try_bent_tube() {") && !Contains("complete "));
}
