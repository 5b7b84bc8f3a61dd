// SPDX-License-Identifier: GPL-3.0-or-later
// Slow flow through a circular hole in a plate without thickness: Q = a^3 dp / (3 mu) in an
// unbounded fluid (Sampson, Phil. Trans. R. Soc. A 182:449, 1891); in a square array of porosity k
// the pressure drop is smaller by the factor 1 - 0.344 k^1.5 - 0.111 k^2.5 - 0.066 k^3.5 (Tio &
// Sadhal, Appl. Sci. Res. 52:1, 1994). The plate is a sheet that only cuts links; the fluid is
// periodic and driven by a force. A plate of a thickness flows alike whether it contains nodes or
// not.
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
  double thickness;  // nodes; 0: a sheet
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
  const bool isSheet = hole.thickness == 0.0;
  const TriangleMesh walls = isSheet ? TriangleMesh{} : thickPlate(hole);
  const TriangleMesh sheet = isSheet ? plateFace(hole, hole.height) : TriangleMesh{};
  geometry.boundary =
      preprocess::lattice::findLinks(geometry.fluid, geometry.periodic, walls, {}, sheet).boundary;
  return geometry;
}

// 3 mu Q / (a^3 dp), 1 for Sampson's hole in an infinite plate.
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

// Conductance of the array over that of a single hole.
double arrayFactor() {
  const double porosity = std::numbers::pi / (4.0 * halfWidth * halfWidth);
  return 1.0 / (1.0 - 0.344 * std::pow(porosity, 1.5) - 0.111 * std::pow(porosity, 2.5) -
                0.066 * std::pow(porosity, 3.5));
}

// Value at 0 of the straight line through points by least squares.
double extrapolated(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sx += x[k];
    sy += y[k];
    sxx += x[k] * x[k];
    sxy += x[k] * y[k];
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return (sy - slope * sx) / n;
}

}  // namespace

Findings orifice(const Options& options) {
  Findings out;
  out.setting =
      "D3Q19, TRT with magic parameter 3/16, walls half way, a periodic box of 8 radii, driven by "
      "a force at a Reynolds number near 0; the plate lies midway between nodes and cuts links.";
  const std::vector<double> radii =
      options.quick ? std::vector{2.5, 3.75, 5.0} : std::vector{2.5, 3.75, 5.0, 6.25, 7.5};
  std::vector<double> inverse, found;
  for (const double radius : radii) {
    inverse.push_back(1.0 / radius);
    found.push_back(conductance(holeOf(radius, 0.0, 0.5), WallScheme::Halfway, options) /
                    arrayFactor());
  }
  out.relative("3 \u03bc Q / (a\u00b3 \u0394p), extrapolated over resolutions",
               extrapolated(inverse, found), 1.0, 0.02, "Sampson 1891, Tio & Sadhal 1994");
  const double lost = conductance(holeOf(5.0, 0.9, 0.5), WallScheme::Bouzidi, options);
  const double resolved = conductance(holeOf(5.0, 0.9, 0.0), WallScheme::Bouzidi, options);
  out.relative("flow rate past a plate of 0.9 spacings, without nodes in it over with", lost,
               resolved, 0.03, "the same plate");
  Chart chart = chartOf("Hole in a plate without thickness", "1 / nodes across its radius",
                        "3 \u03bc Q / (a\u00b3 \u0394p)");
  chart.curves = {curve("ours", inverse, found, 1, true)};
  out.charts.push_back(chart);
  return out;
}

}  // namespace tessera::validation
