// SPDX-License-Identifier: GPL-3.0-or-later
// Every bad input a user is likely to give: one sentence, the exit code of the contract, and no
// target file, nor anything else left behind.
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;

namespace {

using Corner = std::array<double, 3>;

std::string facet(const Corner& a, const Corner& b, const Corner& c) {
  std::ostringstream text;
  text << "facet normal 0 0 0\nouter loop\n";
  for (const auto& v : {a, b, c}) text << "vertex " << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
  text << "endloop\nendfacet\n";
  return text.str();
}

std::string solid(const std::string& facets, const std::string& name = "duct") {
  return "solid " + name + "\n" + facets + "endsolid " + name + "\n";
}

// A square duct of 1 x 1 x 4 along z; its two ends are open, or closed by flat caps that lie in
// walls of the same plane nowhere else.
std::string ductFacets() {
  const std::array<Corner, 4> low{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  std::string facets;
  for (std::size_t k = 0; k < 4; ++k) {
    const Corner a = low[k];
    const Corner b = low[(k + 1) % 4];
    const Corner c{b[0], b[1], 4};
    const Corner d{a[0], a[1], 4};
    facets += facet(a, b, c) + facet(a, c, d);
  }
  return facets;
}

const std::string fluid = "[fluid]\ndensity = 1000\nviscosity = \"1e-3 Pa.s\"\n";
const std::string inlet =
    "[[opening]]\nid = 1\nkind = \"velocity\"\nprofile = \"plug\"\nmean = \"0.01 m/s\"\n";
const std::string outlet = "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"0 Pa\"\n";
const std::string stop = "[stop]\nsteps = 20\n";
const std::string speed = "[solver]\nlattice_velocity = 0.05\n";

// Messages without warnings.
std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> said;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("warning: ", 0) != 0) said.push_back(line);
  return said;
}

// The command fails with the exit code and one sentence that has the facts, and leaves the folder
// unchanged.
void refused(const WorkFolder& work, const std::string& command, int code,
             const std::vector<std::string>& words) {
  const auto before = work.names();
  const Outcome outcome = work.run(command);
  INFO(command << "\n" << outcome.errors);
  CHECK(outcome.code == code);
  const auto said = sentences(outcome.errors);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Catch::StartsWith("tessera-"));
  for (const auto& word : words) CHECK_THAT(said[0], Catch::Contains(word));
  CHECK(work.names() == before);
}

// Open duct, voxelised and tiled.
void makeDuct(const WorkFolder& work) {
  work.write("duct.stl", solid(ductFacets()));
  work.mustRun("tessera-preprocess --quiet --unit mm --across 8 duct.stl -o duct.vdb");
  work.mustRun("tessera-tiler --quiet duct.vdb -o duct.tiles");
}

void makeRun(const WorkFolder& work) {
  makeDuct(work);
  work.write("case.toml", fluid + speed + inlet + outlet + stop);
  work.mustRun("tessera-solver --quiet --backend cpu duct.tiles --case case.toml -o duct.fields");
}

void truncate(const WorkFolder& work, const std::string& from, const std::string& to) {
  const std::string whole = readWhole(work.path(from));
  work.write(to, whole.substr(0, whole.size() * 2 / 3));
}

void flipByte(const WorkFolder& work, const std::string& from, const std::string& to) {
  std::string whole = readWhole(work.path(from));
  whole[whole.size() / 2] = static_cast<char>(whole[whole.size() / 2] ^ 1);
  work.write(to, whole);
}

}  // namespace

TEST_CASE("Bad input: missing or incomplete surfaces are refused", "[pipeline]") {
  const WorkFolder work;
  const std::string preprocess = "tessera-preprocess --quiet --unit mm --across 8 ";
  refused(work, preprocess + "none.stl -o a.vdb", 3, {"none.stl"});

  work.write("empty.stl", "");
  refused(work, preprocess + "empty.stl -o a.vdb", 3, {"empty.stl"});
  work.write("nothing.stl", solid(""));
  refused(work, preprocess + "nothing.stl -o a.vdb", 3, {"nothing.stl", "triangle"});
  work.write("short.stl",
             std::string(80, ' ') + std::string("\x0c\0\0\0", 4) + std::string(99, 'x'));
  refused(work, preprocess + "short.stl -o a.vdb", 3, {"short.stl"});
  const std::string text = solid(ductFacets());
  work.write("cut.stl", text.substr(0, text.size() / 2));
  refused(work, preprocess + "cut.stl -o a.vdb", 3, {"cut.stl"});
  work.write("nan.stl", solid(ductFacets() + "facet normal 0 0 0\nouter loop\nvertex nan 0 0\n"
                                             "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"));
  refused(work, preprocess + "nan.stl -o a.vdb", 3, {"nan.stl"});
}

TEST_CASE("Bad input: a surface that cannot be closed is refused", "[pipeline]") {
  const WorkFolder work;
  std::string facets;
  for (int k = 0; k < 40; ++k) {
    const double x = 0.7 * (k % 5), y = 0.9 * (k / 5 % 4), z = 0.31 * k;
    facets += facet({x, y, z}, {x + 1.0, y + 0.1 * k, z}, {x, y + 1.0, z + 0.5});
  }
  work.write("soup.stl", solid(facets));
  refused(work, "tessera-preprocess --quiet --unit mm --longest 40 soup.stl -o a.vdb", 3,
          {"soup.stl"});
}

TEST_CASE("Bad input: missing or misspelt options of a surface are refused", "[pipeline]") {
  const WorkFolder work;
  work.write("duct.stl", solid(ductFacets()));
  refused(work, "tessera-preprocess --quiet --across 8 duct.stl -o a.vdb", 2, {"unit"});
  refused(work, "tessera-preprocess --quiet --unit mm duct.stl -o a.vdb", 2, {"--across"});
  refused(work, "tessera-preprocess --quiet --unit inch --across 8 duct.stl -o a.vdb", 2, {"mm"});
  refused(work, "tessera-preprocess --quiet --unit mm --acros 8 duct.stl -o a.vdb", 2,
          {"--across"});
  refused(work, "tessera-preprocess --quiet --unit mm --across 8 duct.stl", 2, {"-o"});
  // All at once.
  refused(work, "tessera-preprocess --quiet duct.stl", 2, {"-o FILE", "--unit", "--across"});
  refused(work, "tessera-preprocess --quiet rock.raw", 2,
          {"-o FILE", "--dims", "--type", "--voxel", "--pore"});
  refused(work, "tessera-solver --quiet", 2, {"an input", "--case FILE.toml", "-o OUTPUT"});
  refused(work, "tessera-preprocess --quiet --unit mm --across 8 duct.stl -o no/such/a.vdb", 4,
          {"no/such"});
}

TEST_CASE("Bad input: --report is refused together with --plan by every program", "[pipeline]") {
  const WorkFolder work;
  for (const std::string stage :
       {"tessera-preprocess --unit mm --across 8 duct.stl", "tessera-tiler duct.vdb",
        "tessera-solver duct.tiles --case case.toml", "tessera-postprocess duct.fields duct.tiles",
        "tessera-sample tube"})
    refused(work, stage + " --plan --report r.json", 2, {"--report", "--plan"});
}

TEST_CASE("Bad input: a shortage of memory is reported before any long work", "[pipeline]") {
  const WorkFolder work;
  work.write("duct.stl", solid(ductFacets()));
  refused(work, "tessera-preprocess --quiet --unit mm --spacing '0.01 um' duct.stl -o a.vdb", 5,
          {"spacing"});
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses for itself
  // A million nodes in double precision: 300 MB where 250 are granted.
  work.mustRun("tessera-preprocess --quiet --unit mm --longest 256 duct.stl -o duct.vdb");
  work.mustRun("tessera-tiler --quiet duct.vdb -o duct.tiles");
  work.write("case.toml", fluid + speed + inlet + outlet + stop);
  refused(work,
          "ulimit -v 250000; tessera-solver --quiet --backend cpu --threads 1 --precision f64"
          " duct.tiles --case case.toml -o a.fields",
          5, {"memory"});
#endif
}

TEST_CASE(
    "Bad input: files between the stages that are cut, altered or of the wrong kind are refused",
    "[pipeline]") {
  const WorkFolder work;
  makeRun(work);
  truncate(work, "duct.vdb", "cut.vdb");
  truncate(work, "duct.tiles", "cut.tiles");
  truncate(work, "duct.fields", "cut.fields");
  flipByte(work, "duct.vdb", "bad.vdb");
  flipByte(work, "duct.tiles", "bad.tiles");
  flipByte(work, "duct.fields", "bad.fields");
  const std::string solve = "tessera-solver --quiet --backend cpu --case case.toml -o a.fields ";
  for (const std::string damage : {"cut", "bad"}) {
    refused(work, "tessera-tiler --quiet " + damage + ".vdb -o a.tiles", 3, {damage + ".vdb"});
    refused(work, solve + damage + ".tiles", 3, {damage + ".tiles"});
    refused(work, "tessera-postprocess --quiet " + damage + ".fields duct.tiles -o a.out", 3,
            {damage + ".fields"});
    for (const std::string kind : {".vdb", ".tiles", ".fields"}) {
      CHECK(work.run("tessera-info --check duct" + kind).code == 0);
      CHECK(work.run("tessera-info --check " + damage + kind).code == 3);
    }
  }
  refused(work, "tessera-tiler --quiet duct.tiles -o a.tiles", 3, {"duct.tiles"});
  refused(work, solve + "duct.vdb", 3, {"duct.vdb"});
  refused(work, "tessera-postprocess --quiet duct.tiles -o a.out", 3, {"duct.tiles"});
}

TEST_CASE("Bad input: files of another stage are refused with the stage that makes the right one",
          "[pipeline]") {
  const WorkFolder work;
  makeRun(work);
  for (const char* file : {"duct.stl", "duct.tiles"})
    refused(work, std::string("tessera-tiler -o a.tiles ") + file, 3, {file, "tessera-preprocess"});
  for (const char* file : {"duct.stl", "duct.vdb", "duct.fields"})
    refused(work, std::string("tessera-solver --case case.toml -o a.fields ") + file, 3,
            {file, "tessera-tiler makes"});
  for (const char* file : {"duct.stl", "duct.tiles"})
    refused(work, std::string("tessera-postprocess -o a.out ") + file, 3,
            {file, "tessera-solver makes"});
}

TEST_CASE("Bad input: results and geometry of different runs are not mixed", "[pipeline]") {
  const WorkFolder work;
  makeRun(work);
  work.mustRun("tessera-preprocess --quiet --unit mm --across 9 duct.stl -o other.vdb");
  work.mustRun("tessera-tiler --quiet other.vdb -o other.tiles");
  refused(work, "tessera-postprocess --quiet duct.fields other.tiles -o a.out", 3, {"other.tiles"});
}

TEST_CASE("Bad input: cases that do not fit the geometry are refused", "[pipeline]") {
  const WorkFolder work;
  makeDuct(work);
  const std::string solve = "tessera-solver --quiet --backend cpu duct.tiles -o a.fields --case ";
  refused(work, "tessera-solver --quiet duct.tiles -o a.fields", 2, {"--case"});
  refused(work, solve + "none.toml", 3, {"none.toml"});
  work.write("forgotten.toml", fluid + speed + inlet + stop);
  refused(work, solve + "forgotten.toml", 2, {"opening 2"});
  work.write("extra.toml", fluid + speed + inlet + outlet +
                               "[[opening]]\nid = 3\nkind = \"pressure\"\nvalue = 0\n" + stop);
  refused(work, solve + "extra.toml", 2, {"3"});

  // The same duct with both ends shut off as periodic: no opening is left for the case.
  work.mustRun(
      "tessera-preprocess --quiet --unit mm --longest 32 --periodic z duct.stl -o shut.vdb");
  work.mustRun("tessera-tiler --quiet shut.vdb -o shut.tiles");
  work.write("case.toml", fluid + speed + inlet + stop);
  refused(work, "tessera-solver --quiet --backend cpu shut.tiles --case case.toml -o a.fields", 2,
          {"opening"});
}

TEST_CASE("Bad input: --ranks requires --plan, and at most one rank per tile is possible",
          "[pipeline]") {
  const WorkFolder work;
  makeDuct(work);
  work.write("case.toml", fluid + speed + inlet + outlet + stop);
  const std::string solve = "tessera-solver --quiet --backend cpu duct.tiles --case case.toml ";
  refused(work, solve + "--ranks 2 -o a.fields", 2, {"--ranks", "--plan"});
  refused(work, solve + "--plan --ranks 0", 2, {"--ranks", "0"});
  refused(work, solve + "--plan --ranks 100000", 2, {"100000", "tiles"});
  const std::string plan = work.mustRun(solve + "--plan --ranks 3").output;
  for (const char* word : {"ranks        3, ", "halo "}) CHECK_THAT(plan, Catch::Contains(word));
}

TEST_CASE("Bad input: cases with invalid values are refused with file and line", "[pipeline]") {
  const WorkFolder work;
  makeDuct(work);
  const auto solve = [&](const std::string& content, const std::vector<std::string>& words) {
    work.write("case.toml", content);
    refused(work, "tessera-solver --quiet --backend cpu duct.tiles --case case.toml -o a.fields", 2,
            words);
  };
  const std::string rest = inlet + outlet + stop;
  solve(fluid + "[solver]\nlattice_velocity = 0.05\nsped = 1\n" + rest, {"case.toml:6", "sped"});
  solve(fluid + "[solver]\nlattice_velocity = 0.9\n" + rest, {"case.toml:5", "lattice_velocity"});
  solve(fluid + "[solver]\n\ntau = 0.4\n" + rest, {"case.toml:6", "tau"});
  solve(fluid + "[solver]\ncollision = \"trd\"\nlattice_velocity = 0.05\n" + rest,
        {"case.toml:5", "trt"});
  solve("[fluid]\ndensity = \"1000 Pa\"\nviscosity = \"1e-3 Pa.s\"\n" + speed + rest,
        {"case.toml:2", "kg/m3"});
  solve("[fluid]\ndensity = 1000\n" + speed + rest, {"viscosity"});
  solve(fluid + speed + inlet + outlet + "[stop]\nsteps = -5\n", {"steps"});
  solve("[fluid\n", {"case.toml:1"});
  // A time step so long that the flow would outrun the lattice's speed of sound.
  solve(fluid + "[solver]\ntime_step = \"1 s\"\n" + rest, {"time_step"});
}

TEST_CASE("Bad input: a run overwrites none of its input files", "[pipeline]") {
  const WorkFolder work;
  makeDuct(work);
  work.write("case.toml", fluid + speed + inlet + outlet + stop);
  work.write("a.monitor.csv", fluid + speed + inlet + outlet + stop);
  work.write("a.ckpt", readWhole(work.path("duct.tiles")));
  const std::string solve = "tessera-solver --quiet --backend cpu ";
  refused(work, solve + "duct.tiles --case a.monitor.csv -o a.fields", 2, {"a.monitor.csv"});
  refused(work, solve + "a.ckpt --case case.toml -o a.fields", 2, {"a.ckpt"});
  refused(work, solve + "duct.tiles --case case.toml -o b.fields --report b.ckpt", 2, {"b.ckpt"});
  CHECK(readWhole(work.path("a.ckpt")) == readWhole(work.path("duct.tiles")));

  work.mustRun(solve + "duct.tiles --case case.toml -o c.ckpt");
  CHECK(readWhole(work.path("c.ckpt")).substr(8, 6) == "fields");
  for (const std::string name : {"tau-0.6", "tau-0.7"}) {
    work.mustRun(solve + "duct.tiles --case case.toml -o " + name);
    CHECK(std::filesystem::exists(work.path(name + ".monitor.csv")));
  }
  refused(work, solve + "duct.tiles --case case.toml --initial tau-0.6 -o tau-0.6", 2, {"tau-0.6"});
  // Fields on the way are d.0001.fields and so on.
  work.mustRun("cp tau-0.6 d.0003.fields && cp tau-0.6 d.x003.fields");
  const std::string from = solve + "duct.tiles --case case.toml -o d.fields --initial ";
  refused(work, from + "d.0003.fields", 2, {"d.0003.fields"});
  work.mustRun(from + "d.x003.fields");
}

TEST_CASE("Bad input: names that are not UTF-8 pass through the whole chain", "[pipeline]") {
  const WorkFolder work;
  const std::string name = "g\xe9om";
  const std::string run = "r\xe9sultat";
  const std::string facets = ductFacets();
  const std::size_t half = facets.size() / 2;
  work.write(name + ".stl", solid(facets.substr(0, half), "vo\xfbte") + solid(facets.substr(half)));
  work.write("case.toml", fluid + speed + inlet + outlet + stop);
  work.mustRun("tessera-preprocess --quiet --unit mm --across 8 " + name + ".stl -o " + name +
               ".vdb --report p.json");
  work.mustRun("tessera-tiler --quiet " + name + ".vdb -o " + name + ".tiles --report t.json");
  work.mustRun("tessera-solver --quiet --backend cpu " + name + ".tiles --case case.toml -o " +
               run + ".fields --report s.json");
  refused(work, "tessera-postprocess --quiet " + run + ".fields -o a.out", 3, {"tiles"});
  const std::string both = run + ".fields " + name + ".tiles";
  work.mustRun("tessera-postprocess --quiet " + both + " -o " + run + ".out --report r.json");
  work.mustRun("tessera-postprocess --quiet " + both + " -o b.out");
  work.mustRun("tessera-compare --quiet " + run + ".out b.out -o b.cmp --report c.json");
  work.mustRun("cp b.out/openings.csv " + run + ".out/" + name + ".csv");
  work.mustRun("tessera-info --quiet --report i.json " + name + ".* " + run + ".fields " + run +
               ".out");
  CHECK(work.json("r.json").at("run").at("tiles_file") == "g\xef\xbf\xbdom.tiles");
  CHECK(work.json("r.json").at("forces_n").contains("vo\xef\xbf\xbdte"));
  for (const char* report : {"p.json", "t.json", "s.json", "c.json", "i.json"})
    CHECK(work.json(report).is_structured());
}
