// SPDX-License-Identifier: GPL-3.0-or-later
// A straight pipe in any direction with the exact Poiseuille flow at its nodes: what every
// reduction must give back.
#pragma once

#include "preprocess/geometry/mesh.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::test {

using namespace tessera::solver::file;
using namespace tessera::tiler;

struct PipeSpec {
  double radius = 8.0;                 // nodes
  double length = 40.0;                // nodes, along the axis
  Double3 direction{0.48, 0.6, 0.64};  // unit
  int segments = 400;                  // of the surface's polygon
  double spacing = 1e-4;               // m
};

struct AnalyticPipe {
  PipeSpec spec;
  Double3 middle{};      // m, world
  double gradient = 0;   // Pa/m, driving
  double viscosity = 0;  // Pa.s
  TiledGeometry geometry;
  Fields fields;

  [[nodiscard]] double radius() const { return spec.radius * spec.spacing; }
  [[nodiscard]] double length() const { return spec.length * spec.spacing; }
  [[nodiscard]] double flowRate() const;                      // pi R^4 G / (8 mu)
  [[nodiscard]] double wallShear() const;                     // G R / 2
  [[nodiscard]] double fastest() const;                       // m/s, G R^2 / (4 mu)
  [[nodiscard]] double fromAxis(const Double3& point) const;  // m
};

AnalyticPipe analyticPipe(const PipeSpec& spec);

// |found - expected| / |expected|
double relative(double found, double expected);

// Nodes where inside(x, y, z) holds, with links as for an image (distance 1/2, wall 0), tiled.
TiledGeometry imageGeometry(const Int3& nodes, const std::array<bool, 3>& periodic,
                            bool (*inside)(int, int, int));
bool everywhere(int, int, int);  // inside, for a box all fluid

// Fields of the right size for the geometry, all zero, with water-like properties.
Fields emptyFields(const TiledGeometry& geometry);

}  // namespace tessera::test
