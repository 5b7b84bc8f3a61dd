// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample spheres and lattice: the pores between spheres, as voxels or as a surface.
#include <algorithm>
#include <array>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "preprocess/sample/deliver.hpp"
#include "preprocess/sample/kinds.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

namespace {
// Both ways out. edge: of the surface's grid, voxels; voxel: m. A surface cannot be periodic on
// all axes, since it then has no outside.
int deliverPack(const stage::CommonOptions& common, const std::string& kind, const SpherePack& pack,
                bool surface, double edge, double voxel, Told told) {
  if (!surface) return deliver(common, kind, imageOf(pack), ".raw", told);
  if (told.options == "--periodic xyz") told.options = "--periodic yz --faces x-,x+";
  std::array<char, 32> spacing{};  // in full: a periodic box is a whole number of spacings
  std::snprintf(spacing.data(), spacing.size(), "%.12g um", 1e6 * voxel);
  told.options = std::string("--spacing \"") + spacing.data() + "\" --keep all " + told.options;
  return deliver(common, kind, poreSurface(pack, edge, voxel), told);
}

// An edge of the smallest radius over parts, not far below a voxel; a sphere's volume is then wrong
// by about 0.5 / parts^2.
double usualEdge(const SpherePack& pack, double parts) {
  if (pack.sphere.empty()) return 1.0;
  double smallest = pack.sphere.front().radius;
  for (const Sphere& s : pack.sphere) smallest = std::min(smallest, s.radius);
  return std::max(0.25, smallest / parts);
}

// What describes a random pack makes no sense for one from a file.
void needNone(const KindLine& kind, const std::vector<std::string>& names, bool fromFile) {
  for (const std::string& name : names)
    if (kind.given(name))
      stage::fail(stage::ExitCode::Usage,
                  name + (fromFile ? " describes a random pack, but --centres FILE "
                                     "gives the spheres: leave it out."
                                   : " is for --centres FILE: leave it out."));
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
  kind.number("--porosity", shape.porosity, 0.02, 1.0, "of the voxels, to reach");
  kind.count("--seed", seed, 0, INT64_MAX, "of the random numbers");
  kind.flag("--no-overlap", shape.apart, "keep spheres apart (porosity 0.62 or more)");
  kind.flag("--bounded", bounded, "cut spheres off at the sides; periodic otherwise");
  kind.count("--free-ends", freeEnds, 1, 100'000,
             "voxels of fluid before and behind the pack on x, so that x- and x+ are one opening "
             "each");
  kind.text("--centres", centres, "FILE with a sphere a line, x y z r, instead of random ones");
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
    needNone(kind, {"--box"}, false);
  else
    needNone(kind, {"--diameter", "--porosity", "--seed", "--no-overlap"}, true);
  SpherePack pack = centres.empty() ? randomSpheres(shape)
                                    : readSpheres(centres, box, shape.size, shape.periodic);
  std::string options = bounded ? "--faces x-,x+" : "--periodic xyz";
  if (freeEnds > 0) {
    pack = withFreeEnds(std::move(pack), static_cast<int>(freeEnds));
    if (!bounded) options = "--periodic yz --faces x-,x+";
  }
  const auto count = static_cast<double>(pack.sphere.size());
  if (edge == 0.0) edge = usualEdge(pack, 8.0);
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
    stage::fail(stage::ExitCode::Usage, "--solid and --radius exclude each other: give one.");
  shape.cell = cell == "sc"    ? LatticeCell::Simple
               : cell == "bcc" ? LatticeCell::BodyCentred
                               : LatticeCell::FaceCentred;
  shape.nodes = static_cast<int>(nodes);
  shape.radius = kind.given("--radius")
                     ? radius
                     : latticeRadius(shape.cell, kind.given("--solid") ? solid : 0.216);
  const SpherePack pack = latticeSpherePack(shape);
  if (edge == 0.0) edge = usualEdge(pack, 24.0);
  const Told told{.options = "--periodic xyz",
                  .facts = {{"radius_over_side", shape.radius},
                            {"solid_fraction", latticeSolid(shape.cell, shape.radius)}}};
  return deliverPack(*common, "lattice", pack, surface, edge, side / shape.nodes, told);
}

}  // namespace tessera::preprocess::sample
