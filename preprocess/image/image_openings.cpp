// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/image_openings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

// The fluid nodes on a side of the box, seen from outside.
Opening measureSide(const LatticeGeometry& geometry, const Side& side) {
  const BitLattice& fluid = geometry.fluid;
  const BoxFace face{side.axis, side.high, 1};
  const std::vector<std::uint64_t> nodes = nodesAtFaces(fluid, {&face, 1});
  if (nodes.empty())
    fail(ExitCode::Usage, "--faces " + side.name() +
                              ": no fluid node lies on that side of the image; leave it out.");
  Double3 sum{};
  for (const std::uint64_t node : nodes) {
    const auto nx = static_cast<std::uint64_t>(fluid.size[0]);
    const auto ny = static_cast<std::uint64_t>(fluid.size[1]);
    const std::uint64_t x = node % nx;
    const std::uint64_t y = node / nx % ny;
    const std::uint64_t z = node / (nx * ny);
    sum = sum + Double3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  const auto axis = static_cast<std::size_t>(side.axis);
  Double3 centre = (1.0 / static_cast<double>(nodes.size())) * sum;
  centre[axis] = side.high ? fluid.size[axis] - 0.5 : -0.5;
  Double3 normal{};
  normal[axis] = side.high ? 1.0 : -1.0;
  Opening opening;
  opening.name = side.name();
  opening.centre = geometry.frame.toWorld(centre);
  opening.normal = geometry.frame.directionToWorld(normal);
  opening.area =
      static_cast<double>(nodes.size()) * geometry.frame.spacing * geometry.frame.spacing;
  opening.radius = std::sqrt(opening.area / std::numbers::pi);
  return opening;
}

// Is the opening one of the sides, or the part of a side that a smoothed image has there ("x-2")?
bool isSide(const Opening& opening, const std::vector<Side>& sides) {
  return std::any_of(sides.begin(), sides.end(),
                     [&](const Side& side) { return opening.name.starts_with(side.name()); });
}

std::string porosityText(const LatticeGeometry& geometry, const Percolation& found) {
  const Int3& n = geometry.fluid.size;
  char text[120];
  std::snprintf(
      text, sizeof text, "a porosity of %.4f in %llu unconnected parts",
      static_cast<double>(geometry.fluid.count()) / (static_cast<double>(n[0]) * n[1] * n[2]),
      static_cast<unsigned long long>(found.parts));
  return text;
}

void requirePath(const LatticeGeometry& geometry, const std::vector<Side>& sides,
                 const Percolation& found, const std::string& file,
                 std::vector<std::string>& warnings) {
  for (std::size_t k = 1; k < found.reached.size(); ++k) {
    if (found.reached[k]) continue;
    const Opening& first = geometry.openings[0];
    const Opening& other = geometry.openings[k];
    std::string what = "no path from ";
    what.append(first.name).append(" to ").append(other.name);
    what.append(" through the fluid, which has ").append(porosityText(geometry, found));
    if (isSide(first, sides) && isSide(other, sides))
      fail(ExitCode::BadInput, std::string(file).append(": ").append(what) +
                                   "; correct --pore or --threshold, open other --faces, or take "
                                   "a larger part of the image.");
    warnings.push_back(what + ".");
  }
}

// Both ends open, or periodic.
std::array<std::optional<bool>, 3> percolatingAxes(const LatticeGeometry& geometry,
                                                   const std::vector<Side>& sides,
                                                   const Percolation& found) {
  std::array<std::optional<bool>, 3> percolates;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto open = std::count_if(sides.begin(), sides.end(), [&](const Side& side) {
      return static_cast<std::size_t>(side.axis) == a;
    });
    if (open == 2) percolates[a] = true;  // else it was refused
    if (geometry.periodic[a] && (a < 2 || geometry.dimensions == 3)) percolates[a] = found.wraps[a];
  }
  return percolates;
}

}  // namespace

std::vector<BoxFace> openSides(LatticeGeometry& geometry, const std::vector<Side>& sides) {
  std::vector<BoxFace> faces;
  for (const Side& side : sides) {
    geometry.openings.push_back(measureSide(geometry, side));
    faces.push_back({side.axis, side.high, 1});
  }
  const std::vector<std::size_t> before = orderOpenings(geometry.openings);
  for (std::size_t k = 0; k < before.size(); ++k)
    faces[before[k]].openingId = static_cast<int>(k) + 1;
  return faces;
}

std::vector<std::vector<std::uint64_t>> nodesByFace(const BitLattice& fluid,
                                                    const std::vector<BoxFace>& faces) {
  std::vector<std::vector<std::uint64_t>> nodes(faces.size());
  for (const BoxFace& face : faces)
    nodes[static_cast<std::size_t>(face.openingId) - 1] = nodesAtFaces(fluid, {&face, 1});
  return nodes;
}

std::vector<std::vector<std::uint64_t>> nodesByLink(const LatticeGeometry& geometry) {
  std::vector<std::vector<std::uint64_t>> nodes(geometry.openings.size());
  const BoundaryNodes& boundary = geometry.boundary;
  std::size_t link = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k)
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const Patch patch = boundary.patch[link];
      if (!isOpening(patch)) continue;
      std::vector<std::uint64_t>& at = nodes[static_cast<std::size_t>(openingId(patch)) - 1];
      if (at.empty() || at.back() != boundary.node[k]) at.push_back(boundary.node[k]);
    }
  return nodes;
}

void reportPercolation(const LatticeGeometry& geometry, const std::vector<Side>& sides,
                       const std::vector<std::vector<std::uint64_t>>& touching,
                       const std::string& file, PreprocessReport& report) {
  std::array<bool, 3> periodic = geometry.periodic;
  if (geometry.dimensions == 2) periodic[2] = false;
  const Percolation found = percolationOf(geometry.fluid, periodic, touching);
  requirePath(geometry, sides, found, file, report.warnings);
  Connectivity& connectivity = report.connectivity.emplace();
  connectivity.parts = found.parts;
  connectivity.effectiveNodes = found.effectiveNodes;
  connectivity.deadNodes = found.deadNodes;
  connectivity.percolates = percolatingAxes(geometry, sides, found);
  if (!geometry.openings.empty()) return;
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a] && !found.wraps[a])
      report.warnings.push_back(
          std::string("no way through the fluid goes around the periodic axis ") + "xyz"[a] +
          ", so nothing flows along it.");
}

}  // namespace tessera
