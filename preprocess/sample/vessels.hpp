// SPDX-License-Identifier: GPL-3.0-or-later
// Sample vessels as implicit surfaces: a cerebral bifurcation with an aneurysm, a thoracic aorta
// with a coarctation. Their open ends are exact circles normal to the vessel, cut at the given
// centreline length. Meshes are in metres, counter-clockwise from outside, independent of the
// number of threads. Impossible shapes throw StageError(Usage) naming the option.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "preprocess/mesher/isosurface.hpp"
#include "preprocess/sample/implicit.hpp"

namespace tessera::preprocess::sample {

// Open ends of sample vessels: exact circles normal to the centreline. Lengths in metres.

// End of a tube: the part beyond the plane within reach of the centre is cut off. Nearby the
// surface must be the circular cylinder about (centre, normal).
struct TubeEnd {
  Double3 centre{};
  Double3 normal{};  // unit, out of the vessel
  double radius = 0.0;
  double reach = 0.0;
};

// Cuts the mesh open; the rim's vertices lie on the circle. cell: grid cell of the mesh.
void cutEnd(geometry::TriangleMesh& mesh, const TubeEnd& end, double cell);

// Keeps rim vertices on their nearest circle; stores a reference to the ends.
mesher::RimPosition alongCircles(std::span<const TubeEnd> ends);

struct Vessel {
  geometry::DistanceField field;
  std::vector<TubeEnd> ends;
  Double3 low{};  // bounding box of the uncut surface
  Double3 high{};
};

// edge: mean length of the triangles' edges, m.
geometry::TriangleMesh meshVessel(const Vessel& vessel, double edge);
// Edge for about that many triangles (within 3 %).
double vesselEdge(const Vessel& vessel, std::int64_t triangles);
constexpr std::int64_t maxTriangles = 20'000'000;

// Tubes extend beyond their ends by this many radii, for the cut.
constexpr double tubeStub = 0.5;
// End of a tube that extends beyond it. Throws when the vessel is not a plain cylinder there, or
// when another part of it is in the way of the cut; option: sets the end's position.
TubeEnd roundEnd(const geometry::DistanceField& field, const Tube& tube, const std::string& option);

// --- aneurysm -----------------------------------------------------------------------------------

// Bifurcation of the middle cerebral artery (M1 into two M2 branches) with a saccular aneurysm on
// its apex. The bifurcation is at the origin and the inflow along +x; three ends. Diameters: M1 3.1
// +- 0.4 mm, M2 2.4 +- 0.4 mm (Rai et al., J NeuroIntervent Surg 5:371, 2013); the branches satisfy
// Murray's law, parent^3 = sum of branch^3 (PNAS 12:207, 1926). Sac: the risk of rupture rises from
// 7 mm (ISUIA, Wiebers et al., Lancet 362:103, 2003); a height of twice the neck is typical of
// ruptured ones (aspect ratio above 1.6: Ujiie et al., Neurosurgery 48:495, 2001).
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
// Ends: parent, branch 1, branch 2.
Vessel aneurysmVessel(const AneurysmShape& shape);
geometry::TriangleMesh sampleAneurysm(const AneurysmShape& shape, double edge);
double aneurysmEdge(const AneurysmShape& shape, std::int64_t triangles);

// --- aorta --------------------------------------------------------------------------------------

// Thoracic aorta of an adult from the sinotubular junction at the origin to the diaphragm, with the
// three branches of its arch and a coarctation of the isthmus. +z is up, +x to the patient's left,
// +y to the back. Diameters of the aorta: ascending 30.9 +- 4.1 mm, isthmus 24.7 +- 4.0 mm, at the
// diaphragm 24.3 +- 3.5 mm (70 adults; Hager et al., J Thorac Cardiovasc Surg 123:1060, 2002).
// Branches at their origins: 12.5 +- 2.0, 8.3 +- 1.5 and 10.4 +- 2.2 mm, with 4.4 and 6.4 mm of
// wall between them (217 CT angiographies; Yan Yu et al., morphology of the aortic arch for
// endovascular repair, 2017). Arch 74 +- 15 mm above the bifurcation of the pulmonary artery in
// men, 65 +- 12 mm in women (700 adults; Wan et al., Ann Vasc Surg 2022, doi
// 10.1016/j.avsg.2022.07.005). A coarctation of 65 % of the area is that of the CFD challenge of
// STACOM 2012 (Springer LNCS 7746).
struct AortaShape {
  double ascendingDiameter = 30.9e-3;
  double descendingDiameter = 24.5e-3;  // from the end of the arch on
  double ascendingLength = 45e-3;       // to where the arch begins
  double descendingLength = 130e-3;     // from where the arch ends
  double archRadius = 36e-3;            // of the centreline
  double coarctation = 0.65;            // part of the area of the vessel that is closed; 0: none
  double coarctationLength = 25e-3;
  std::array<double, 3> branchDiameter{12.5e-3, 8.3e-3, 10.4e-3};  // in the order of the flow
  double branchLength = 40e-3;                                     // beyond the wall of the arch
};
// Ends: ascending, descending, brachiocephalic, left common carotid, left subclavian.
Vessel aortaVessel(const AortaShape& shape);
// Narrowest cross-section: centre of its circle, unit normal along the flow, radius.
TubeEnd aortaThroat(const AortaShape& shape);

}  // namespace tessera::preprocess::sample
