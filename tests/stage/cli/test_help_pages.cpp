// SPDX-License-Identifier: GPL-3.0-or-later
// Help, man pages, pages of the manual and completion of one program's options, as text.
#include <catch2/catch.hpp>
#include <sstream>

#include "pipelines/stage/cli/help_pages.hpp"

using namespace tessera;
using namespace tessera::stage;
using Catch::Matchers::Contains;

namespace {

ProgramHelp sampleHelp(const std::string& program) {
  return {
      .program = program,
      .version = "1.2",
      .description = "Does things. And more:\n.dot\n  a\\b",
      .inputs = "IN.vdb",
      .endings = {"vdb", "nii.gz"},
      .output = "FILE.tiles",
      .options =
          {{{"-o", "--output"}, "FILE.tiles", {}, "what to write", "Files", false},
           {{"--colour-map"}, "WORD", {"red", "dark-blue"}, "'quoted' [first]: a", "Looks", false},
           {{"--cut"}, "X,Y;Z", {}, "where | it ends", "Looks", true},
           {{"--quiet"}, "", {}, "say less; nothing else", "Others", false}},
      .examples = {program + " x -o y"},
      .files = {{"run.log", "what was said"}},
      .environment = {{"NO_COLOR", "no colour"}}};
}

std::size_t longest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

}  // namespace

TEST_CASE("Help pages: help is wrapped to the columns and arranged in groups", "[unit]") {
  ProgramHelp help = sampleHelp("tessera-try");
  for (int k = 0; k < 30; ++k) help.options[1].help += " some more";
  const std::size_t columns = GENERATE(40u, 80u, 160u);
  const std::string text = helpText(help, columns);
  CHECK(longest(text) <= columns);
  CHECK(longest(text) > columns - 12);
  CHECK_THAT(text, Contains("Usage: tessera-try [OPTIONS] IN.vdb -o"));
  CHECK_THAT(text, Contains("\n  a\\b\n"));
  CHECK(text.find("\nFiles:\n") < text.find("\nLooks:\n"));
  CHECK(text.find("\nLooks:\n") < text.find("\nOthers:\n"));
  CHECK_THAT(text, Contains("  -o,--output FILE.tiles") && Contains("  --cut X,Y;Z") &&
                       Contains("repeatable"));
}

TEST_CASE("Help pages: examples are not broken in quoted text or after an option", "[unit]") {
  ProgramHelp help = sampleHelp("tessera-try");
  help.examples = {"tessera-try in.vdb --cut \"neck=1 mm,2 mm,0;0,0,1\" --colour-map red -o out",
                   "tessera-try in.vdb --quiet --cut \"" + std::string(60, 'x') + "\" -o out"};
  CHECK_THAT(helpText(help, 50),
             Contains("\n  tessera-try in.vdb \\\n      --cut \"neck=1 mm,2 mm,0;0,0,1\" \\\n"
                      "      --colour-map red -o out\n"));
  CHECK_THAT(helpText(help, 40), Contains(" \\\n      \"" + std::string(60, 'x') + "\" \\\n"));
}

TEST_CASE("Help pages: a man page has every option, with roff's own characters escaped", "[unit]") {
  const std::string page = manPage(sampleHelp("tessera-try"));
  CHECK_THAT(page, Contains(".TH TESSERA-TRY 1") && Contains("Tessera 1.2"));
  CHECK_THAT(page, Contains("tessera\\-try \\- Does things\n"));
  CHECK_THAT(page, Contains("\n\\&.dot\n") && Contains("a\\eb"));
  CHECK_THAT(page, Contains(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE.tiles\\fR\n"
                            "what to write\n"));
  CHECK_THAT(page, Contains("\n\\&'quoted' [first]: a\n"));
  CHECK_THAT(page, Contains("\\fB\\-\\-quiet\\fR\nsay less"));
  CHECK_THAT(page, Contains(".SH EXAMPLES") && Contains("tessera\\-try x \\-o y"));
  CHECK_THAT(page, Contains(".SH FILES\n.TP\n\\fIrun.log\\fR\n") &&
                       Contains(".SH ENVIRONMENT\n.TP\n\\fINO_COLOR\\fR\n") &&
                       Contains(".SH EXIT STATUS\n.TP\n\\fI0\\fR\ndone\n"));
}

TEST_CASE("Help pages: a page of the manual has a table of each group", "[unit]") {
  const std::string page = markdownPage(sampleHelp("tessera-try"));
  CHECK_THAT(page, Contains("# tessera-try\n") &&
                       Contains("**Looks**\n\n| option | value | |\n|---|---|---|\n"));
  CHECK_THAT(page, Contains("| `--cut` | X,Y;Z | where \\| it ends; repeatable |\n"));
  CHECK_THAT(page, Contains("| `-o`, `--output` | FILE.tiles | what to write |\n"));
  CHECK_THAT(markdownPage(sampleHelp("tessera-try kind")), Contains("## tessera-try kind\n"));
}

TEST_CASE("Help pages: completion has every option, the words of choices and the endings of files",
          "[unit]") {
  const std::string text = bashCompletion(sampleHelp("tessera-try"));
  CHECK_THAT(text, Contains("_tessera_try() {") && Contains("-F _tessera_try tessera-try\n"));
  CHECK_THAT(text, Contains("'-o --output --colour-map --cut --quiet'"));
  CHECK_THAT(text, Contains("--colour-map) _tessera_words 'red dark-blue'; return"));
  CHECK_THAT(text, Contains("-o|--output) _tessera_files tiles; return"));
  CHECK_THAT(text, Contains("*) _tessera_files vdb nii.gz ;;"));
  const std::string kind = bashCompletion(sampleHelp("tessera-try bent-tube"));
  CHECK_THAT(kind, Contains("_tessera_try_bent_tube() {") && !Contains("complete "));

  const std::string zsh = zshCompletion(sampleHelp("tessera-try"));
  CHECK_THAT(zsh, Contains("#compdef tessera-try\n_tessera_try() {"));
  CHECK_THAT(zsh,
             Contains("--colour-map['\\''quoted'\\'' \\[first\\]\\: a]:WORD:(red dark-blue)'"));
  CHECK_THAT(zsh, Contains("'(-o --output)-o[what to write]:FILE.tiles:_files -g") &&
                      Contains("'*--cut[where | it ends]:X,Y;Z:'"));

  const std::string fish = fishCompletion(sampleHelp("tessera-try"));
  CHECK_THAT(fish, Contains("complete -c tessera-try -l colour-map -r -f -a 'red dark-blue' -d "
                            "'\\'quoted\\' [first]: a'\n"));
  CHECK_THAT(fish, Contains(" -s o -l output -r -f -k -a '(__fish_complete_suffix .tiles)'"));
  CHECK_THAT(
      fishCompletion(sampleHelp("tessera-try ball")),
      Contains("-n __fish_use_subcommand -a ball") &&
          Contains("complete -c tessera-try -n '__fish_seen_subcommand_from ball' -l quiet"));
}
