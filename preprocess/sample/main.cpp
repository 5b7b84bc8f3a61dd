// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample KIND [options] -o FILE: sample geometry. Each kind has its own options; lengths
// have units, surfaces are in millimetres.
#include <algorithm>
#include <string>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/sample/kinds.hpp"

using namespace tessera;
using namespace tessera::preprocess::sample;

namespace {
struct Kind {
  std::string name;
  int (*make)(int, const char* const*);
  std::string files;
  std::string description;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"aneurysm", makeAneurysm, ".stl .mha", "cerebral bifurcation with a saccular aneurysm"},
      {"aorta", makeAorta, ".stl .mha", "aortic arch with three branches and a coarctation"},
      {"tube", makeTube, ".stl", "straight round tube at any angle"},
      {"bent-tube", makeBentTube, ".stl", "round tube with a circular bend"},
      {"channel", makeChannel, ".stl", "straight rectangular duct at any angle"},
      {"expansion", makeExpansion, ".stl .pgm", "sudden expansion, round or plane"},
      {"box", makeBox, ".stl .raw", "closed box"},
      {"spheres", makeSpheres, ".raw .stl", "random spheres, or a pack from a file: the pores"},
      {"lattice", makeLattice, ".raw .stl", "cubic lattices of spheres: the pores"},
      {"spherebed", makeSphereBed, ".raw", "dense bed of spheres: the pores"},
      {"riverbed", makeRiverBed, ".raw", "dense bed of spheres, free flow above"},
      {"channel2d", makeChannelImage, ".pgm", "plane channel"},
      {"box2d", makeBoxImage, ".pgm", "plane box, all pore: a cavity, two plates"},
      {"network2d", makeNetworkImage, ".pgm", "plane network of channels, as on a chip"}};
  return all;
}

std::string table() {
  std::string text;
  for (const Kind& kind : kinds()) {
    text += "\n  " + kind.name + std::string(12 - kind.name.size(), ' ') + kind.files;
    text += std::string(12 - kind.files.size(), ' ') + kind.description;
  }
  return text;
}

// Handles --help and --version without a kind; otherwise reports the missing kind.
int withoutKind(int argc, const char* const* argv) {
  stage::CommandLine line("tessera-sample",
                          "Makes sample geometry: tessera-sample KIND [options] -o FILE. "
                          "tessera-sample KIND --help shows the options of each kind:" +
                              table(),
                          0, 1, false);
  line.without({"--case"});
  line.inputs("KIND");
  const auto common = line.parse(argc, argv);
  if (!common) return 0;
  std::vector<std::string> words;
  for (const Kind& kind : kinds()) words.push_back(kind.name);
  const std::string found = common->inputs.empty()
                                ? "the kind is missing"
                                : "the kind is \"" + common->inputs.front().string() + "\"";
  stage::fail(stage::ExitCode::Usage,
              fmt::format("{}; expected one of {}, as in tessera-sample aneurysm -o aneurysm.stl.",
                          found, stage::enumeration(words, " or ")));
}

int sampleMain(int argc, const char* const* argv) {
  for (const Kind& kind : kinds())
    if (argc > 1 && argv[1] == kind.name) return kind.make(argc - 1, argv + 1);
  return withoutKind(argc, argv);
}
}  // namespace

int main(int argc, char** argv) {
  return stage::runStage("tessera-sample", [&] { return sampleMain(argc, argv); });
}
