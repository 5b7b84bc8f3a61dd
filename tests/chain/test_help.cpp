// SPDX-License-Identifier: GPL-3.0-or-later
// Man pages and bash completion of the real programs, as the build makes them.
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
  const std::regex option("^ +(-[a-zA-Z],)?(--[a-z][a-z0-9-]*)");
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
      work.mustRun("bash -c 'source pages/completions/" + program + "; COMP_WORDS=(" + program +
                   " " + words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _" + function +
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

TEST_CASE("Help pages: completion offers words, kinds and files", "[pipeline]") {
  const WorkFolder work;
  makePages(work);
  work.write("vessel.tiles", "");
  CHECK(offered(work, "tessera-solver", "--backend c") == std::set<std::string>{"cpu", "cuda"});
  CHECK(offered(work, "tessera-solver", "ves") == std::set<std::string>{"vessel.tiles"});
  CHECK(offered(work, "tessera-solver", "--case ves") == std::set<std::string>{"vessel.tiles"});
  CHECK(offered(work, "tessera-solver", "--steps \"\"").empty());
  CHECK(offered(work, "tessera-sample", "be") == std::set<std::string>{"bent-tube"});
  CHECK(offered(work, "tessera-sample", "lattice --lattice f") == std::set<std::string>{"fcc"});
}

TEST_CASE("Help pages: groff accepts the man pages without a warning", "[pipeline]") {
  const WorkFolder work;
  if (work.run("command -v groff").code != 0) {
    WARN("groff is not installed");
    return;
  }
  makePages(work);
  const Outcome outcome =
      work.mustRun("for page in pages/man1/*.1; do groff -man -Tascii -ww -z $page; done");
  CHECK(outcome.errors.empty());
  CHECK_THAT(work.mustRun("groff -man -Tascii -P-c -P-b -P-u pages/man1/tessera-solver.1").output,
             Contains("SYNOPSIS") && Contains("--backend"));
}
