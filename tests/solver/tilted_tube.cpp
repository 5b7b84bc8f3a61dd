// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/tilted_tube.hpp"

#include <algorithm>
#include <cmath>

#include "tiler/tile.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

struct Tube {
  Double3 centre{};
  Double3 axis{};
  double radius = 0.0;
  double length = 0.0;

  [[nodiscard]] double along(const Double3& x) const { return dot(x - centre, axis); }
  [[nodiscard]] Double3 across(const Double3& x) const {
    const double s = along(x);
    Double3 d{};
    for (std::size_t a = 0; a < 3; ++a) d[a] = x[a] - centre[a] - s * axis[a];
    return d;
  }
  [[nodiscard]] bool inside(const Double3& x) const {
    const Double3 d = across(x);
    return std::abs(along(x)) < 0.5 * length && dot(d, d) < radius * radius;
  }
};

struct Crossing {
  double q = 1.0;
  Patch patch = 0;
};

// Where the link from x along c leaves the tube.
Crossing crossing(const Tube& tube, const Double3& x, const Int3& step) {
  const Double3 c{double(step[0]), double(step[1]), double(step[2])};
  Crossing out;
  const double s = tube.along(x);
  const double rise = dot(c, tube.axis);
  double cap = 2.0;
  if (rise != 0.0) cap = ((rise > 0.0 ? 0.5 : -0.5) * tube.length - s) / rise;
  // |d + q e| = R, with d and e the parts across the axis.
  const Double3 d = tube.across(x);
  Double3 e = c;
  for (std::size_t a = 0; a < 3; ++a) e[a] -= rise * tube.axis[a];
  const double ee = dot(e, e);
  double wall = 2.0;
  if (ee > 1e-12) {
    const double de = dot(d, e);
    wall = (-de + std::sqrt(de * de + ee * (tube.radius * tube.radius - dot(d, d)))) / ee;
  }
  out.q = std::min({1.0, cap, wall});
  if (cap < wall) out.patch = openingPatch(rise < 0.0 ? 1 : 2);
  return out;
}

void addNode(const Tube& tube, LatticeGeometry& geometry, int x, int y, int z) {
  BoundaryNodes& boundary = geometry.boundary;
  const Double3 at{double(x), double(y), double(z)};
  std::uint32_t mask = 0;
  for (int n = 0; n < 27; ++n) {
    const Int3 step = directionStep(n);
    if (n == restDirection || geometry.fluid.at(x + step[0], y + step[1], z + step[2])) continue;
    const Crossing found = crossing(tube, at, step);
    mask |= std::uint32_t{1} << n;
    boundary.distance.push_back(codeFromDistance(found.q));
    boundary.patch.push_back(found.patch);
  }
  if (mask == 0) return;
  const Double3 d = tube.across(at);
  boundary.node.push_back(geometry.fluid.nodeIndex(x, y, z));
  boundary.mask.push_back(mask);
  boundary.normal.push_back(codeFromNormal(dot(d, d) > 0.0 ? d : tube.axis));
}

}  // namespace

TilesFile tiltedTube(const Double3& axis, double radius, double length, double spacing) {
  Tube tube{{}, axis, radius, length};
  const double size = std::sqrt(dot(axis, axis));
  Int3 nodes{};
  for (std::size_t a = 0; a < 3; ++a) {
    tube.axis[a] /= size;
    const double half = 0.5 * length * std::abs(tube.axis[a]) +
                        radius * std::sqrt(std::max(0.0, 1.0 - tube.axis[a] * tube.axis[a]));
    nodes[a] = 2 * static_cast<int>(std::ceil(half)) + 5;
    // Off the nodes, as a surface would lie.
    tube.centre[a] = 0.5 * (nodes[a] - 1) + 0.13 * static_cast<double>(a + 1);
  }
  LatticeGeometry geometry;
  geometry.frame.spacing = spacing;
  geometry.fluid = BitLattice(nodes);
  const auto forNodes = [&](const auto& visit) {
    for (int z = 1; z + 1 < nodes[2]; ++z)
      for (int y = 1; y + 1 < nodes[1]; ++y)
        for (int x = 1; x + 1 < nodes[0]; ++x)
          if (tube.inside({double(x), double(y), double(z)})) visit(x, y, z);
  };
  forNodes([&](int x, int y, int z) { geometry.fluid.set(x, y, z); });
  forNodes([&](int x, int y, int z) { addNode(tube, geometry, x, y, z); });
  for (const int id : {1, 2}) {
    const double side = id == 1 ? -1.0 : 1.0;
    Opening opening;
    opening.id = id;
    opening.name = "opening" + std::to_string(id);
    Double3 centre = tube.centre;
    for (std::size_t a = 0; a < 3; ++a) {
      centre[a] += 0.5 * side * length * tube.axis[a];
      opening.normal[a] = side * tube.axis[a];
    }
    opening.centre = geometry.frame.toWorld(centre);
    opening.radius = radius * spacing;
    opening.area = 3.14159265358979323846 * opening.radius * opening.radius;
    geometry.openings.push_back(opening);
  }
  TilesFile file;
  file.geometry = coverWithTiles(geometry, {0, 0, 0});
  file.contentHash = "made by a test";
  return file;
}

}  // namespace tessera::testing
