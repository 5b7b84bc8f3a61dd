// SPDX-License-Identifier: GPL-3.0-or-later
// Simple, body-centred and face-centred cubic lattices of spheres; see spheres.hpp.
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

namespace {
struct CellShape {
  std::vector<Double3> centre;  // of the cell's side
  // Neighbours by distance, and how many pairs of them a cell has.
  std::array<double, 2> distance{};
  std::array<int, 2> pairs{};
  double largest = 0.0;  // circumradius of the smallest triangle of neighbours
};

const CellShape& shapeOf(LatticeCell cell) {
  static const std::array<CellShape, 3> shapes{
      {{.centre = {{0.5, 0.5, 0.5}},
        .distance = {1.0, std::sqrt(2.0)},
        .pairs = {3, 6},
        .largest = std::sqrt(0.5)},
       {.centre = {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}},
        .distance = {std::sqrt(0.75), 1.0},
        .pairs = {8, 6},
        .largest = 0.75 / std::sqrt(2.0)},
       {.centre = {{0.25, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.75}, {0.75, 0.75, 0.25}},
        .distance = {std::sqrt(0.5), 1.0},
        .pairs = {24, 12},
        .largest = std::sqrt(1.0 / 6.0)}}};
  return shapes[static_cast<std::size_t>(cell)];
}

// The volume that two spheres share.
double lens(double radius, double distance) {
  const double height = radius - 0.5 * distance;  // of each of its two caps
  return height <= 0.0 ? 0.0 : 2.0 * M_PI * height * height * (radius - height / 3.0);
}
}  // namespace

double latticeSolid(LatticeCell cell, double radius) {
  const CellShape& shape = shapeOf(cell);
  double solid = latticeSpheres(cell) * 4.0 / 3.0 * M_PI * radius * radius * radius;
  for (std::size_t k = 0; k < 2; ++k) solid -= shape.pairs[k] * lens(radius, shape.distance[k]);
  return solid;
}

int latticeSpheres(LatticeCell cell) {
  return static_cast<int>(shapeOf(cell).centre.size());
}

double latticeTouchingRadius(LatticeCell cell) {
  return 0.5 * shapeOf(cell).distance[0];
}

double latticeLargestRadius(LatticeCell cell) {
  return shapeOf(cell).largest;
}

double latticeRadius(LatticeCell cell, double solid) {
  double low = 0.0;
  double high = latticeLargestRadius(cell);
  if (!(solid > 0.0) || solid >= latticeSolid(cell, high))
    stage::fail(stage::ExitCode::Usage, "--solid must be above 0 and below " +
                                            std::to_string(latticeSolid(cell, high)) +
                                            ", where three spheres of this lattice meet.");
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (latticeSolid(cell, middle) < solid ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

SpherePack latticeSpherePack(const LatticeShape& shape) {
  if (!(shape.radius > 0.0) || shape.radius >= latticeLargestRadius(shape.cell))
    stage::fail(stage::ExitCode::Usage,
                "--radius must be above 0 and below " +
                    std::to_string(latticeLargestRadius(shape.cell)) +
                    " of the cell's side, where three spheres of this lattice meet.");
  SpherePack pack{.size = {}, .periodic = true, .sphere = {}};
  for (std::size_t a = 0; a < 3; ++a) pack.size[a] = shape.cells[a] * shape.nodes;
  for (int z = 0; z < shape.cells[2]; ++z)
    for (int y = 0; y < shape.cells[1]; ++y)
      for (int x = 0; x < shape.cells[0]; ++x)
        for (const Double3& c : shapeOf(shape.cell).centre) {
          const double n = shape.nodes;
          pack.sphere.push_back({{n * (x + c[0]) - 0.5, n * (y + c[1]) - 0.5, n * (z + c[2]) - 0.5},
                                 n * shape.radius});
        }
  return pack;
}

}  // namespace tessera::preprocess::sample
