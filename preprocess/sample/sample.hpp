// SPDX-License-Identifier: GPL-3.0-or-later
// Sample geometry: the demo vessel, tubes, channels, boxes, random spheres. The same shape gives
// the same bytes on any machine of the same build and any number of threads.
// Meshes are in metres, counter-clockwise from outside. Shapes that cannot be made throw
// StageError(Usage) with a sentence that names the option.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/sample/cut_end.hpp"
#include "preprocess/sample/implicit.hpp"

namespace tessera {

// --- surfaces ---------------------------------------------------------------------------------

// The bifurcation of the middle cerebral artery (M1 into two M2 branches) with a saccular aneurysm
// on its apex. The bifurcation is at the origin and flow arrives along +x; the surface is open at
// its three ends, each an exact circle normal to the vessel, cut at the given centreline length.
// Diameters: M1 3.1 +- 0.4 mm, M2 2.4 +- 0.4 mm (Rai et al., J NeuroIntervent Surg 5:371, 2013);
// the branches satisfy Murray's law, parent^3 = sum of branch^3 (PNAS 12:207, 1926).
// Sac: 7 mm is where the risk of rupture rises (ISUIA, Wiebers et al., Lancet 362:103, 2003), and a
// height of about twice the neck is typical of ruptured ones (aspect ratio above 1.6: Ujiie et al.,
// Neurosurgery 48:495, 2001).
struct AneurysmShape {
  double parentDiameter = 3.1e-3;
  std::array<double, 2> branchDiameter{2.6e-3, 2.3e-3};
  double parentLength = 13e-3;
  std::array<double, 2> branchLength{13e-3, 12e-3};
  std::array<double, 2> branchAngle{1.15, 1.31};  // rad, from the parent's direction
  double sacDiameter = 6.6e-3;
  double sacHeight = 7.2e-3;  // from neck to dome
  double neckDiameter = 3.6e-3;
  double blebDiameter = 2.4e-3;  // daughter sac on the dome; 0: none
};
// The vessel as an implicit surface, with its three ends: parent, branch 1, branch 2.
struct Vessel {
  DistanceField field;
  std::vector<TubeEnd> ends;
  Double3 low{};  // box that holds the uncut surface
  Double3 high{};
};
Vessel aneurysmVessel(const AneurysmShape& shape);
// edge: mean length of the triangles' edges, m.
TriangleMesh sampleAneurysm(const AneurysmShape& shape, double edge);
// The edge that gives about so many triangles (within 2 %).
double aneurysmEdge(const AneurysmShape& shape, std::int64_t triangles);
constexpr std::int64_t maxTriangles = 20'000'000;

// A straight tube from the origin. Its cross-section is a regular polygon with the area of the
// circle, so volume and flow rate are those of the round tube.
struct TubeShape {
  double diameter = 4e-3;
  double length = 16e-3;
  Double3 direction{1.0, 0.0, 0.0};
  int segments = 96;    // of the polygon
  bool closed = false;  // with flat caps
};
TriangleMesh sampleTube(const TubeShape& shape);

// A straight rectangular duct from the origin, centred on its axis; width lies along y and height
// along z when the direction is x.
struct ChannelShape {
  double width = 4e-3;
  double height = 4e-3;
  double length = 16e-3;
  Double3 direction{1.0, 0.0, 0.0};
  bool closed = false;
};
TriangleMesh sampleChannel(const ChannelShape& shape);

// A closed box with one corner at the origin.
TriangleMesh sampleBox(const Double3& size);

// --- images -----------------------------------------------------------------------------------

constexpr std::uint8_t poreValue = 0;
constexpr std::uint8_t solidValue = 1;

// One value a voxel, x fastest, then y, then z. A picture has size[2] = 1.
struct SampleImage {
  Int3 size{};
  std::vector<std::uint8_t> value;

  [[nodiscard]] double porosity() const;
};

// Overlapping spheres (Boolean model: centres independent and uniform), placed one after the other
// until the porosity is met; the last one placed brings it to or below the target.
struct SpheresShape {
  Int3 size{128, 128, 128};  // voxels
  double diameter = 24.0;    // voxels
  double porosity = 0.4;
  std::uint64_t seed = 1;
  bool periodic = true;
};
SampleImage sampleSpheres(const SpheresShape& shape);

// All pore.
SampleImage sampleBoxImage(const Int3& size);
// A plane channel along x: pore between two solid rows, y = 0 and y = size[1] - 1.
SampleImage sampleChannelImage(int length, int height);

}  // namespace tessera
