// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample spherebed and riverbed: the pores of a dense bed of spheres as voxels.
#include "pipelines/stage/error.hpp"
#include "preprocess/sample/deliver.hpp"
#include "preprocess/sample/kinds.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

namespace {

// Diameter over the side of the bed of Suffa et al.
constexpr double usualDiameter = 0.041;

// What both kinds have; the diameter follows the size unless it is given.
void addBedOptions(KindLine& kind, BedShape& shape, std::int64_t& seed) {
  shape.diameter = 0.0;
  kind.number("--diameter", shape.diameter, 4.0, 1e5,
              "of a sphere, voxels (default 0.041 of the side on x)");
  kind.number("--porosity", shape.porosity, 0.34, 0.6, "of the bed's voxels");
  kind.count("--seed", seed, 0, INT64_MAX, "of the random numbers");
}

void finish(const KindLine& kind, BedShape& shape, std::int64_t seed) {
  shape.seed = static_cast<std::uint64_t>(seed);
  if (!kind.given("--diameter")) shape.diameter = usualDiameter * shape.size[0];
}

int deliverBed(const stage::CommonOptions& common, const std::string& kind, const SpherePack& pack,
               const std::string& options) {
  return deliver(common, kind, imageOf(pack), ".raw",
                 {.options = options,
                  .facts = {{"spheres", static_cast<double>(pack.sphere.size())},
                            {"diameter_voxels", 2.0 * pack.sphere.front().radius}}});
}

}  // namespace

int makeSphereBed(int argc, const char* const* argv) {
  BedShape shape;
  std::int64_t seed = 1;
  KindLine kind("spherebed",
                "A dense random bed of equal spheres, periodic: the space between them is fluid. 0 "
                "is pore and 1 is solid.",
                "", ".raw");
  kind.size("--size", shape.size, 3, "NX,NY,NZ voxels of the box");
  addBedOptions(kind, shape, seed);
  kind.example("tessera-sample spherebed --size 256,256,256 -o bed.raw");
  kind.example("tessera-sample spherebed --size 128,128,128 --diameter 16 -o coarse.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  finish(kind, shape, seed);
  return deliverBed(*common, "spherebed", sphereBed(shape), "--periodic xyz");
}

int makeRiverBed(int argc, const char* const* argv) {
  BedShape shape;
  std::int64_t seed = 1;
  double part = 0.5;
  KindLine kind(
      "riverbed",
      "A dense random bed of equal spheres on a floor with free flow above, periodic on x "
      "and y: the space between the spheres is fluid. 0 is pore and 1 is solid.",
      "", ".raw");
  kind.size("--size", shape.size, 3, "NX,NY,NZ voxels of the box, z upwards");
  kind.number("--bed", part, 0.05, 0.95, "part of the height that is bed");
  addBedOptions(kind, shape, seed);
  kind.example("tessera-sample riverbed --size 256,256,256 -o river.raw");
  kind.example("tessera-sample riverbed --size 400,200,200 --diameter 12 --bed 0.3 -o river.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  finish(kind, shape, seed);
  const int height = shape.size[2];
  shape.size[2] = static_cast<int>(part * height);
  return deliverBed(*common, "riverbed", riverBed(shape, height - shape.size[2]), "--periodic xy");
}

}  // namespace tessera::preprocess::sample
