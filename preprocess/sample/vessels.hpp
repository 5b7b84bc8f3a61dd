// SPDX-License-Identifier: GPL-3.0-or-later
// Vessels as implicit surfaces: a cerebral bifurcation with an aneurysm, a thoracic aorta with a
// coarctation. Open at their ends, each an exact circle normal to the vessel, cut at the given
// centreline length. Meshes are in metres, counter-clockwise from outside; the same shape gives the
// same bytes on any number of threads. Shapes that cannot be made throw StageError(Usage) with a
// sentence that names the option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/sample/cut_end.hpp"
#include "preprocess/sample/implicit.hpp"

namespace tessera::preprocess::sample {

struct Vessel {
  geometry::DistanceField field;
  std::vector<TubeEnd> ends;
  Double3 low{};  // box that holds the uncut surface
  Double3 high{};
};

// edge: mean length of the triangles' edges, m.
geometry::TriangleMesh meshVessel(const Vessel& vessel, double edge);
// The edge that gives about so many triangles (within 3 %).
double vesselEdge(const Vessel& vessel, std::int64_t triangles);
constexpr std::int64_t maxTriangles = 20'000'000;

// Tubes go on beyond their ends by this many radii, for the cut.
constexpr double tubeStub = 0.5;
// The end of a tube that goes on beyond it. Throws when the vessel is no plain cylinder there, or
// when another part of it lies in the way of the cut; option: what sets the end's place.
TubeEnd roundEnd(const geometry::DistanceField& field, const Tube& tube, const std::string& option);

// --- aneurysm -----------------------------------------------------------------------------------

// The bifurcation of the middle cerebral artery (M1 into two M2 branches) with a saccular aneurysm
// on its apex. The bifurcation is at the origin and flow arrives along +x; three ends.
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
// Ends: parent, branch 1, branch 2.
Vessel aneurysmVessel(const AneurysmShape& shape);
geometry::TriangleMesh sampleAneurysm(const AneurysmShape& shape, double edge);
double aneurysmEdge(const AneurysmShape& shape, std::int64_t triangles);

// --- aorta --------------------------------------------------------------------------------------

// The thoracic aorta of an adult from the sinotubular junction at the origin to the diaphragm, with
// the three branches of its arch and a coarctation of the isthmus. +z is up, +x to the patient's
// left, +y to the back: upwards, over the arch to the left and back, and down.
// Diameters of the aorta: ascending 30.9 +- 4.1 mm, isthmus 24.7 +- 4.0 mm, at the diaphragm
// 24.3 +- 3.5 mm (70 adults; Hager et al., J Thorac Cardiovasc Surg 123:1060, 2002). Branches at
// their origins: 12.5 +- 2.0, 8.3 +- 1.5 and 10.4 +- 2.2 mm, with 4.4 and 6.4 mm of wall between
// them (217 CT angiographies; Yan Yu et al., morphology of the aortic arch for endovascular repair,
// 2017). Arch 74 +- 15 mm above the bifurcation of the pulmonary artery in men, 65 +- 12 mm in
// women (700 adults; Wan et al., Ann Vasc Surg 2022, doi 10.1016/j.avsg.2022.07.005). A coarctation
// of 65 % of the area is that of the CFD challenge of STACOM 2012 (Springer LNCS 7746).
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
// The narrowest cross-section: middle of its circle, unit normal along the flow, radius.
TubeEnd aortaThroat(const AortaShape& shape);

}  // namespace tessera::preprocess::sample
