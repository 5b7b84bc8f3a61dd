// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

namespace {

// Whether a link ends halfway between nodes on one of the axes it moves along.
bool endsHalfway(const tiler::BoundaryLink& link) {
  constexpr double tolerance = 0.02;  // spacings
  const Int3 step = preprocess::geometry::directionStep(link.direction);
  const Double3 end = link.end();
  for (std::size_t a = 0; a < 3; ++a)
    if (step[a] != 0 && std::abs(end[a] - std::floor(end[a]) - 0.5) < tolerance) return true;
  return false;
}

}  // namespace

std::vector<bool> symmetryLabels(const std::vector<WallCondition>& conditions,
                                 const tiler::TiledGeometry& geometry) {
  std::vector<bool> symmetric(geometry.wallNames.size(), false);
  for (std::size_t k = 0; k < conditions.size(); ++k)
    symmetric[k] = conditions[k].kind == WallKind::Symmetry;
  return symmetric;
}

void checkSymmetryPlanes(const std::vector<bool>& symmetric, const tiler::TiledGeometry& geometry) {
  if (std::find(symmetric.begin(), symmetric.end(), true) == symmetric.end()) return;
  tiler::forWallLinks(geometry, [&](const tiler::BoundaryLink& link) {
    if (!symmetric[link.patch] || endsHalfway(link)) return;
    const Double3 at = geometry.frame.toWorld(link.end());
    const std::string place =
        fmt::format("({:.6g}, {:.6g}, {:.6g}) mm", 1e3 * at[0], 1e3 * at[1], 1e3 * at[2]);
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("wall {} ({}) cannot be a symmetry plane: at {} it does not lie halfway "
                    "between nodes, as a plane along the lattice's axes on a side of its box "
                    "does; turn the geometry so that the plane is such a side, or leave the wall "
                    "at rest",
                    link.patch, geometry.wallNames[link.patch], place));
  });
}

SymmetryPlanes::SymmetryPlanes(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                               const std::vector<bool>& symmetric, const model::LatticeInfo& info)
    : order_(order), geometry_(geometry), symmetric_(symmetric), info_(info) {}

std::uint32_t SymmetryPlanes::linksAt(std::size_t tile, int local) const {
  std::uint32_t planes = 0;
  tiler::forBoundaryNodes(geometry_, tile,
                          [&](std::uint8_t l, std::uint32_t mask, std::uint64_t first) {
                            if (l != local) return;
                            std::uint64_t link = first;
                            for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link) {
                              const preprocess::geometry::Patch patch = geometry_.linkPatch[link];
                              if (!preprocess::geometry::isOpening(patch) && symmetric_[patch])
                                planes |= rest & -rest;
                            }
                          });
  return planes;
}

std::optional<tiles::PopulationLocation> SymmetryPlanes::partner(std::size_t tile, int local,
                                                                 int i) const {
  const auto& c = info_.velocities[static_cast<std::size_t>(i)];
  const std::uint32_t planes = linksAt(tile, local);
  Int3 across{};   // the part of c that leaves through planes
  Int3 along = c;  // the rest
  for (std::size_t a = 0; a < 3; ++a) {
    Int3 normal{};
    normal[a] = c[a];
    if (c[a] == 0 ||
        (planes >> preprocess::geometry::directionOf(normal[0], normal[1], normal[2]) & 1U) == 0)
      continue;
    across[a] = c[a];
    along[a] = 0;
  }
  if (across == Int3{} || along == Int3{}) return std::nullopt;
  Int3 node = geometry_.nodeOf(tile, local);
  for (std::size_t a = 0; a < 3; ++a) {
    node[a] += along[a];
    const int n = geometry_.nodes[a];
    if (geometry_.periodic[a]) node[a] = (node[a] + n) % n;
  }
  const tiler::TilePlace place = geometry_.placeOf(node);
  const std::int32_t there = geometry_.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  const Int3 m{across[0] - along[0], across[1] - along[1], across[2] - along[2]};
  if (there < 0 || (linksAt(static_cast<std::size_t>(there), place.local) >>
                        preprocess::geometry::directionOf(m[0], m[1], m[2]) &
                    1U) == 0)
    return std::nullopt;
  const auto found = std::find(info_.velocities.begin(), info_.velocities.end(), m);
  return tiles::PopulationLocation{order_.slotOfTile[static_cast<std::size_t>(there)],
                                   static_cast<std::uint8_t>(place.local),
                                   static_cast<std::uint8_t>(found - info_.velocities.begin())};
}

}  // namespace tessera::solver::boundary
