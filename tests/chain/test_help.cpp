// SPDX-License-Identifier: GPL-3.0-or-later
// Help, man pages and completion of the real programs, as the build makes them.
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> programs{"tessera-sample", "tessera-preprocess",  "tessera-tiler",
                                        "tessera-solver", "tessera-postprocess", "tessera-compare",
                                        "tessera-info"};

// Long options at the beginnings of the lines of a --help.
std::set<std::string> optionsOf(const std::string& help) {
  std::set<std::string> found;
  std::istringstream lines(help);
  const std::regex option("^  (-[a-zA-Z],)?(--[a-z][a-z0-9-]*)");
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, match, option)) found.insert(match[2]);
  return found;
}

std::string escaped(const std::string& option) {
  return std::regex_replace(option, std::regex("-"), "\\-");
}

void makePages(const WorkFolder& work) {
  std::string all;
  for (const std::string& program : programs) all += " " + program;
  work.mustRun("sh " TESSERA_SOURCE "/pipelines/help_pages.sh " TESSERA_BIN " pages" + all);
}

// Completions that bash offers for the last word.
std::set<std::string> offered(const WorkFolder& work, const std::string& program,
                              const std::string& words) {
  const std::string function = std::regex_replace(program, std::regex("-"), "_");
  const Outcome outcome =
      work.mustRun("bash -c 'source pages/bash/" + program + "; COMP_WORDS=(" + program + " " +
                   words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _" + function +
                   "; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
  std::set<std::string> found;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) found.insert(line);
  return found;
}

}  // namespace

TEST_CASE("Help pages: every option of every program is in its man page and its completion",
          "[pipeline]") {
  const WorkFolder work;
  makePages(work);
  std::vector<std::string> calls = programs;
  for (const char* kind : {"aneurysm", "bent-tube", "spheres", "network2d"})
    calls.push_back(std::string("tessera-sample ") + kind);
  for (const std::string& call : calls) {
    const std::string program = call.substr(0, call.find(' '));
    const auto options = optionsOf(work.mustRun(call + " --help").output);
    CHECK(options.size() > 6);
    const std::string page =
        readWhole(work.path("pages/man1/" + std::regex_replace(call, std::regex(" "), "-") + ".1"));
    const std::string kind = call == program ? "" : call.substr(program.size() + 1) + " ";
    const auto completed = offered(work, program, kind + "--");
    for (const std::string& option : options) {
      INFO(call << " " << option);
      CHECK_THAT(page, Contains("\\fB" + escaped(option) + "\\fR"));
      CHECK(completed.count(option) == 1);
    }
  }
}

TEST_CASE("Help: every line fits 80 columns, or those of the terminal", "[pipeline]") {
  const WorkFolder work;
  std::vector<std::string> calls = programs;
  calls.push_back("tessera-sample aorta");
  for (const std::string& call : calls)
    for (const std::size_t columns : {80u, 60u}) {
      INFO(call);
      const Outcome said =
          work.mustRun((columns == 60 ? "COLUMNS=60 " : "unset COLUMNS; ") + call + " --help");
      std::istringstream lines(said.output);
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        // The table of kinds is not wrapped.
        CHECK((line.size() <= columns || (columns == 60 && line.find("  .") != std::string::npos)));
        // Values have the name of their kind, files that of their ending.
        CHECK_THAT(line, !Catch::Contains(" TEXT"));
      }
      CHECK_THAT(said.output, Contains("Usage: ") && Contains("Common options:"));
    }
}

TEST_CASE("Help pages: completion offers words, kinds and files by their ending", "[pipeline]") {
  const WorkFolder work;
  makePages(work);
  work.mustRun("touch vessel.tiles vessel.toml 'ves sel.tiles' vessel.json; mkdir vessels");
  using Words = std::set<std::string>;
  CHECK(offered(work, "tessera-solver", "--backend c") == Words{"cpu", "cuda"});
  CHECK(offered(work, "tessera-solver", "ves") ==
        Words{"vessel.tiles", "ves sel.tiles", "vessels"});
  CHECK(offered(work, "tessera-solver", "--case ves") == Words{"vessel.toml", "vessels"});
  CHECK(offered(work, "tessera-postprocess", "--centreline vessel.") ==
        Words{"vessel.tiles", "vessel.toml", "vessel.json"});  // no CSV: any file
  CHECK(offered(work, "tessera-solver", "--steps \"\"").empty());
  CHECK(offered(work, "tessera-preprocess", "--unit c") == Words{"cm"});
  CHECK(offered(work, "tessera-tiler", "--offset a") == Words{"auto"});
  CHECK(offered(work, "tessera-sample", "be") == Words{"bent-tube"});
  CHECK(offered(work, "tessera-sample", "lattice --lattice f") == Words{"fcc"});
}

TEST_CASE("Help pages: fish offers the same words, kinds and files", "[pipeline]") {
  const WorkFolder work;
  if (work.run("command -v fish").code != 0) {
    WARN("fish is not installed");
    return;
  }
  makePages(work);
  work.mustRun("touch vessel.tiles vessel.toml");
  const auto complete = [&](const std::string& program, const std::string& line) {
    return work
        .mustRun("HOME=$PWD fish -c 'source pages/fish/" + program + ".fish; complete -C \"" +
                 line + "\"'")
        .output;
  };
  CHECK_THAT(complete("tessera-solver", "tessera-solver --backend c"),
             Contains("cpu\t") && Contains("cuda\t") && !Contains("auto\t"));
  CHECK_THAT(complete("tessera-solver", "tessera-solver --cas"), Contains("--case"));
  CHECK_THAT(complete("tessera-solver", "tessera-solver --case ves"), Contains("vessel.toml"));
  CHECK_THAT(complete("tessera-sample", "tessera-sample be"), Contains("bent-tube"));
  CHECK_THAT(complete("tessera-sample", "tessera-sample lattice --lattice f"), Contains("fcc"));
}

TEST_CASE("Help pages: zsh accepts the completion and calls _arguments with every option",
          "[pipeline]") {
  const WorkFolder work;
  if (work.run("command -v zsh").code != 0) {
    WARN("zsh is not installed");
    return;
  }
  makePages(work);
  work.mustRun("for file in pages/zsh/_*; do zsh -n $file; done");
  // In place of zsh's own function: one specification a line.
  const auto specified = [&](const std::string& program, const std::string& words) {
    return work
        .mustRun("zsh -f -c '_arguments() { print -rl -- \"$@\" }; words=(" + program + " " +
                 words + "); CURRENT=${#words}; source pages/zsh/_" + program + "'")
        .output;
  };
  CHECK_THAT(specified("tessera-solver", "--b"),
             Contains("--backend[") && Contains(":(auto cpu cuda)") &&
                 Contains("*:INPUT:_files -g \"*.(tiles)(-.)\"") && Contains("--resume["));
  CHECK_THAT(specified("tessera-sample", "lattice --l"),
             Contains("--lattice[") && Contains("fcc") && !Contains("KIND"));
  CHECK_THAT(specified("tessera-sample", "be"), Contains("1:KIND:{compadd -- ${kinds//_/-}}"));
}

TEST_CASE("Help pages: man pages have their sections and refer to each other", "[pipeline]") {
  const WorkFolder work;
  makePages(work);
  const std::string solver = readWhole(work.path("pages/man1/tessera-solver.1"));
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "FILES",
                              "ENVIRONMENT", "EXIT STATUS", "SEE ALSO"})
    CHECK_THAT(solver, Contains(std::string(".SH ") + section + "\n"));
  CHECK_THAT(solver, Contains("tessera\\-postprocess (1)") && Contains("tessera\\-case (5)"));
  for (const char* program : {"preprocess", "tiler", "postprocess", "compare"})
    CHECK_THAT(readWhole(work.path(std::string("pages/man1/tessera-") + program + ".1")),
               Contains("TESSERA_FONTS"));
  const std::string cases = readWhole(work.path("pages/man5/tessera-case.5"));
  for (const char* key :
       {"viscosity", "compliance", "cycle_converged", "multireflection", "yield", "station"})
    CHECK_THAT(cases, Contains(key));
  const std::string formats = readWhole(work.path("pages/man5/tessera-formats.5"));
  for (const char* ending : {".vdb", ".tiles", ".fields", ".ckpt"})
    CHECK_THAT(formats, Contains(ending));
}

TEST_CASE("Help pages: groff accepts the man pages without a warning", "[pipeline]") {
  const WorkFolder work;
  if (work.run("command -v groff").code != 0) {
    WARN("groff is not installed");
    return;
  }
  makePages(work);
  const Outcome outcome = work.mustRun(
      "for page in pages/man1/*.1 pages/man5/*.5; do groff -man -t -Tutf8 -ww -z $page; done");
  CHECK(outcome.errors.empty());
  CHECK_THAT(work.mustRun("groff -man -Tutf8 -P-c -P-b -P-u pages/man1/tessera-solver.1").output,
             Contains("SYNOPSIS") && Contains("--backend"));
}
