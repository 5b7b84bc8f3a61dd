// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image_openings.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/opening_paths.hpp"

namespace tessera::preprocess {

using lattice::BoxFace;
using surface::Side;

namespace {

// Opening from the fluid nodes on a side of the box.
geometry::Opening measureSide(const geometry::LatticeGeometry& geometry, const Side& side) {
  const geometry::BitLattice& fluid = geometry.fluid;
  const BoxFace face{side.axis, side.high, 1};
  const std::vector<std::uint64_t> nodes = lattice::nodesAtFaces(fluid, {&face, 1});
  if (nodes.empty())
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--faces {}: no fluid node lies on that side of the image; omit it.",
                            side.name()));
  Double3 sum{};
  for (const std::uint64_t node : nodes) {
    const auto [x, y, z] = fluid.nodeAt(node);
    sum = sum + Double3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  const auto axis = static_cast<std::size_t>(side.axis);
  Double3 centre = (1.0 / static_cast<double>(nodes.size())) * sum;
  centre[axis] = side.high ? fluid.size[axis] - 0.5 : -0.5;
  Double3 normal{};
  normal[axis] = side.high ? 1.0 : -1.0;
  geometry::Opening opening;
  opening.name = side.name();
  opening.centre = geometry.frame.toWorld(centre);
  opening.normal = geometry.frame.directionToWorld(normal);
  opening.area =
      static_cast<double>(nodes.size()) * geometry.frame.spacing * geometry.frame.spacing;
  opening.radius = std::sqrt(opening.area / std::numbers::pi);
  return opening;
}

}  // namespace

std::vector<BoxFace> openSides(geometry::LatticeGeometry& geometry,
                               const std::vector<Side>& sides) {
  std::vector<BoxFace> faces;
  for (const Side& side : sides) {
    geometry.openings.push_back(measureSide(geometry, side));
    faces.push_back({side.axis, side.high, 1});
  }
  const std::vector<std::size_t> before = surface::orderOpenings(geometry.openings);
  for (std::size_t k = 0; k < before.size(); ++k)
    faces[before[k]].openingId = static_cast<int>(k) + 1;
  return faces;
}

std::vector<std::vector<std::uint64_t>> nodesByFace(const geometry::BitLattice& fluid,
                                                    const std::vector<BoxFace>& faces) {
  std::vector<std::vector<std::uint64_t>> nodes(faces.size());
  for (const BoxFace& face : faces)
    nodes[static_cast<std::size_t>(face.openingId) - 1] = lattice::nodesAtFaces(fluid, {&face, 1});
  return nodes;
}

void reportPercolation(const geometry::LatticeGeometry& geometry, const std::vector<Side>& sides,
                       const std::vector<std::vector<std::uint64_t>>& touching,
                       const std::string& file, PreprocessReport& report) {
  std::array<bool, 3> periodic = geometry.periodic;
  if (geometry.dimensions == 2) periodic[2] = false;
  const std::vector<lattice::FluidPart> parts =
      lattice::partsOf(geometry.fluid, periodic, touching);
  reportPaths(
      geometry, sides, parts,
      {file,
       "correct --pore or --threshold, open other --faces, or use a larger part of the image"},
      report);
  const std::vector<lattice::FluidPart> byLinks =
      lattice::partsOf(geometry.fluid, periodic, touching, geometry::Neighbours::Eighteen);
  warnAboutCorners(geometry, parts, byLinks, report);
  const std::array<bool, 3> wraps = lattice::wrapsOf(parts);
  const std::array<bool, 3> wrapsByLinks = lattice::wrapsOf(byLinks);
  Connectivity& connectivity = *report.connectivity;
  bool isPeriodic = false;
  for (std::size_t a = 0; a < 3; ++a) {
    isPeriodic = isPeriodic || periodic[a];
    if (periodic[a]) connectivity.percolates[a] = wraps[a];
  }
  for (std::size_t a = 0; a < 3; ++a)
    if (wraps[a] && !wrapsByLinks[a])
      report.warnings.push_back(cornerWarning(std::string("around the periodic axis ") + "xyz"[a]));
  if (!geometry.openings.empty() || !isPeriodic) return;
  connectivity.effectiveNodes = lattice::effectiveNodes(parts, 0);
  connectivity.deadNodes = lattice::deadNodes(parts, 0);
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a] && !wraps[a])
      report.warnings.push_back(fmt::format(
          "no path through the fluid winds around the periodic axis {}, so nothing flows along it.",
          "xyz"[a]));
}

std::vector<lattice::WallFace> nameSides(geometry::LatticeGeometry& geometry,
                                         const std::vector<SideWall>& sides) {
  std::vector<lattice::WallFace> faces;
  std::vector<std::string>& names = geometry.wallNames;
  for (const SideWall& wall : sides) {
    const lattice::BoxFace face{wall.side.axis, wall.side.high, 1};
    if (lattice::nodesAtFaces(geometry.fluid, {&face, 1}).empty())
      stage::fail(
          stage::ExitCode::Usage,
          fmt::format("--wall {}={}: no fluid node lies on that side of the image; omit it.",
                      wall.side.name(), wall.name));
    auto known = std::find(names.begin(), names.end(), wall.name);
    if (known == names.end()) known = names.insert(names.end(), wall.name);
    faces.push_back(
        {wall.side.axis, wall.side.high, static_cast<geometry::Patch>(known - names.begin())});
  }
  return faces;
}

}  // namespace tessera::preprocess
