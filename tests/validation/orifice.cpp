// SPDX-License-Identifier: GPL-3.0-or-later
// Slow flow through a circular hole in a thin plate: a plate that lies between nodes, which only
// cuts links, lets the same flow pass as one that contains a layer of nodes. The fluid is periodic
// and driven by a force.
#include <cmath>
#include <numbers>

#include "preprocess/lattice/links/links.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;

namespace {

// Half the width of the periodic box, in radii of the hole.
constexpr double halfWidth = 4.0;

struct Hole {
  int nodes;         // of the box on each axis
  double radius;     // nodes
  double height;     // z of the plate's middle
  double thickness;  // nodes
};

Hole holeOf(double radius, double thickness, double above) {
  const int nodes = 2 * static_cast<int>(std::round(halfWidth * radius));
  return {nodes, radius, 0.5 * nodes - 1.0 + above, thickness};
}

// A square with a circular hole at a height; its normals point to +z.
TriangleMesh plateFace(const Hole& hole, double z) {
  constexpr std::uint32_t around = 128;
  const double middle = 0.5 * (hole.nodes - 1);
  TriangleMesh mesh;
  for (const bool rim : {true, false})
    for (std::uint32_t k = 0; k < around; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / around;
      const double c = std::cos(angle), s = std::sin(angle);
      const double r = rim ? hole.radius : 0.5 * hole.nodes / std::max(std::abs(c), std::abs(s));
      mesh.vertex.push_back({middle + r * c, middle + r * s, z});
    }
  for (std::uint32_t k = 0; k < around; ++k) {
    const std::uint32_t next = (k + 1) % around;
    mesh.triangle.push_back({k, around + k, around + next});
    mesh.triangle.push_back({k, around + next, next});
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

// Walls of a plate of a thickness: normals out of the fluid, open at the sides of the box.
TriangleMesh thickPlate(const Hole& hole) {
  TriangleMesh mesh = plateFace(hole, hole.height - 0.5 * hole.thickness);
  const auto shift = static_cast<std::uint32_t>(mesh.vertex.size());
  TriangleMesh top = plateFace(hole, hole.height + 0.5 * hole.thickness);
  for (auto& t : top.triangle) std::swap(t[1], t[2]);
  appendMesh(mesh, top);
  const std::uint32_t around = shift / 2;
  for (std::uint32_t k = 0; k < around; ++k) {
    const std::uint32_t next = (k + 1) % around;
    mesh.triangle.push_back({k, next, shift + next});
    mesh.triangle.push_back({k, shift + next, shift + k});
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

LatticeGeometry latticeOf(const Hole& hole) {
  const int n = hole.nodes;
  LatticeGeometry geometry;
  geometry.frame.spacing = 1.0;
  geometry.periodic = {true, true, true};
  geometry.fluid = BitLattice({n, n, n});
  const double middle = 0.5 * (n - 1);
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        if (std::hypot(x - middle, y - middle) < hole.radius ||
            std::abs(z - hole.height) >= 0.5 * hole.thickness)
          geometry.fluid.set(x, y, z);
  geometry.boundary =
      preprocess::lattice::findLinks(geometry.fluid, geometry.periodic, thickPlate(hole)).boundary;
  return geometry;
}

// 3 mu Q / (a^3 dp), 1 in an infinite plate without thickness (Sampson, Phil. Trans. R. Soc. A
// 182:449, 1891).
double conductance(const Hole& hole, WallScheme walls, const Options& options) {
  SolverCase run = latticeCase({}, 1.0);
  run.magic = 3.0 / 16.0;
  run.walls = walls;
  const double force = 1e-7;
  run.bodyForce = {0.0, 0.0, force};
  Flow flow = startFlow(testing::inTiles(latticeOf(hole), {0, 0, 0}), run, options);
  const auto every = static_cast<std::uint64_t>(2.0 * hole.radius * hole.radius);
  runUntilSteady(flow, 2e-4, every, 100 * every);
  double sum = 0.0;
  for (const Double3& u : momentsOf(flow).u) sum += u[2];
  const double rate = sum / hole.nodes;
  return 3.0 * run.kinematicViscosity * rate / (std::pow(hole.radius, 3) * force * hole.nodes);
}

}  // namespace

Findings orifice(const Options& options) {
  Findings out;
  out.setting =
      "D3Q19, TRT with magic parameter 3/16, walls by Bouzidi's interpolation, a periodic box of 8 "
      "radii, driven by a "
      "force at a Reynolds number near 0; the plate is 0.9 spacings thick, the hole 10 wide.";
  const double lost = conductance(holeOf(5.0, 0.9, 0.5), WallScheme::Bouzidi, options);
  const double resolved = conductance(holeOf(5.0, 0.9, 0.0), WallScheme::Bouzidi, options);
  out.relative("flow rate past a plate of 0.9 spacings, without nodes in it over with", lost,
               resolved, 0.03, "the same plate");
  return out;
}

}  // namespace tessera::validation
