// SPDX-License-Identifier: GPL-3.0-or-later
// Packs of spheres, random, regular or from a file, as images and as surfaces of the pore space.
// Fluid is what lies outside the spheres. Lengths in voxels: voxel i has its centre at i, so the
// box reaches from -0.5 to size - 0.5. Packs that cannot be made throw StageError(Usage) with a
// sentence that names the option.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/sample/image.hpp"

namespace tessera::preprocess::sample {

struct Sphere {
  Double3 centre{};
  double radius = 0.0;
};

struct SpherePack {
  Int3 size{};
  bool periodic = true;  // spheres go on across the sides; else the box cuts them off
  std::vector<Sphere> sphere;
};

// --- random packs -------------------------------------------------------------------------------

// Spheres of one diameter with independent, uniform centres, placed one after the other until the
// porosity of the voxels is met; the last one placed brings it to or below the target.
// Overlapping: a Boolean model. Apart: random sequential addition, which drops what would overlap
// and jams at a solid fraction of about 0.38 (Cooper, Phys Rev A 38:522, 1988).
struct SpheresShape {
  Int3 size{128, 128, 128};
  double diameter = 24.0;
  double porosity = 0.4;
  std::uint64_t seed = 1;
  bool periodic = true;
  bool apart = false;
};
constexpr double lowestPorosityApart = 0.62;
// In the order placed.
SpherePack randomSpheres(const SpheresShape& shape);

// --- dense packs --------------------------------------------------------------------------------

// Spheres of one diameter as in a settled bed: placed at random, then moved apart together until
// they overlap by less than a hundredth of their diameter in the mean, and made a little larger or
// smaller for the porosity of the voxels (Jodrey and Tory, Phys Rev A 32:2347, 1985, shrink them
// instead). Porosities from 0.34; the densest that is random has 0.36.
// The defaults are those of the particle bed of Suffa et al. (arXiv 2408.06880, 2024): a cube of
// 0.1 m, spheres of 0.0041 m, porosity 0.356663.
struct BedShape {
  Int3 size{256, 256, 256};
  double diameter = 10.496;
  double porosity = 0.356663;
  std::uint64_t seed = 1;
};
// Periodic on all axes.
SpherePack sphereBed(const BedShape& shape);
// The same cut off at its floor, z = -0.5, with so many voxels of free flow above; spheres reach
// out of the bed by up to a radius. Goes on across the sides on x and y.
SpherePack riverBed(const BedShape& shape, int freeAbove);

// --- lattices -----------------------------------------------------------------------------------

enum class LatticeCell { Simple, BodyCentred, FaceCentred };

// Solid fraction of a periodic lattice by radius / cell side, and back; spheres may overlap until
// three of them meet, which is where the pores of the simple and the face-centred lattice close.
double latticeSolid(LatticeCell cell, double radius);
double latticeRadius(LatticeCell cell, double solid);
double latticeLargestRadius(LatticeCell cell);
// Spheres per cell, and the radius at which they touch.
int latticeSpheres(LatticeCell cell);
double latticeTouchingRadius(LatticeCell cell);

struct LatticeShape {
  LatticeCell cell = LatticeCell::Simple;
  Int3 cells{1, 1, 1};
  int nodes = 32;       // voxels along a cell
  double radius = 0.0;  // of the cell's side
};
// Periodic. The simple cell has its sphere in the middle, the others begin at a quarter.
SpherePack latticeSpherePack(const LatticeShape& shape);

// --- packs from files ---------------------------------------------------------------------------

// Text with one sphere a line, "x y z r", in a box from the origin to box; what comes before the
// first line of numbers is a title, and # begins a remark. The box becomes size voxels, which must
// be cubes within 1e-6. Throws StageError(BadInput) that names the line.
SpherePack readSpheres(const std::filesystem::path& path, const Double3& box, const Int3& size,
                       bool periodic);

// --- ends ---------------------------------------------------------------------------------------

// The pack with so many voxels of fluid before and behind it on x, into which its spheres reach
// whole: the sides x- and x+ are free, each one opening, and no sphere goes on across them.
SpherePack withFreeEnds(SpherePack pack, int voxels);

// --- what becomes of a pack ---------------------------------------------------------------------

// Voxels whose centre lies within a sphere are solid.
SampleImage imageOf(const SpherePack& pack);

// The closed surface of the pores within the box, in metres, with the box's corner at the origin
// and flat faces on its sides. edge: side of the mesh's grid cells, voxels; voxel: m.
geometry::TriangleMesh poreSurface(const SpherePack& pack, double edge, double voxel);

}  // namespace tessera::preprocess::sample
