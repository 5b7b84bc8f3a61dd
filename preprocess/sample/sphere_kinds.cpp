// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample spheres, lattice, spherebed and riverbed: the pores between spheres, as voxels or
// as a surface.
#include <algorithm>
#include <array>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/sample/kinds.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/spheres.hpp"
#include "preprocess/sample/summary.hpp"

namespace tessera::preprocess::sample {

namespace {
// Writes a pack as image or surface. edge: of the surface's grid, voxels; voxel: m. A surface
// cannot be periodic on all axes, since it then has no outside.
int deliverPack(const stage::CommonOptions& common, const std::string& kind, const SpherePack& pack,
                bool surface, double edge, double voxel, Notes notes) {
  if (!surface) return deliver(common, kind, imageOf(pack), ".raw", notes);
  if (notes.options == "--periodic xyz") notes.options = "--periodic yz --faces x-,x+";
  notes.options = fmt::format("--spacing \"{:.12g} um\" --keep all {}", 1e6 * voxel, notes.options);
  return deliver(common, kind, poreSurface(pack, edge, voxel), notes);
}

// Default edge: the smallest radius over parts, at least 0.25 voxels; a sphere's volume then has an
// error of about 0.5 / parts^2.
double defaultEdge(const SpherePack& pack, double parts) {
  if (pack.sphere.empty()) return 1.0;
  double smallest = pack.sphere.front().radius;
  for (const Sphere& s : pack.sphere) smallest = std::min(smallest, s.radius);
  return std::max(0.25, smallest / parts);
}

// Refuses options that do not apply to packs from files, or to random ones.
void refuseOptions(const KindLine& kind, const std::vector<std::string>& names, bool fromFile) {
  for (const std::string& name : names)
    if (kind.given(name))
      stage::fail(
          stage::ExitCode::Usage,
          name +
              (fromFile
                   ? " describes a random pack, but the spheres come from --centres FILE: omit it."
                   : " requires --centres FILE: omit it."));
}
}  // namespace

int makeSpheres(int argc, const char* const* argv) {
  SpheresShape shape;
  std::int64_t seed = 1;
  bool bounded = false;
  std::int64_t freeEnds = 0;
  std::string centres;
  Double3 box{1.0, 1.0, 1.0};
  double edge = 0.0;
  double voxel = 10e-6;
  KindLine kind("spheres",
                "Spheres placed at random: the space between them is fluid. As an image, 0 is pore "
                "and 1 is solid (.raw); as the closed surface of the pores in the box (.stl).",
                ".stl", ".raw");
  kind.imageFirst();
  kind.size("--size", shape.size, 3, "NX,NY,NZ voxels of the box");
  kind.number("--diameter", shape.diameter, 2.0, 1e5, "of a sphere, voxels");
  kind.number("--porosity", shape.porosity, 0.02, 1.0, "of the voxels, target");
  kind.count("--seed", seed, 0, INT64_MAX, "of the random numbers");
  kind.flag("--no-overlap", shape.apart, "keep spheres apart (porosity 0.62 or more)");
  kind.flag("--bounded", bounded, "clip spheres at the sides; periodic otherwise");
  kind.count(
      "--free-ends", freeEnds, 1, 100'000,
      "voxels of fluid before and behind the pack on x, so that x- and x+ are single openings");
  kind.text("--centres", centres, "FILE with one sphere per line, x y z r, instead of random ones");
  kind.vector("--box", box, "X,Y,Z sides of the box in the file's unit");
  kind.length("--voxel", voxel, "size of a voxel of the surface", For::Surface);
  kind.number("--edge", edge, 0.1, 1e4,
              "of the surface's grid, voxels (default an eighth of the radius)", For::Surface);
  kind.example("tessera-sample spheres --size 200,200,200 --porosity 0.35 -o spheres.raw");
  kind.example("tessera-sample spheres --porosity 0.7 --no-overlap --free-ends 14 -o pores.stl");
  kind.example("tessera-sample spheres --centres pack125.out --size 128,128,128 -o pack.raw");
  kind.example("tessera-sample spheres --size 192,192,192 --diameter 40 --porosity 0.5 -o t6.raw");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  const bool surface = kind.wantsSurface(*common);
  shape.seed = static_cast<std::uint64_t>(seed);
  shape.periodic = !bounded;
  if (centres.empty())
    refuseOptions(kind, {"--box"}, false);
  else
    refuseOptions(kind, {"--diameter", "--porosity", "--seed", "--no-overlap"}, true);
  SpherePack pack = centres.empty() ? randomSpheres(shape)
                                    : readSpheres(centres, box, shape.size, shape.periodic);
  std::string options = bounded ? "--faces x-,x+" : "--periodic xyz";
  if (freeEnds > 0) {
    pack = withFreeEnds(std::move(pack), static_cast<int>(freeEnds));
    if (!bounded) options = "--periodic yz --faces x-,x+";
  }
  const auto count = static_cast<double>(pack.sphere.size());
  if (edge == 0.0) edge = defaultEdge(pack, 8.0);
  return deliverPack(*common, "spheres", pack, surface, edge, voxel,
                     {.options = options, .facts = {{"spheres", count}}});
}

int makeLattice(int argc, const char* const* argv) {
  std::string cell = "sc";
  LatticeShape shape;
  std::int64_t nodes = shape.nodes;
  double solid = 0.0;
  double radius = 0.0;
  double edge = 0.0;
  double side = 1e-3;
  KindLine kind(
      "lattice",
      "Spheres on a cubic lattice, periodic: the space between them is fluid. As an "
      "image, 0 is pore and 1 is solid (.raw); as the closed surface of the pores (.stl).",
      ".stl", ".raw");
  kind.imageFirst();
  kind.choice("--lattice", cell, {"sc", "bcc", "fcc"},
              "simple, body-centred or face-centred cubic (default sc)");
  kind.number("--solid", solid, 0.0, 1.0, "part of the volume that is solid (default 0.216)");
  kind.number("--radius", radius, 0.0, 1.0, "of a sphere over the cell's side, instead of --solid");
  kind.size("--cells", shape.cells, 3, "NX,NY,NZ cells");
  kind.count("--nodes", nodes, 4, 4096, "voxels along a cell");
  kind.length("--side", side, "of a cell of the surface", For::Surface);
  kind.number("--edge", edge, 0.1, 1e4,
              "of the surface's grid, voxels (default 1/24 of the radius)", For::Surface);
  kind.example("tessera-sample lattice --solid 0.216 --nodes 64 -o sc.raw");
  kind.example("tessera-sample lattice --lattice bcc --radius 0.4 --cells 2,1,1 -o bcc.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  const bool surface = kind.wantsSurface(*common);
  if (kind.given("--solid") && kind.given("--radius"))
    stage::fail(stage::ExitCode::Usage, "--solid and --radius exclude each other: use one.");
  shape.cell = cell == "sc"    ? LatticeCell::Simple
               : cell == "bcc" ? LatticeCell::BodyCentred
                               : LatticeCell::FaceCentred;
  shape.nodes = static_cast<int>(nodes);
  shape.radius = kind.given("--radius")
                     ? radius
                     : latticeRadius(shape.cell, kind.given("--solid") ? solid : 0.216);
  const SpherePack pack = latticeSpherePack(shape);
  if (edge == 0.0) edge = defaultEdge(pack, 24.0);
  const Notes notes{.options = "--periodic xyz",
                    .facts = {{"radius_over_side", shape.radius},
                              {"solid_fraction", latticeSolid(shape.cell, shape.radius)}}};
  return deliverPack(*common, "lattice", pack, surface, edge, side / shape.nodes, notes);
}

// tessera-sample spherebed and riverbed: the pores of a dense bed of spheres as voxels.

namespace {

// Diameter over the side of the bed of Suffa et al.
constexpr double usualDiameter = 0.041;

// Common options; the diameter follows the size unless given.
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
