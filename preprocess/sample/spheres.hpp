// SPDX-License-Identifier: GPL-3.0-or-later
// Packs of spheres, random, regular or from a file, as images and as surfaces of the pore space;
// fluid is outside of the spheres. Lengths in voxels: voxel i has its centre at i, so the box
// reaches from -0.5 to size - 0.5. Impossible packs throw StageError(Usage) naming the option.
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
  bool periodic = true;  // spheres wrap across the sides; else the box clips them
  std::vector<Sphere> sphere;
};

// --- random packs -------------------------------------------------------------------------------

// Spheres of one diameter with independent, uniform centres, added until the porosity of the voxels
// is reached; the last one brings it to or below the target. Overlapping: a Boolean model. Apart:
// random sequential addition, which rejects overlaps and jams at a solid fraction of about 0.38
// (Cooper, Phys Rev A 38:522, 1988).
struct SpheresShape {
  Int3 size{128, 128, 128};
  double diameter = 24.0;
  double porosity = 0.4;
  std::uint64_t seed = 1;
  bool periodic = true;
  bool apart = false;
};
constexpr double lowestPorosityApart = 0.62;
// In order of placement.
SpherePack randomSpheres(const SpheresShape& shape);

// --- dense packs --------------------------------------------------------------------------------

// Spheres of one diameter as in a settled bed: placed at random, then displaced collectively until
// their mean overlap is below 1 % of the diameter, with the radius adjusted to the porosity of the
// voxels (Jodrey and Tory, Phys Rev A 32:2347, 1985, shrink the spheres instead). Porosities from
// 0.34; random close packing has 0.36. Defaults: the particle bed of Suffa et al. (arXiv
// 2408.06880, 2024), a cube of 0.1 m, spheres of 0.0041 m, porosity 0.356663.
struct BedShape {
  Int3 size{256, 256, 256};
  double diameter = 10.496;
  double porosity = 0.356663;
  std::uint64_t seed = 1;
};
// Periodic on all axes.
SpherePack sphereBed(const BedShape& shape);
// The same clipped at its floor, z = -0.5, with freeAbove voxels of free flow above; spheres
// protrude by up to a radius. Periodic on x and y.
SpherePack riverBed(const BedShape& shape, int freeAbove);

// --- lattices -----------------------------------------------------------------------------------

enum class LatticeCell { Simple, BodyCentred, FaceCentred };

// Solid fraction of a periodic lattice by radius / cell side, and its inverse; spheres may overlap
// until three of them meet, where the pores of the simple and the face-centred lattice close.
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
// Periodic. The simple cell has its sphere in the centre, the others begin at a quarter.
SpherePack latticeSpherePack(const LatticeShape& shape);

// --- packs from files ---------------------------------------------------------------------------

// Text with one sphere per line, "x y z r", in a box from the origin to box; lines before the first
// numbers are a title, # begins a comment. The box becomes size voxels, which must be cubes within
// 1e-6. Throws StageError(BadInput) naming the line.
SpherePack readSpheres(const std::filesystem::path& path, const Double3& box, const Int3& size,
                       bool periodic);

// --- ends ---------------------------------------------------------------------------------------

// The pack with fluid layers of that many voxels before and behind it on x, into which its spheres
// protrude completely: the sides x- and x+ are single openings, and no sphere wraps across them.
SpherePack withFreeEnds(SpherePack pack, int voxels);

// --- images and surfaces of packs ----------------------------------------------------------------

// Voxels with centres within a sphere are solid.
SampleImage imageOf(const SpherePack& pack);

// Closed surface of the pores within the box, in metres, with the box's corner at the origin and
// flat sides. edge: side of the mesh's grid cells, voxels; voxel: m.
geometry::TriangleMesh poreSurface(const SpherePack& pack, double edge, double voxel);

// Makes the voxels with centres within the sphere solid; returns how many of them were pores.
std::size_t placeSphere(SampleImage& image, const Sphere& sphere, bool periodic);

}  // namespace tessera::preprocess::sample
