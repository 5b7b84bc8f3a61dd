// SPDX-License-Identifier: GPL-3.0-or-later
// --across by a chosen opening and --max-nodes, through the program: the advice of a refusal works
// when it is followed to the letter.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "pipelines/stage/case/quantity.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::test;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// A vessel of radius 2 with a side branch of radius 0.5, opening 3.
void putBranched(const WorkFolder& work) {
  put(work, "vessel.stl",
      joined(tubeMesh({0, 0, 0}, {12, 0, 0}, 2.0, 48, true),
             tubeMesh({6, 0, 0}, {6, 5, 0}, 0.5, 48, true)));
}

const std::string vessel = "tessera-preprocess --quiet --unit mm vessel.stl ";

double spacingOf(const WorkFolder& work, const std::string& command) {
  work.mustRun(command + " -o g.vdb --report r.json");
  return 1e3 * work.json("r.json").at("spacing_m").get<double>();
}

std::string refusal(const WorkFolder& work, const std::string& command) {
  std::filesystem::remove(work.path("g.vdb"));
  const Outcome outcome = work.run(command + " -o g.vdb");
  INFO(command << "\n" << outcome.errors);
  CHECK(outcome.code == 2);
  CHECK_FALSE(std::filesystem::exists(work.path("g.vdb")));
  return outcome.errors;
}

// The options that a refusal proposes after "use".
std::vector<std::string> proposals(const std::string& sentence) {
  const std::string advice = sentence.substr(sentence.rfind("; use ") + 6);
  const std::regex option("--(?:spacing|across|max-nodes) [^ ,;]*[^ ,;.\n]");
  std::vector<std::string> list;
  for (std::sregex_iterator at(advice.begin(), advice.end(), option), end; at != end; ++at)
    list.push_back(at->str());
  return list;
}

// Fluid nodes with each proposal in place of the refused spacing.
std::vector<double> nodesOfProposals(const WorkFolder& work, const std::string& command,
                                     const std::string& spacing, const std::string& limit) {
  const std::string sentence =
      refusal(work, command + spacing + (limit.empty() ? "" : " --max-nodes " + limit));
  INFO(sentence);
  std::vector<double> nodes;
  for (const std::string& proposal : proposals(sentence)) {
    INFO(proposal);
    const bool raises = proposal.find("--max-nodes") == 0;
    work.mustRun(command +
                 (raises ? spacing + " " + proposal : proposal + " --max-nodes " + limit) +
                 " -o g.vdb --report r.json");
    nodes.push_back(work.json("r.json").at("fluid_nodes").get<double>());
  }
  return nodes;
}

}  // namespace

TEST_CASE("Node spacing: --across counts nodes across the smallest or a chosen opening",
          "[pipeline]") {
  const WorkFolder work;
  putBranched(work);
  // Diameter of the circle with the area of a polygon of 48 corners.
  const double diameter =
      4.0 * std::sqrt(24.0 * std::sin(std::numbers::pi / 24) / std::numbers::pi);
  CHECK(spacingOf(work, vessel + "--across 4") == Approx(0.25 * diameter / 4.0).epsilon(1e-4));
  CHECK(spacingOf(work, vessel + "--across smallest=4") ==
        Approx(0.25 * diameter / 4.0).epsilon(1e-4));
  for (const std::string opening : {"1", "2", "opening2", "largest", "inlet"})
    CHECK(spacingOf(work, vessel + "--across " + opening + "=16") ==
          Approx(diameter / 16.0).epsilon(1e-4));
  // A name is stronger than the word.
  CHECK(spacingOf(work, vessel + "--name 3=inlet --across inlet=4") ==
        Approx(0.25 * diameter / 4.0).epsilon(1e-4));
  work.write("case.toml",
             "[preprocess]\nunit = \"mm\"\nacross = \"main=20\"\nname = [\"2=main\"]\n");
  const std::string byCase = "tessera-preprocess --quiet --case case.toml vessel.stl ";
  CHECK(spacingOf(work, byCase) == Approx(diameter / 20.0).epsilon(1e-4));
  const auto options = preprocess::file::readLatticeFile(work.path("g.vdb")).provenance.options;
  CHECK(std::count(options.begin(), options.end(),
                   std::pair<std::string, std::string>("across", "main=20")) == 1);
  CHECK(spacingOf(work, byCase + "--across 5") == Approx(0.25 * diameter / 5.0).epsilon(1e-4));
  const Outcome outcome =
      work.mustRun("tessera-preprocess --unit mm vessel.stl --across 4 -o g.vdb --name 3=branch");
  CHECK_THAT(outcome.errors, Catch::Contains("across opening 3 (branch)"));
}

TEST_CASE("Node spacing: an unknown opening or a wrong number of --across is refused",
          "[pipeline]") {
  const WorkFolder work;
  putBranched(work);
  CHECK_THAT(refusal(work, vessel + "--across outlet=20"),
             Catch::Contains("3 (opening3)") && Catch::Contains("largest"));
  CHECK_THAT(refusal(work, vessel + "--across 4=20"), Catch::Contains("--across 4=20"));
  for (const std::string text : {"0", "-3", "1.5", "inlet=", "=20", "inlet=x", "2e9"})
    CHECK_THAT(refusal(work, vessel + "--across " + text), Catch::Contains("--across is"));
  work.write("case.toml", "[preprocess]\nunit = \"mm\"\nacross = \"inlet 20\"\n");
  CHECK_THAT(refusal(work, "tessera-preprocess --quiet --case case.toml vessel.stl"),
             Catch::Contains("case.toml:3"));
  put(work, "vessel.stl", sphereMesh({0, 0, 0}, 2.0, 24, 12));
  CHECK_THAT(refusal(work, vessel + "--across largest=20"), Catch::Contains("--longest"));
}

TEST_CASE("Node limit: the refusal names the opening that decides, and what it proposes works",
          "[pipeline]") {
  const WorkFolder work;
  putBranched(work);
  const std::string sentence = refusal(work, vessel + "--across 16 --max-nodes 20k");
  CHECK_THAT(sentence, Catch::Contains("vessel.stl") && Catch::Contains("opening 3 (opening3)") &&
                           Catch::Contains("998.6 um") && Catch::Contains("the 20000 of"));
  REQUIRE(proposals(sentence).size() == 3);
  CHECK(proposals(sentence)[1] == "--across largest=16");
  const std::vector<double> nodes = nodesOfProposals(work, vessel, "--across 16 ", "20k");
  CHECK(nodes[0] == Approx(20000).epsilon(0.03));
  CHECK(nodes[1] == Approx(150.0 * std::pow(4.0, 3)).epsilon(0.05));
  CHECK(nodes[2] == Approx(150.0 * std::pow(16.0, 3)).epsilon(0.05));
  // Fewer nodes where as many across the largest are too many.
  CHECK(nodesOfProposals(work, vessel, "--across largest=40 ", "2e4").size() == 3);
  CHECK(nodesOfProposals(work, vessel, "--spacing 0.05mm ", "20000").size() == 3);
  CHECK(nodesOfProposals(work, vessel, "--longest 200 ", "0.02M").size() == 3);
}

TEST_CASE("Node limit: a refusal while OpenVDB is being loaded is one sentence", "[pipeline]") {
  const WorkFolder work;
  work.write("p.raw", std::string(40 * 30 * 20, '\0'));
  // Without waiting for the loading 1 run in 40 had further lines from OpenVDB's logging library.
  for (int trial = 0; trial < 60; ++trial) {
    const std::string errors =
        refusal(work,
                "tessera-preprocess --quiet --voxel 10um --type u8 --pore 0 --dims 40,30,20 p.raw "
                "--max-nodes 5000");
    REQUIRE(std::count(errors.begin(), errors.end(), '\n') == 1);
  }
}

TEST_CASE("Node limit: it holds for plans, by default and in a case", "[pipeline]") {
  const WorkFolder work;
  putBranched(work);
  for (const std::string spacing : {"--spacing 0.008mm", "--longest 1600", "--across 130"})
    for (const std::string plan : {"", " --plan"})
      CHECK_THAT(refusal(work, vessel + spacing + plan), Catch::Contains("the 200 million"));
  // Beyond the largest box as well.
  CHECK_THAT(refusal(work, vessel + "--across 2000"),
             Catch::Contains("--across largest=") && !Catch::Contains("or --max-nodes"));
  work.write("case.toml", "[preprocess]\nunit = \"mm\"\nspacing = \"0.1 mm\"\nmax_nodes = 2e4\n");
  const std::string byCase = "tessera-preprocess --quiet --case case.toml vessel.stl ";
  CHECK_THAT(refusal(work, byCase), Catch::Contains("the 20000 of"));
  work.mustRun(byCase + "--max-nodes 1M -o g.vdb");
  work.write("case.toml",
             "[preprocess]\nunit = \"mm\"\nspacing = \"0.1 mm\"\nmax_nodes = \"1M\"\n");
  work.mustRun(byCase + "-o g.vdb");
  work.write("case.toml", "[preprocess]\nunit = \"mm\"\nlongest = 20\nmax_nodes = \"many\"\n");
  CHECK_THAT(refusal(work, byCase), Catch::Contains("case.toml:4"));
  for (const std::string text : {"0", "-1", "2x", "1kM", "inf", "1e19", "M"})
    CHECK_THAT(refusal(work, vessel + "--longest 20 --max-nodes " + text),
               Catch::Contains("--max-nodes is"));
}

TEST_CASE("Node limit: proposed spacings divide periodic extents exactly", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box --x 7mm --y 3.5mm --z 4.9mm --quiet -o box.stl");
  const std::string box = "tessera-preprocess --quiet --unit mm box.stl --periodic xyz ";
  const std::vector<double> nodes = nodesOfProposals(work, box, "--longest 120 ", "1e5");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0] == 60.0 * 30.0 * 42.0);  // the next, 70 x 35 x 49, are more than 1e5
  // Six decimals of a millimetre would not do.
  const Outcome outcome = work.run(
      "tessera-preprocess --quiet --unit mm box.stl --periodic x --spacing 0.0151mm -o g.vdb");
  CHECK(outcome.code == 2);
  std::smatch found;
  REQUIRE(std::regex_search(outcome.errors, found, std::regex("--spacing ([^ ,;]+)")));
  const double spacing = stage::parseQuantity(found[1].str(), stage::Dimension::Length);
  CHECK(spacing == Approx(7e-3 / 464.0).epsilon(1e-14));
}

TEST_CASE("Node limit: it holds for images", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "tessera-sample spheres --quiet --size 40,30,20 --diameter 12 --porosity 0.5 -o p.raw");
  const std::string image =
      "tessera-preprocess --quiet --voxel 10um --type u8 --pore 0 --dims 40,30,20 p.raw ";
  CHECK_THAT(refusal(work, image + "--longest 2000"), Catch::Contains("the 200 million"));
  CHECK_THAT(refusal(work, image + "--smooth --longest 2000"), Catch::Contains("the 200 million"));
  for (const std::string smooth : {"", "--smooth --keep all "}) {
    CHECK(nodesOfProposals(work, image + smooth, "--longest 80 ", "20k").size() == 2);
    CHECK(nodesOfProposals(work, image + smooth, "--spacing 5um ", "5000").size() == 2);
    // One node per voxel: without a limit unless one is given.
    CHECK_THAT(refusal(work, image + smooth + "--max-nodes 5000"),
               Catch::Contains("one node per voxel"));
  }
  work.mustRun("tessera-sample network2d --quiet -o net.pgm");
  const std::string flat = "tessera-preprocess --quiet --voxel 10um --pore 0 net.pgm ";
  CHECK_THAT(refusal(work, flat + "--longest 8000 --max-nodes 1M"), Catch::Contains("1 million"));
  CHECK(nodesOfProposals(work, flat, "--longest 1000 ", "50k").size() == 2);
}

namespace {

// Fluid of 300 voxels of 0.878906 mm, in slices of 2.5 mm.
constexpr Int3 slices{300, 4, 4};

NiftiText thickSlices() {
  NiftiText text;
  text.dim = {3, slices[0], slices[1], slices[2], 1, 1, 1, 1};
  text.pixdim = {1, 0.878906, 0.878906, 2.5, 0, 0, 0, 0};
  return text;
}

std::string thickSlicesOf(const std::string& millimetres) {
  return "ObjectType = Image\nNDims = 3\nBinaryData = True\nElementSpacing = " + millimetres + " " +
         millimetres +
         " 2.5\nDimSize = 300 4 4\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
}

}  // namespace

TEST_CASE("Node spacing: the spacing proposed for an image is exactly a side of its voxels",
          "[pipeline]") {
  const WorkFolder work;
  const std::string voxels(300 * 4 * 4, '\1');
  work.write("single.nii", niftiHeader(thickSlices()) + voxels);
  work.write("text.mha", thickSlicesOf("0.878906") + voxels);
  work.write("long.mha", thickSlicesOf("0.1234567") + voxels);
  const auto [file, spacing] =
      GENERATE(std::pair("single.nii", "0.878906mm"), std::pair("text.mha", "0.878906mm"),
               std::pair("long.mha", "0.1234567mm"));
  const std::string command = std::string("tessera-preprocess --quiet --pore 1 ") + file + " ";
  CHECK_THAT(refusal(work, command), Catch::Contains(std::string("--spacing ") + spacing + ";"));
  work.mustRun(command + "--spacing " + spacing + " -o g.vdb --report r.json");
  CHECK(work.json("r.json").at("nodes")[0] == 300);
  CHECK(work.json("r.json").at("nodes")[1] == 4);
}
