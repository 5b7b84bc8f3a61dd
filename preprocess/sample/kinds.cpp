// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/kinds.hpp"

#include "pipelines/stage/error.hpp"
#include "preprocess/sample/image.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/scan.hpp"
#include "preprocess/sample/solids.hpp"
#include "preprocess/sample/summary.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera::preprocess::sample {

namespace {
// Resolution of a vessel's mesh, and the number of nodes.
struct MeshOptions {
  double edge = 0.0;
  std::int64_t triangles = 0;
  std::int64_t nodes = 0;
  double voxel = 0.0;

  void declare(KindLine& kind, const std::string& defaultEdge, double defaultVoxel) {
    voxel = defaultVoxel;
    kind.length("--edge", edge, "mean edge of the triangles (default " + defaultEdge + ")",
                For::Surface);
    kind.count("--triangles", triangles, 1, 1'000'000'000,
               "approximate number of triangles, instead of --edge", For::Surface);
    kind.count("--nodes", nodes, 1, 1'000'000'000'000,
               "print the spacing for about that many fluid nodes", For::Surface);
    kind.length("--voxel", voxel, "voxel of the scan", For::Image);
  }
  [[nodiscard]] double edgeFor(const Vessel& vessel, double fallback) const {
    if (triangles > 0 && edge > 0.0)
      stage::fail(stage::ExitCode::Usage, "--edge and --triangles exclude each other: use one.");
    if (triangles > 0) return vesselEdge(vessel, triangles);
    return edge > 0.0 ? edge : fallback;
  }
};

int finish(KindLine& kind, const std::string& name, const stage::CommonOptions& common,
           const Vessel& vessel, const MeshOptions& mesh, double defaultEdge) {
  if (!kind.wantsSurface(common)) return deliver(common, name, scanOf(vessel, mesh.voxel));
  return deliver(common, name, meshVessel(vessel, mesh.edgeFor(vessel, defaultEdge)),
                 {.options = "--longest 200", .facts = {}, .nodes = mesh.nodes});
}
}  // namespace

int makeAneurysm(int argc, const char* const* argv) {
  AneurysmShape shape;
  MeshOptions mesh;
  KindLine kind("aneurysm",
                "A cerebral bifurcation with a saccular aneurysm, open at three ends: a surface "
                "(.stl), or a scan with the lumen as label 1 (.mha).",
                ".stl", ".mha");
  kind.length("--parent-diameter", shape.parentDiameter, "of the parent vessel");
  kind.length("--branch1-diameter", shape.branchDiameter[0], "of the first branch");
  kind.length("--branch2-diameter", shape.branchDiameter[1], "of the second branch");
  kind.length("--parent-length", shape.parentLength, "along the centreline");
  kind.length("--branch1-length", shape.branchLength[0], "along the centreline");
  kind.length("--branch2-length", shape.branchLength[1], "along the centreline");
  kind.degrees("--branch1-angle", shape.branchAngle[0], 20.0, 120.0,
               "from the parent's direction, degrees");
  kind.degrees("--branch2-angle", shape.branchAngle[1], 20.0, 120.0,
               "from the parent's direction, degrees");
  kind.length("--sac-diameter", shape.sacDiameter, "of the aneurysm");
  kind.length("--sac-height", shape.sacHeight, "from neck to dome");
  kind.length("--neck-diameter", shape.neckDiameter, "where sac and vessel meet");
  kind.lengthOrZero("--bleb-diameter", shape.blebDiameter, "of the daughter sac, 0 for none");
  mesh.declare(kind, "70 um", 0.2e-3);
  kind.example("tessera-sample aneurysm --nodes 400000 -o aneurysm.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  return finish(kind, "aneurysm", *common, aneurysmVessel(shape), mesh, 70e-6);
}

int makeAorta(int argc, const char* const* argv) {
  AortaShape shape;
  MeshOptions mesh;
  double percent = 100.0 * shape.coarctation;
  KindLine kind("aorta",
                "A thoracic aorta with the three branches of its arch and a coarctation behind "
                "them, open at five ends: a surface (.stl), or a scan with the lumen as label 1 "
                "(.mha).",
                ".stl", ".mha");
  kind.number("--coarctation", percent, 0.0, 95.0, "closed part of the area, per cent; 0 for none");
  kind.length("--coarctation-length", shape.coarctationLength, "along the centreline");
  kind.length("--ascending-diameter", shape.ascendingDiameter, "at the heart");
  kind.length("--descending-diameter", shape.descendingDiameter, "behind the arch");
  kind.length("--ascending-length", shape.ascendingLength, "up to the arch");
  kind.length("--descending-length", shape.descendingLength, "from the end of the arch");
  kind.length("--arch-radius", shape.archRadius, "of the arch's centreline");
  kind.length("--brachiocephalic-diameter", shape.branchDiameter[0], "of the first branch");
  kind.length("--carotid-diameter", shape.branchDiameter[1], "of the left common carotid artery");
  kind.length("--subclavian-diameter", shape.branchDiameter[2], "of the left subclavian artery");
  kind.length("--branch-length", shape.branchLength, "of the three, beyond the wall of the arch");
  mesh.declare(kind, "0.9 mm", 1e-3);
  kind.example("tessera-sample aorta --coarctation 65 -o aorta.stl");
  kind.example("tessera-sample aorta --voxel \"0.8 mm\" -o scan.mha");
  kind.example("tessera-sample aorta --coarctation 0 --nodes 1000000 -o healthy.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  shape.coarctation = percent / 100.0;
  return finish(kind, "aorta", *common, aortaVessel(shape), mesh, 0.9e-3);
}

namespace {
const Notes surfaceNotes{.options = "--longest 200", .facts = {}};

// Number of sides of a round cross-section's polygon; the solids check the upper limit.
struct Segments {
  std::int64_t count = 96;

  void declare(KindLine& kind, For use = For::Any) {
    kind.count("--segments", count, 3, 100'000, "sides of the polygon", use);
  }
  [[nodiscard]] int asInt() const { return static_cast<int>(count); }
};
}  // namespace

int makeTube(int argc, const char* const* argv) {
  TubeShape shape;
  Segments segments;
  KindLine kind("tube", "A straight round tube from the origin; its polygon has the circle's area.",
                ".stl", "");
  kind.length("--diameter", shape.diameter, "of the circle");
  kind.length("--length", shape.length, "of the axis");
  kind.vector("--direction", shape.direction, "X,Y,Z, of any length");
  segments.declare(kind);
  kind.flag("--closed", shape.closed, "with flat caps; open otherwise");
  kind.example("tessera-sample tube --diameter \"4 mm\" --direction 1,2,3 -o tube.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  shape.segments = segments.asInt();
  return deliver(*common, "tube", sampleTube(shape), surfaceNotes);
}

int makeBentTube(int argc, const char* const* argv) {
  BentTubeShape shape;
  Segments segments;
  KindLine kind("bent-tube",
                "A round tube from the origin along x, with a circular bend towards y and a "
                "straight end.",
                ".stl", "");
  kind.length("--diameter", shape.diameter, "of the circle");
  kind.length("--bend-radius", shape.bendRadius, "of the axis");
  kind.degrees("--angle", shape.angle, 1.0, 180.0, "of the bend, degrees");
  kind.length("--inlet-length", shape.inletLength, "straight, before the bend");
  kind.length("--outlet-length", shape.outletLength, "straight, behind the bend");
  segments.declare(kind);
  kind.flag("--closed", shape.closed, "with flat caps; open otherwise");
  kind.example("tessera-sample bent-tube --angle 90 --bend-radius \"12 mm\" -o bend.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  shape.segments = segments.asInt();
  return deliver(*common, "bent-tube", sampleBentTube(shape), surfaceNotes);
}

int makeChannel(int argc, const char* const* argv) {
  ChannelShape shape;
  KindLine kind("channel", "A straight rectangular duct from the origin, centred on its axis.",
                ".stl", "");
  kind.length("--width", shape.width, "along y where the direction is x");
  kind.length("--height", shape.height, "along z where the direction is x");
  kind.length("--length", shape.length, "of the axis");
  kind.vector("--direction", shape.direction, "X,Y,Z, of any length");
  kind.flag("--closed", shape.closed, "with flat caps; open otherwise");
  kind.example("tessera-sample channel --width \"2 mm\" --height \"2 mm\" -o channel.stl");
  kind.example("tessera-sample channel --direction 1,2,3 -o slanted.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  return deliver(*common, "channel", sampleChannel(shape), surfaceNotes);
}

int makeExpansion(int argc, const char* const* argv) {
  ExpansionShape shape;
  ExpansionPicture picture;
  Segments segments;
  double ratio = 0.0;
  std::int64_t step = picture.step;
  KindLine kind(
      "expansion",
      "A sudden expansion: two coaxial tubes (.stl), or a plane channel between solid rows (.pgm).",
      ".stl", ".pgm");
  kind.number("--ratio", ratio, 1.0, 100.0,
              "ratio of the diameters (default 2) or of the open heights (default 3)");
  kind.length("--diameter", shape.diameter, "of the narrow tube", For::Surface);
  kind.length("--inlet-length", shape.inletLength, "of the narrow tube", For::Surface);
  kind.length("--outlet-length", shape.outletLength, "of the wide tube", For::Surface);
  kind.vector("--direction", shape.direction, "X,Y,Z, of any length", For::Surface);
  segments.declare(kind, For::Surface);
  kind.flag("--closed", shape.closed, "with flat caps; open otherwise", For::Surface);
  kind.size("--size", picture.size, 2, "NX,NY pixels, including the two solid rows", For::Image);
  kind.count("--step", step, 1, 100'000, "first column of the wide part", For::Image);
  kind.flag("--one-sided", picture.oneSided, "a backward-facing step; symmetric otherwise",
            For::Image);
  kind.example("tessera-sample expansion --diameter \"4 mm\" --ratio 2 -o expansion.stl");
  kind.example("tessera-sample expansion --size 600,62 --step 120 --ratio 3 -o expansion.pgm");
  kind.example("tessera-sample expansion --size 800,66 --ratio 2 --one-sided -o step.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  if (kind.wantsSurface(*common)) {
    shape.segments = segments.asInt();
    if (ratio > 0.0) shape.ratio = ratio;
    return deliver(*common, "expansion", sampleExpansion(shape), surfaceNotes);
  }
  if (ratio > 0.0) picture.ratio = ratio;
  picture.step = static_cast<int>(step);
  return deliver(*common, "expansion", sampleExpansionImage(picture), ".pgm",
                 {.options = "--faces x-,x+", .facts = {}});
}

int makeBox(int argc, const char* const* argv) {
  Double3 size{10e-3, 10e-3, 10e-3};
  Int3 voxels{64, 64, 64};
  KindLine kind("box", "A closed box: a surface (.stl), or an image of pores only (.raw).", ".stl",
                ".raw");
  kind.length("--x", size[0], "of the surface", For::Surface);
  kind.length("--y", size[1], "of the surface", For::Surface);
  kind.length("--z", size[2], "of the surface", For::Surface);
  kind.size("--size", voxels, 3, "NX,NY,NZ voxels of the image", For::Image);
  kind.example("tessera-sample box --size 256,256,256 -o box.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  if (kind.wantsSurface(*common)) return deliver(*common, "box", sampleBox(size), surfaceNotes);
  return deliver(*common, "box", sampleBoxImage(voxels), ".raw",
                 {.options = "--periodic xyz", .facts = {}});
}

int makeChannelImage(int argc, const char* const* argv) {
  Int3 size{64, 34, 1};
  KindLine kind("channel2d", "A 2D image of a plane channel along x between two solid rows.", "",
                ".pgm");
  kind.size("--size", size, 2, "NX,NY pixels, including the two rows");
  kind.example("tessera-sample channel2d --size 64,34 -o channel.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  return deliver(*common, "channel2d", sampleChannelImage(size[0], size[1]), ".pgm",
                 {.options = "--periodic x", .facts = {}});
}

int makeBoxImage(int argc, const char* const* argv) {
  Int3 size{64, 64, 1};
  KindLine kind("box2d", "A 2D image of pores only, so that its sides are the walls.", "", ".pgm");
  kind.size("--size", size, 2, "NX,NY pixels");
  kind.example("tessera-sample box2d --size 64,64 -o cavity.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  return deliver(*common, "box2d", sampleBoxImage(size), ".pgm",
                 {.options = "--wall y+=lid", .facts = {}});
}

int makeNetworkImage(int argc, const char* const* argv) {
  NetworkShape shape;
  std::int64_t cell = shape.cell;
  std::int64_t seed = 1;
  KindLine kind("network2d",
                "A 2D image of channels between the nodes of a square lattice, all connected to "
                "the left side, "
                "which is connected to the right one.",
                "", ".pgm");
  kind.size("--cells", shape.cells, 2, "NX,NY nodes of the lattice");
  kind.count("--cell", cell, 6, 10'000, "pixels between nodes");
  kind.number("--width", shape.width, 2.0, 6000.0, "of the channels, pixels");
  kind.number("--spread", shape.spread, 0.0, 1.0,
              "of the widths: standard deviation over mean, log-normal (default 0: equal)");
  kind.number("--jitter", shape.jitter, 0.0, 0.3,
              "displacement of the nodes on each axis, in cells (default 0: a regular lattice)");
  kind.number("--keep", shape.keep, 0.0, 1.0,
              "part of the channels, chosen at random; more if needed to connect left and right");
  kind.count("--seed", seed, 0, INT64_MAX, "of the random numbers");
  kind.example("tessera-sample network2d --cells 12,8 -o regular.pgm");
  kind.example(
      "tessera-sample network2d --keep 0.7 --jitter 0.2 --spread 0.3 --seed 4 -o chip.pgm");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  kind.wantsSurface(*common);
  shape.cell = static_cast<int>(cell);
  shape.seed = static_cast<std::uint64_t>(seed);
  const Network network = sampleNetwork(shape);
  return deliver(*common, "network2d", network.image, ".pgm",
                 {.options = "--faces x-,x+", .facts = {{"channels_kept", network.kept}}});
}

}  // namespace tessera::preprocess::sample
