// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample tube, bent-tube, channel, expansion and box.
#include "preprocess/sample/deliver.hpp"
#include "preprocess/sample/image.hpp"
#include "preprocess/sample/kinds.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/solids.hpp"

namespace tessera::preprocess::sample {

namespace {
const Told surfaceTold{.options = "--longest 200", .facts = {}};

// Sides of a round cross-section's polygon; the solid itself says what is too many.
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
  return deliver(*common, "tube", sampleTube(shape), surfaceTold);
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
  return deliver(*common, "bent-tube", sampleBentTube(shape), surfaceTold);
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
  return deliver(*common, "channel", sampleChannel(shape), surfaceTold);
}

int makeExpansion(int argc, const char* const* argv) {
  ExpansionShape shape;
  ExpansionPicture picture;
  Segments segments;
  double ratio = 0.0;
  std::int64_t step = picture.step;
  KindLine kind("expansion",
                "A sudden expansion: two coaxial tubes (.stl), or a plane channel between solid "
                "rows (.pgm).",
                ".stl", ".pgm");
  kind.number("--ratio", ratio, 1.0, 100.0,
              "wide to narrow, of the diameters (default 2) or the open heights (default 3)");
  kind.length("--diameter", shape.diameter, "of the narrow tube", For::Surface);
  kind.length("--inlet-length", shape.inletLength, "of the narrow tube", For::Surface);
  kind.length("--outlet-length", shape.outletLength, "of the wide tube", For::Surface);
  kind.vector("--direction", shape.direction, "X,Y,Z, of any length", For::Surface);
  segments.declare(kind, For::Surface);
  kind.flag("--closed", shape.closed, "with flat caps; open otherwise", For::Surface);
  kind.size("--size", picture.size, 2, "NX,NY pixels, the two solid rows counted", For::Image);
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
    return deliver(*common, "expansion", sampleExpansion(shape), surfaceTold);
  }
  if (ratio > 0.0) picture.ratio = ratio;
  picture.step = static_cast<int>(step);
  return deliver(*common, "expansion", sampleExpansionImage(picture), ".pgm",
                 {.options = "--faces x-,x+", .facts = {}});
}

int makeBox(int argc, const char* const* argv) {
  Double3 size{10e-3, 10e-3, 10e-3};
  Int3 voxels{64, 64, 64};
  KindLine kind("box", "A closed box: a surface (.stl), or an image that is all pore (.raw).",
                ".stl", ".raw");
  kind.length("--x", size[0], "of the surface", For::Surface);
  kind.length("--y", size[1], "of the surface", For::Surface);
  kind.length("--z", size[2], "of the surface", For::Surface);
  kind.size("--size", voxels, 3, "NX,NY,NZ voxels of the image", For::Image);
  kind.example("tessera-sample box --size 256,256,256 -o box.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  if (kind.wantsSurface(*common)) return deliver(*common, "box", sampleBox(size), surfaceTold);
  return deliver(*common, "box", sampleBoxImage(voxels), ".raw",
                 {.options = "--periodic xyz", .facts = {}});
}

}  // namespace tessera::preprocess::sample
