// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of a geometry that a case to start from depends on.
#pragma once

#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/resolving_spacing.hpp"

namespace tessera::preprocess::preview {

struct CaseGeometry {
  std::string file;  // base name
  int dimensions = 3;
  double spacing = 0.0;  // m
  Int3 nodes{};
  std::array<bool, 3> periodic{};
  std::array<Double3, 3> axis{};
  std::vector<geometry::Opening> openings;
  std::vector<geometry::Throat> throats;
  std::vector<std::string> wallNames;
  bool fromVoxels = false;    // no surface
  double porosity = 1.0;      // of the box
  double poreDiameter = 0.0;  // m, 4 volume / area of the wall; 0: no wall
};

CaseGeometry caseGeometryOf(const geometry::LatticeGeometry& geometry, std::string file);

// Nodes along its diameter.
double nodesAcross(const geometry::Opening& opening, int dimensions, double spacing);

}  // namespace tessera::preprocess::preview
