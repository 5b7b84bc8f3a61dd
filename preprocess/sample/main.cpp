// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample KIND [options] -o FILE: sample geometry. Each kind has its own options; lengths
// carry units, the file is in millimetres.
#include <algorithm>
#include <functional>
#include <iostream>
#include <span>
#include <string>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/nearest.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/sample.hpp"
#include "preprocess/sample/summary.hpp"
#include "preprocess/sample/write_stl.hpp"

using namespace tessera;

namespace {
constexpr double millimetre = 1e-3;
constexpr double defaultEdge = 70e-6;  // m

void needExtension(const CommonOptions& common, const std::string& expected) {
  const std::string found = common.output.extension().string();
  if (common.plan || found == expected) return;
  fail(ExitCode::Usage, "the output " + common.output.filename().string() +
                            " was asked for, but this kind is written as " + expected +
                            ": name it so.");
}

std::string fileName(const CommonOptions& common, const std::string& whenPlanned) {
  return common.output.empty() ? whenPlanned : common.output.filename().string();
}

void tell(const CommonOptions& common, const Summary& summary) {
  if (!common.report.empty()) writeTextAtomically(common.report, summary.json);
  std::cout << summary.text;
}

int deliver(const CommonOptions& common, const std::string& kind, const TriangleMesh& mesh,
            std::optional<std::int64_t> nodes) {
  if (!common.plan)
    writeStl(common.output, mesh, millimetre, "Tessera sample: " + kind + ", millimetres");
  tell(common, describeMesh(kind, mesh, fileName(common, kind + ".stl"), nodes));
  return 0;
}

int deliver(const CommonOptions& common, const std::string& kind, const SampleImage& image,
            const std::string& extension, const std::string& options) {
  if (!common.plan) {
    AtomicFile file(common.output);
    if (extension == ".pgm")
      file.write("P5\n" + std::to_string(image.size[0]) + " " + std::to_string(image.size[1]) +
                 "\n" + std::to_string(int{solidValue}) + "\n");
    file.write(std::as_bytes(std::span(image.value)));
    file.commit();
  }
  tell(common, describeImage(kind, image, fileName(common, kind + extension), options));
  return 0;
}

int makeAneurysm(int argc, const char* const* argv) {
  AneurysmShape shape;
  std::optional<std::int64_t> triangles;
  std::optional<std::int64_t> nodes;
  double edge = 0.0;
  KindLine kind("aneurysm", "A cerebral bifurcation with a saccular aneurysm, open at three ends.");
  kind.length("--parent-diameter", shape.parentDiameter, "of the vessel that arrives");
  kind.length("--branch1-diameter", shape.branchDiameter[0], "of the first branch");
  kind.length("--branch2-diameter", shape.branchDiameter[1], "of the second branch");
  kind.length("--parent-length", shape.parentLength, "along the centreline");
  kind.length("--branch1-length", shape.branchLength[0], "along the centreline");
  kind.length("--branch2-length", shape.branchLength[1], "along the centreline");
  kind.degrees("--branch1-angle", shape.branchAngle[0], "from the parent's direction, degrees");
  kind.degrees("--branch2-angle", shape.branchAngle[1], "from the parent's direction, degrees");
  kind.length("--sac-diameter", shape.sacDiameter, "of the aneurysm");
  kind.length("--sac-height", shape.sacHeight, "from neck to dome");
  kind.length("--neck-diameter", shape.neckDiameter, "where sac and vessel meet");
  kind.length("--bleb-diameter", shape.blebDiameter, "of the daughter sac, 0 for none", true);
  kind.length("--edge", edge, "mean edge of the triangles (default 70 um)");
  kind.line.option("--triangles", triangles, "about so many triangles, instead of --edge");
  kind.line.option("--nodes", nodes, "say the spacing that gives about so many fluid nodes");
  kind.line.example("tessera-sample aneurysm --nodes 400000 -o aneurysm.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  needExtension(*common, ".stl");
  if (triangles && edge > 0.0)
    fail(ExitCode::Usage, "--edge and --triangles exclude each other: give one.");
  if (nodes && *nodes < 1) fail(ExitCode::Usage, "--nodes must be at least 1.");
  if (triangles) edge = aneurysmEdge(shape, *triangles);
  if (edge == 0.0) edge = defaultEdge;
  return deliver(*common, "aneurysm", sampleAneurysm(shape, edge), nodes);
}

Double3 direction(const std::string& text) {
  const std::vector<double> v = parseNumbers("--direction", text, 3);
  return {v[0], v[1], v[2]};
}

int makeTube(int argc, const char* const* argv) {
  TubeShape shape;
  std::string towards = "1,0,0";
  std::optional<std::int64_t> segments;
  KindLine kind("tube",
                "A straight round tube from the origin; its polygon has the circle's area.");
  kind.length("--diameter", shape.diameter, "of the circle");
  kind.length("--length", shape.length, "of the axis");
  kind.line.option("--direction", towards, "X,Y,Z, of any length (default 1,0,0)");
  kind.line.option("--segments", segments, "sides of the polygon (default 96)");
  kind.line.flag("--closed", shape.closed, "with flat caps; open otherwise");
  kind.line.example("tessera-sample tube --diameter \"4 mm\" --direction 1,2,3 -o tube.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  needExtension(*common, ".stl");
  shape.direction = direction(towards);
  if (segments) shape.segments = static_cast<int>(std::clamp<std::int64_t>(*segments, 0, 1000000));
  return deliver(*common, "tube", sampleTube(shape), std::nullopt);
}

int makeChannel(int argc, const char* const* argv) {
  ChannelShape shape;
  std::string towards = "1,0,0";
  KindLine kind("channel", "A straight rectangular duct from the origin, centred on its axis.");
  kind.length("--width", shape.width, "along y where the direction is x");
  kind.length("--height", shape.height, "along z where the direction is x");
  kind.length("--length", shape.length, "of the axis");
  kind.line.option("--direction", towards, "X,Y,Z, of any length (default 1,0,0)");
  kind.line.flag("--closed", shape.closed, "with flat caps; open otherwise");
  kind.line.example("tessera-sample channel --width \"2 mm\" --height \"2 mm\" -o channel.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  needExtension(*common, ".stl");
  shape.direction = direction(towards);
  return deliver(*common, "channel", sampleChannel(shape), std::nullopt);
}

int makeBox(int argc, const char* const* argv) {
  Double3 size{10e-3, 10e-3, 10e-3};
  std::optional<std::string> voxels;
  KindLine kind("box", "A closed box: a surface (.stl), or an image that is all pore (.raw).");
  kind.length("--x", size[0], "of the surface");
  kind.length("--y", size[1], "of the surface");
  kind.length("--z", size[2], "of the surface");
  kind.line.option("--size", voxels, "NX,NY,NZ voxels of the image");
  kind.line.example("tessera-sample box --size 256,256,256 -o box.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  needExtension(*common, voxels ? ".raw" : ".stl");
  if (!voxels) return deliver(*common, "box", sampleBox(size), std::nullopt);
  return deliver(*common, "box", sampleBoxImage(parseSize(*voxels, 3)), ".raw", " --periodic xyz");
}

int makeSpheres(int argc, const char* const* argv) {
  SpheresShape shape;
  std::string size = "128,128,128";
  std::optional<std::int64_t> seed;
  std::optional<double> diameter;
  std::optional<double> porosity;
  bool bounded = false;
  KindLine kind("spheres", "Random overlapping spheres as an image: 0 is pore, 1 is solid.");
  kind.line.option("--size", size, "NX,NY,NZ voxels (default 128,128,128)");
  kind.line.option("--diameter", diameter, "of a sphere, voxels (default 24)");
  kind.line.option("--porosity", porosity, "to reach, 0.02 to 1 (default 0.4)");
  kind.line.option("--seed", seed, "of the random numbers (default 1)");
  kind.line.flag("--bounded", bounded, "cut spheres off at the sides; periodic otherwise");
  kind.line.example("tessera-sample spheres --size 200,200,200 --porosity 0.35 -o spheres.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  needExtension(*common, ".raw");
  shape.size = parseSize(size, 3);
  shape.diameter = diameter.value_or(shape.diameter);
  shape.porosity = porosity.value_or(shape.porosity);
  shape.seed = static_cast<std::uint64_t>(seed.value_or(1));
  shape.periodic = !bounded;
  return deliver(*common, "spheres", sampleSpheres(shape), ".raw",
                 bounded ? " --faces x-,x+" : " --periodic xyz");
}

int makeChannelImage(int argc, const char* const* argv) {
  std::string size = "64,34";
  KindLine kind("channel2d", "A picture of a plane channel along x between two solid rows.");
  kind.line.option("--size", size, "NX,NY pixels, the two rows counted (default 64,34)");
  kind.line.example("tessera-sample channel2d --size 64,34 -o channel.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  needExtension(*common, ".pgm");
  const Int3 n = parseSize(size, 2);
  return deliver(*common, "channel2d", sampleChannelImage(n[0], n[1]), ".pgm", " --periodic x");
}

using Maker = std::function<int(int, const char* const*)>;
const std::vector<std::pair<std::string, Maker>>& kinds() {
  static const std::vector<std::pair<std::string, Maker>> all{
      {"aneurysm", makeAneurysm}, {"tube", makeTube},       {"channel", makeChannel},
      {"box", makeBox},           {"spheres", makeSpheres}, {"channel2d", makeChannelImage}};
  return all;
}

// Only for --help and --version, or to say what is missing.
int withoutKind(int argc, const char* const* argv) {
  CommandLine line("tessera-sample",
                   "Makes sample geometry: tessera-sample KIND [options] -o FILE. Kinds: aneurysm, "
                   "tube, channel, box, spheres, channel2d; tessera-sample KIND --help shows the "
                   "options of each.",
                   0, 1, false);
  line.without({"--case"});
  const auto common = line.parse(argc, argv);
  if (!common) return 0;
  std::vector<std::string> words;
  for (const auto& kind : kinds()) words.push_back(kind.first);
  const std::string found =
      common->inputs.empty() ? "no kind" : "\"" + common->inputs.front().string() + "\"";
  fail(ExitCode::Usage, "found " + found + ", expected first is a kind (" + listOfWords(words) +
                            "), as in tessera-sample aneurysm -o aneurysm.stl.");
}

int sampleMain(int argc, const char* const* argv) {
  for (const auto& [name, make] : kinds())
    if (argc > 1 && argv[1] == name) return make(argc - 1, argv + 1);
  return withoutKind(argc, argv);
}
}  // namespace

int main(int argc, char** argv) {
  return runStage("tessera-sample", [&] { return sampleMain(argc, argv); });
}
