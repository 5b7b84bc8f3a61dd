// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/case_geometry.hpp"

#include "preprocess/preview/voxel_faces.hpp"

namespace tessera::preprocess::preview {

CaseGeometry caseGeometryOf(const geometry::LatticeGeometry& geometry, std::string file) {
  CaseGeometry facts;
  facts.file = std::move(file);
  facts.dimensions = geometry.dimensions;
  facts.spacing = geometry.frame.spacing;
  facts.nodes = geometry.fluid.size;
  facts.periodic = geometry.periodic;
  facts.axis = geometry.frame.axis;
  facts.openings = geometry.openings;
  facts.throats = geometry.throats;
  facts.wallNames = geometry.wallNames;
  facts.fromVoxels = geometry.surface.triangle.empty();
  const auto nodes = static_cast<double>(geometry.fluid.count());
  facts.porosity = nodes / (static_cast<double>(facts.nodes[0]) * facts.nodes[1] * facts.nodes[2]);
  // The steps of voxels have 3/2 of the area of a surface in any direction.
  const double faces = wallFaces(geometry) / 1.5;
  if (faces > 0.0) facts.poreDiameter = 4.0 * nodes * facts.spacing / faces;
  return facts;
}

double nodesAcross(const geometry::Opening& opening, int dimensions, double spacing) {
  return diameterOf(opening, dimensions, spacing) / spacing;
}

}  // namespace tessera::preprocess::preview
