// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines and exit codes.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <iostream>
#include <new>
#include <sstream>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "tests/fixtures/expect_error.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;

// Captures a stream during its lifetime.
class Captured {
 public:
  explicit Captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { stream_.rdbuf(before_); }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* before_;
};

struct Parsed {
  std::optional<CommonOptions> common;
  bool periodic = false;
  std::string unit;
  std::optional<std::string> name;
  std::optional<std::int64_t> longest;
  std::optional<double> scale;
  std::string out;
};

Parsed parse(std::vector<const char*> words, int maxInputs = 1) {
  Parsed parsed;
  CommandLine line("tessera-test", "Tries the command line.", 1, maxInputs, true);
  line.flag("--periodic", parsed.periodic, "periodic axes");
  line.choice("--unit", parsed.unit, {"mm", "cm"}, "unit of the mesh");
  line.option("--name", parsed.name, "a name");
  line.option("--longest,-l", parsed.longest, "nodes on the longest side");
  line.option("--scale", parsed.scale, "a factor");
  line.example("tessera-test a.stl -o geom.vdb");
  line.versionDetail([] { return std::string("one CPU"); });
  words.insert(words.begin(), "tessera-test");
  const Captured out(std::cout);
  parsed.common = line.parse(static_cast<int>(words.size()), words.data());
  parsed.out = out.text();
  return parsed;
}

std::string refusal(const std::vector<const char*>& words, int maxInputs = 1) {
  return sentenceOfError(ExitCode::Usage, [&] { parse(words, maxInputs); });
}

TEST_CASE("Command line: options come in any order", "[unit]") {
  const Parsed parsed = parse({"--threads", "3", "a.stl", "-o", "geom.vdb", "--periodic", "--unit",
                               "cm", "--name=x y", "-l", "160", "--scale", "-1.5e-3", "--case",
                               "c.toml", "--report", "r.json", "--verbose"});
  REQUIRE(parsed.common);
  CHECK(parsed.common->inputs == std::vector<std::filesystem::path>{"a.stl"});
  CHECK(parsed.common->output == "geom.vdb");
  CHECK(parsed.common->caseFile == "c.toml");
  CHECK(parsed.common->report == "r.json");
  CHECK(parsed.common->threads == 3);
  CHECK_FALSE(parsed.common->plan);
  CHECK(parsed.common->verbose);
  CHECK_FALSE(parsed.common->quiet);
  CHECK(parsed.periodic);
  CHECK(parsed.unit == "cm");
  CHECK(parsed.name == "x y");
  CHECK(parsed.longest == 160);
  CHECK(parsed.scale == -1.5e-3);
}

TEST_CASE("Command line: omitted options keep their default", "[unit]") {
  const Parsed parsed = parse({"a.stl", "--plan"});
  REQUIRE(parsed.common);
  CHECK(parsed.common->plan);
  CHECK(parsed.common->output.empty());
  CHECK(parsed.common->threads == 0);
  CHECK_FALSE(parsed.longest);
  CHECK_FALSE(parsed.name);
  CHECK(parsed.unit.empty());
}

TEST_CASE("Command line: help and version are printed on stdout", "[unit]") {
  const Parsed help = parse({"--help"});
  CHECK_FALSE(help.common);
  CHECK_THAT(help.out, Contains("--longest") && Contains("--case") && Contains("-o,--output") &&
                           Contains("tessera-test a.stl -o geom.vdb"));
  const Parsed version = parse({"--version"});
  CHECK_FALSE(version.common);
  CHECK_THAT(version.out, Contains(versionNumber()) && Contains(gitHash()) &&
                              Contains(buildDescription()) && Contains("devices: one CPU") &&
                              Contains("hardened: PIE, full RELRO, stack protector"));
}

TEST_CASE("Command line: an unknown option is refused with the nearest one", "[unit]") {
  CHECK(refusal({"a.stl", "-o", "x", "--longst", "3"}) ==
        "unknown option --longst, nearest is --longest; --help shows the options.");
  CHECK_THAT(refusal({"--treads=4", "a.stl"}), Contains("--threads"));
  CHECK(refusal({"a.stl", "-o", "x", "--zzzzzzzzz"}) ==
        "unknown option --zzzzzzzzz; --help shows the options.");
  CHECK_THAT(refusal({"a.stl", "-q", "-o", "x"}), Contains("-q"));
}

TEST_CASE("Command line: too few or too many arguments are refused", "[unit]") {
  CHECK_THAT(refusal({"-o", "x"}), Contains("input"));
  CHECK_THAT(refusal({"a", "b", "-o", "x"}), Contains("2") && Contains("1"));
  CHECK_THAT(refusal({"a", "b", "c", "-o", "x"}, 2), Contains("3") && Contains("1 to 2"));
  CHECK_THAT(refusal({"a"}), Contains("-o FILE"));
  CHECK_THAT(refusal({}), Contains("an input and -o FILE"));
  CHECK_THAT(refusal({"a", "-o"}), Contains("--output"));
  CHECK_THAT(refusal({"a", "-o", ""}), Contains("empty"));
  CHECK_THAT(refusal({"a", "-o", "x", "-o", "y"}), Contains("--output"));
  CHECK_THAT(refusal({"a", "-o", "x", "--quiet", "--verbose"}),
             Contains("--quiet") && Contains("--verbose"));
  CHECK(refusal({"a", "--plan", "--report", "r.json"}) ==
        "--report has no effect with --plan, which prints and writes nothing; --help shows the "
        "options.");
}

TEST_CASE("Command line: a bad value is refused with the requirement", "[unit]") {
  const std::string number = GENERATE("", "x", "1.5", "3x", "1e3", "99999999999999999999", "0x10");
  CHECK_THAT(refusal({"a", "-o", "x", "--longest", number.c_str()}),
             Contains("--longest") && Contains("\"" + number + "\""));
  const std::string factor = GENERATE("", "x", "nan", "inf", "1e999", "1,5");
  CHECK_THAT(refusal({"a", "-o", "x", "--scale", factor.c_str()}),
             Contains("--scale") && Contains("\"" + factor + "\""));
  const std::string threads = GENERATE("0", "-1", "4097", "two");
  CHECK_THAT(refusal({"a", "-o", "x", "--threads", threads.c_str()}), Contains("1 to 4096"));
  CHECK_THAT(refusal({"a", "-o", "x", "--unit", "inch"}),
             Contains("--unit") && Contains("\"inch\"") && Contains("mm and cm"));
}

TEST_CASE("Command line: a program may omit shared options", "[unit]") {
  CommandLine line("tessera-test", "", 0, 1, false);
  line.without({"--case", "-o"});
  const std::array<const char*, 3> words{"tessera-test", "--case", "x"};
  checkError(ExitCode::Usage, [&] { line.parse(3, words.data()); }, {"--case"});
}

TEST_CASE("Command line: runStage turns exceptions into a sentence and an exit code", "[unit]") {
  const Captured errors(std::cerr);
  const auto throwing = [](auto error) { return [error]() -> int { throw error; }; };
  CHECK(runStage("p", [] { return 75; }) == 75);
  CHECK(errors.text().empty());
  CHECK(runStage("p", throwing(StageError(ExitCode::BadInput, "No."))) == 3);
  CHECK(errors.text() == "p: No.\n");
  CHECK(runStage("p", throwing(std::bad_alloc())) == 5);
  CHECK_THAT(errors.text(), Contains("p: "));
  CHECK(runStage("p", throwing(std::runtime_error("oops"))) == 1);
  CHECK_THAT(errors.text(), Contains("oops"));
}

TEST_CASE("Command line: threads and verbosity are in force after the options were applied",
          "[unit]") {
  CommonOptions options;
  options.threads = 1;
  options.quiet = true;
  applyCommonOptions(options);
  using tbb::global_control;
  CHECK(global_control::active_value(global_control::max_allowed_parallelism) == 1);
  CHECK(verbosity() == Verbosity::Quiet);
  applyCommonOptions({});
  CHECK(verbosity() == Verbosity::Normal);
}

}  // namespace
}  // namespace tessera
