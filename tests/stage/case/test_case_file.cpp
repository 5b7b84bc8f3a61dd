// SPDX-License-Identifier: GPL-3.0-or-later
// The case file: values with units, and every mistake answered with file, line and expectation.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/error.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

constexpr const char* example = R"([preprocess]
unit = "mm"
across = 40
[fluid]
density = "1060 kg/m3"
viscosity = 3.5e-3
[solver]
body_force = [0, 0, "2 Pa/m"]
[[opening]]
id = 1
[[opening]]
id = 2
kind = "pressure"
[stop]
require_convergence = false
)";

template <class Action>
std::string usage(Action action) {
  return sentenceOfError(ExitCode::Usage, action);
}
std::string refusalOf(const std::string& text) {
  return usage([&] { CaseFile::parse(text, "case.toml"); });
}

TEST_CASE("Case file: each stage reads its table", "[unit]") {
  const CaseFile file = CaseFile::parse(example, "case.toml");
  CHECK(file.content() == example);
  CHECK(file.name() == "case.toml");
  CaseTable preprocess = file.table("preprocess");
  CHECK(preprocess.present());
  CHECK(preprocess.word("unit", {"mm", "cm"}) == "mm");
  CHECK(preprocess.integer("across", 1, 1000) == 40);
  preprocess.rejectUnknown();
  CaseTable fluid = file.table("fluid");
  CHECK(fluid.quantity("density", Dimension::Density) == 1060.0);
  CHECK(fluid.quantity("viscosity", Dimension::DynamicViscosity) == 3.5e-3);
  const auto force = file.table("solver").vector("body_force", Dimension::ForceDensity);
  CHECK(force == std::array<double, 3>{0.0, 0.0, 2.0});
  CHECK(file.table("stop").flag("require_convergence") == false);
  std::vector<CaseTable> openings = file.tables("opening");
  REQUIRE(openings.size() == 2);
  CHECK(openings[1].integer("id", 1, 99) == 2);
  CHECK(openings[1].text("kind") == "pressure");
  CHECK(openings[1].where("kind") == "case.toml:13");
  CHECK(openings[1].where("value") == "case.toml:11");
}

TEST_CASE("Case file: absent keys have no value", "[unit]") {
  const CaseFile file = CaseFile::empty();
  CaseTable solver = file.table("solver");
  CHECK_FALSE(solver.present());
  CHECK_FALSE(solver.has("tau"));
  CHECK_FALSE(solver.text("tau"));
  CHECK_FALSE(solver.quantity("tau", Dimension::None));
  CHECK_FALSE(solver.vector("tau", Dimension::None));
  CHECK_FALSE(solver.integer("tau", 0, 1));
  CHECK_FALSE(solver.flag("tau"));
  solver.rejectUnknown();
  CHECK(file.tables("opening").empty());
}

TEST_CASE("Case file: an unknown key is refused with its line and the nearest one", "[unit]") {
  const CaseFile file = CaseFile::parse("[fluid]\ndensity = 1\nviscosty = 2\n", "a/case.toml");
  CaseTable fluid = file.table("fluid");
  fluid.quantity("density", Dimension::Density);
  fluid.quantity("viscosity", Dimension::DynamicViscosity);
  CHECK(usage([&] { fluid.rejectUnknown(); }) ==
        "a/case.toml:3: unknown key \"viscosty\" in [fluid]; nearest is \"viscosity\".");
  CaseTable again = CaseFile::parse("[stop]\nzzzzzz = 1\n", "c").table("stop");
  again.integer("steps", 0, 9);
  CHECK_THAT(usage([&] { again.rejectUnknown(); }), Contains("steps"));
}

TEST_CASE("Case file: all unknown keys are named, by lines", "[unit]") {
  CaseTable stop = CaseFile::parse("[stop]\nzz = 1\naa = 2\n", "c").table("stop");
  CHECK(usage([&] { stop.rejectUnknown(); }) ==
        "c has 2 mistakes:\n  c:2: unknown key \"zz\" in [stop]; known are none.\n"
        "  c:3: unknown key \"aa\" in [stop]; known are none.");
  CHECK_THAT(refusalOf("[solvr]\n[fluid]\n[stp]\n[[time]]\n"),
             StartsWith("case.toml has 3 mistakes:\n  case.toml:1: ") &&
                 Contains("\n  case.toml:3: ") && Contains("\n  case.toml:4: "));
}

TEST_CASE("Case file: mistakes that are noted come together, and their values count as absent",
          "[unit]") {
  const CaseFile file = CaseFile::parse(
      "[solver]\na = true\nb = \"x\"\nc = 2.5\nd = [1, \"m\", 2]\ne = 1\nf = 3\n", "c");
  CaseTable t = file.table("solver");
  {
    const MistakeNotes mistakes(file.mistakes());
    CHECK_FALSE(t.quantity("d", Dimension::None));
    CHECK_FALSE(t.vector("d", Dimension::Length));
    CHECK_FALSE(t.integer("c", 0, 9));
    CHECK_FALSE(t.word("b", {"y", "z"}));
    CHECK_FALSE(t.text("a"));
    CHECK_FALSE(t.flag("e"));
    CHECK(t.texts("e").empty());
    CHECK(t.refused("c"));
    CHECK(t.has("f"));
    CHECK_FALSE(t.refused("f"));
    t.rejectUnknown();
    file.noteMissing("[fluid] is missing");
    // A part's own refusal is one, but not beside another of the part, nor an input's.
    file.part([] { fail(ExitCode::Usage, "c:3: of a part"); });
    file.part([&] {
      t.flag("f");
      fail(ExitCode::Usage, "c:3: consequence");
    });
    file.part([] { fail(ExitCode::BadInput, "no such file"); });
    {
      const MistakeNotes inner(file.mistakes());
      inner.reject();
    }
    const std::string all = usage([&] { mistakes.reject(); });
    std::vector<std::string> lines;
    for (const char* start :
         {"c has 10 mistakes:", "\n  c: [fluid] is missing.", "\n  c:2: a ", "\n  c:3: b ",
          "\n  c:3: of a part.", "\n  c:4: c ", "\n  c:5: d ", "\n  c:6: e ", "\n  c:7: f "}) {
      INFO(start << " in " << all);
      CHECK(all.find(start) != std::string::npos);
      lines.emplace_back(std::to_string(1000 + all.find(start)));
    }
    CHECK(std::is_sorted(lines.begin(), lines.end()));
    CHECK_THAT(all, !Contains("consequence") && !Contains("no such file"));
  }
  CHECK_FALSE(file.hasMistakes());
  CHECK_THAT(usage([&] { t.flag("e"); }), StartsWith("c:6: e "));  // thrown again
  // Without mistakes an input that cannot be read is said at once.
  const MistakeNotes mistakes(file.mistakes());
  CHECK_THROWS_AS(file.part([] { fail(ExitCode::BadInput, "no such file"); }), StageError);
}

TEST_CASE("Case file: of many mistakes the first twenty are listed", "[unit]") {
  std::string text = "[stop]\n";
  for (int k = 0; k < 30; ++k) text += fmt::format("k{} = 1\n", k);
  CaseTable stop = CaseFile::parse(text, "c").table("stop");
  CHECK_THAT(usage([&] { stop.rejectUnknown(); }), StartsWith("c has 30 mistakes:") &&
                                                       Contains("c:21: ") && !Contains("c:22: ") &&
                                                       Contains("\n  and 10 more."));
}

TEST_CASE("Case file: an unknown table or a stray key is refused", "[unit]") {
  CHECK(refusalOf("\n[solvr]\n") == "case.toml:2: unknown table \"solvr\"; nearest is \"solver\".");
  CHECK_THAT(refusalOf("tau = 1\n"), StartsWith("case.toml:1:") && Contains("\"tau\""));
  CHECK_THAT(refusalOf("[opening]\nid = 1\n"), Contains("[[opening]]"));
  CHECK_THAT(refusalOf("[wall]\nid = 0\n"), Contains("[[wall]]"));
  CHECK_THAT(refusalOf("[[fluid]]\n"), Contains("[fluid]"));
  CHECK_THAT(refusalOf("fluid = 3\n"), Contains("[fluid]"));
}

TEST_CASE("Case file: a value of the wrong type is refused with the value and the requirement",
          "[unit]") {
  const CaseFile file = CaseFile::parse(
      "[solver]\na = \"x\"\nb = 1.5\nc = [1, 2]\nd = true\ne = nan\nf = {}\n", "case.toml");
  CaseTable t = file.table("solver");
  const auto number = [&](const char* key) {
    return usage([&] { t.quantity(key, Dimension::Time); });
  };
  CHECK_THAT(number("a"), StartsWith("case.toml:2: a: \"x\""));
  CHECK_THAT(number("c"), StartsWith("case.toml:4: c "));
  CHECK_THAT(number("d"), StartsWith("case.toml:5: d ") && Contains("true"));
  CHECK_THAT(number("e"), StartsWith("case.toml:6: e "));
  CHECK_THAT(number("f"), StartsWith("case.toml:7: f "));
  CHECK_THAT(usage([&] { t.text("b"); }), Contains("1.5") && Contains("quotes"));
  CHECK_THAT(usage([&] { t.word("a", {"bgk", "trt"}); }), Contains("bgk") && Contains("trt"));
  CHECK_THAT(usage([&] { t.vector("c", Dimension::None); }), Contains("[x, y, z]"));
  CHECK_THAT(usage([&] { t.vector("b", Dimension::None); }), Contains("[x, y, z]"));
  CHECK_THAT(usage([&] { t.integer("b", 0, 9); }), Contains("0") && Contains("9"));
  CHECK_THAT(usage([&] { t.flag("b"); }), Contains("true") && Contains("false"));
}

TEST_CASE("Case file: a value out of range is refused with its range", "[unit]") {
  CaseTable t =
      CaseFile::parse("[solver]\ntau = 0.4\nsteps = -1\nv = \"2 mm/s\"\n", "c").table("solver");
  CHECK(usage([&] { t.quantity("tau", Dimension::None, 0.5, 2.0); }) ==
        "c:2: tau is 0.4; expected a value between 0.5 and 2.");
  CHECK_THAT(usage([&] { t.quantity("tau", Dimension::None, 0.5); }), Contains("0.5"));
  CHECK_THAT(usage([&] { t.quantity("v", Dimension::Velocity, -1e300, 1e-3); }),
             Contains("\"2 mm/s\"") && Contains("0.001 m/s"));
  CHECK_THAT(usage([&] { t.integer("steps", 0, 100); }),
             StartsWith("c:3: steps") && Contains("-1"));
  CHECK(t.quantity("tau", Dimension::None, 0.4, 0.4) == 0.4);
}

TEST_CASE("Case file: a wrong unit is refused with its line", "[unit]") {
  CaseTable t = CaseFile::parse("[fluid]\ndensity = \"3 mm\"\n", "c").table("fluid");
  CHECK_THAT(usage([&] { t.quantity("density", Dimension::Density); }),
             StartsWith("c:2: density: \"3 mm\"") && Contains("length") && Contains("kg/m3"));
}

TEST_CASE("Case file: invalid TOML is refused with its line", "[unit]") {
  CHECK_THAT(refusalOf("[fluid]\ndensity = = 3\n"), StartsWith("case.toml:2:"));
  CHECK_THAT(refusalOf("[fluid\n"), StartsWith("case.toml:1:"));
  CHECK_THAT(refusalOf("[[[fluid]]]\n"), StartsWith("case.toml:1:"));
  CHECK_THAT(refusalOf("[=]\n"), StartsWith("case.toml:1:"));
  CHECK_THAT(refusalOf("[fluid]\na = 1\na = 2\n"), StartsWith("case.toml:3:") && Contains("a"));
  CHECK_THAT(refusalOf("[fluid]\n[fluid]\n"), StartsWith("case.toml:2:"));
  CHECK_THAT(refusalOf(std::string("[fluid]\na = \"\xff\xfe\"\n")), Contains("TOML"));
  CHECK_THAT(refusalOf(std::string("\0\0\0\0", 4)), Contains("TOML"));
}

TEST_CASE("Case file: every kind of malformed line is named by its number", "[unit]") {
  // Line 5 of the text that each is inserted into, with valid lines before and after.
  const std::string line = GENERATE(
      as<std::string>(), "[=]", "[[[a]]]", "[", "[[", "[]", "[solver", "[solver]]", "= 3", "tau",
      "tau =", "tau = =", "tau = \"open", "tau = 'open", "tau = \"\\q\"", "tau = 1.2.3", "tau = 0x",
      "tau = 2026-13-01", "tau = 1__0", "tau = {a = 1", "tau = {a = 1, a = 2}", "tau = 1 mu = 2",
      "tau = [1 2]", "density = 2", "[fluid]", "tau. = 1", ".tau = 1", "tau = maybe",
      "\"\" \"\" = 1", "!tau = 1", "tau = 1 \x01", "[a.[b]]", "[a.=]", "tau = {= 1}");
  CAPTURE(line);
  CHECK_THAT(
      refusalOf("[fluid]\ndensity = 1\nnote = \"\"\"\n\"\"\" #\n" + line + "\n[stop]\nsteps = 1\n"),
      StartsWith("case.toml:5: "));
  CHECK_THAT(refusalOf("[fluid]\ndensity = 1\n\n\n" + line), StartsWith("case.toml:5: "));
}

TEST_CASE("Case file: a value that never ends is named by the file's last line", "[unit]") {
  for (const std::string value : {"[1, 2", "\"\"\"a", "'''a", "[[1], ["})
    CHECK_THAT(refusalOf("[fluid]\ntau = " + value + "\n\n"),
               StartsWith("case.toml:3: ") && Contains("end-of-file"));
}

TEST_CASE("Case file: characters beyond ASCII belong into quotes and comments", "[unit]") {
  const std::string good =
      "\xEF\xBB\xBF# größer\n[preprocess]\nunit = \"mm\" # µ\nname = [\"1=Einlaß\", '2=\\ä']\n"
      "faces = \"\"\"é\n\"é\"\"\"\n";
  CHECK_NOTHROW(CaseFile::parse(good, "case.toml"));
  CHECK_THAT(refusalOf("[fluid]\nviscosity = 3 µ\n"), StartsWith("case.toml:2:"));
  CHECK_THAT(refusalOf("[fluid]\n\"a\\\"\" = 1\n\nöl = 1\n"), StartsWith("case.toml:4:"));
  // Both trigger undefined behaviour in toml++ 3.3.
  CHECK_THAT(refusalOf("id = {id = \xCB\x81"), StartsWith("case.toml:1:"));
  CHECK_THAT(refusalOf("[a\n'open\n\xCB\x81"), StartsWith("case.toml:1:"));
}

TEST_CASE("Case file: line ends of other systems are accepted", "[unit]") {
  CaseTable t =
      CaseFile::parse("[fluid]\r\ndensity = \"1060 kg/m3\"\r\nx = 1\r\n", "c").table("fluid");
  CHECK(t.quantity("density", Dimension::Density) == 1060.0);
  CHECK(t.where("x") == "c:3");
}

TEST_CASE("Case file: a missing case file is exit code 3", "[unit]") {
  const TemporaryFolder folder;
  const auto load = [&](const std::filesystem::path& path) {
    return sentenceOfError(ExitCode::BadInput, [&] { CaseFile::load(path); });
  };
  CHECK_THAT(load(folder / "absent.toml"), Contains("absent.toml"));
  CHECK_THAT(load(folder.path()), Contains(folder.path().string()));
  writeWhole(folder / "case.toml", example);
  CHECK(CaseFile::load(folder / "case.toml").content() == example);
  writeWhole(folder / "empty.toml", "");
  CHECK_FALSE(CaseFile::load(folder / "empty.toml").table("fluid").present());
}

TEST_CASE("Case file: the files that it names", "[unit]") {
  const CaseFile file = CaseFile::parse(
      "[[opening]]\nid = 1\nwaveform = \"in.csv\"\n[[opening]]\nid = 2\ntable = \"/far/out.csv\"\n"
      "[output]\nwaveform = 3\n",
      "cases/a.toml");
  CHECK(file.namedFiles() == std::vector<std::filesystem::path>{"cases/in.csv", "/far/out.csv"});
  CHECK(file.tables("opening")[0].file("waveform") == "cases/in.csv");
  CHECK_FALSE(file.tables("opening")[0].file("table"));
  CHECK_THROWS_AS(file.tables("opening")[0].file("id"), std::logic_error);
  CHECK(CaseFile::empty().namedFiles().empty());
}

TEST_CASE("Case file: size and depth are bounded", "[unit]") {
  const TemporaryFolder folder;
  writeWhole(folder / "big.toml", std::string(5U << 20U, '#'));
  checkError(ExitCode::BadInput, [&] { CaseFile::load(folder / "big.toml"); },
             {"big.toml", "4.19 MB"});
  // Deep in each way that TOML has: a refusal, and no stack that ends.
  const auto deep = [](std::string_view open, std::string_view close) {
    std::string text = "[initial]\na = ";
    for (int k = 0; k < 200'000; ++k) text += open;
    text += "1";
    for (int k = 0; k < 200'000; ++k) text += close;
    return text;
  };
  std::string dotted = "initial.a";
  for (int k = 0; k < 1'000'000; ++k) dotted += ".a";
  for (const std::string& text : {deep("[", "]"), deep("{a=", "}"), dotted + " = 1",
                                  "[" + dotted + "]", "[[" + dotted + "]]"})
    checkError(ExitCode::Usage, [&] { CaseFile::parse(text, "deep.toml"); }, {"deep.toml"});
}

}  // namespace
}  // namespace tessera
