// SPDX-License-Identifier: GPL-3.0-or-later
// Surface of a lattice without one: the faces between fluid and other cells.
#pragma once

#include <cstddef>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::preview {

struct VoxelFaces {
  std::vector<Double3> vertex;  // m, world
  std::vector<stage::Triangle> triangle;
  std::vector<geometry::Patch> patch;  // of each triangle
  std::vector<bool> isPeriodic;  // of each: in a side of the box across which the fluid goes on
};

// Cells are nodes, or as many nodes on an edge as it takes for at most so many faces; such a cell
// is fluid if half of its nodes are. Sides of the box on periodic axes have faces too.
VoxelFaces voxelFaces(const geometry::LatticeGeometry& geometry, std::size_t mostFaces);

// Faces between fluid nodes and walls, from the links along the axes.
double wallFaces(const geometry::LatticeGeometry& geometry);

}  // namespace tessera::preprocess::preview
