// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

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

std::vector<bool> symmetryLabels(std::span<const WallCondition> conditions,
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

namespace {

// The links of a node, from their first in linkPatch, and those along an axis that end on planes.
struct LinksAtPlanes {
  tiler::NodeLinks links;
  std::uint32_t normals = 0;
};

LinksAtPlanes linksAtPlanes(const tiler::TiledGeometry& geometry,
                            const std::vector<bool>& symmetric, std::uint32_t mask,
                            std::uint64_t first) {
  LinksAtPlanes out{{mask, first}, 0};
  std::uint64_t link = first;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link) {
    const preprocess::geometry::Patch patch = geometry.linkPatch[link];
    const Int3 c = preprocess::geometry::directionStep(std::countr_zero(rest));
    if (std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) == 1 &&
        !preprocess::geometry::isOpening(patch) && symmetric[patch])
      out.normals |= rest & -rest;
  }
  return out;
}

// The part of a step along the planes that the node's links along axes end on.
Int3 alongPlanes(const Int3& c, std::uint32_t normals) {
  Int3 along{};
  for (std::size_t a = 0; a < 3; ++a) {
    Int3 normal{};
    normal[a] = c[a];
    const int direction = preprocess::geometry::directionOf(normal[0], normal[1], normal[2]);
    if (c[a] != 0 && (normals >> direction & 1U) == 0) along[a] = c[a];
  }
  return along;
}

// Seen in the plane, a link ends where its part along the plane does.
void continueLinks(const LinksAtPlanes& at, const std::vector<bool>& symmetric,
                   tiler::TiledGeometry& geometry) {
  std::uint64_t link = at.links.first;
  for (std::uint32_t rest = at.links.mask; rest != 0; rest &= rest - 1, ++link) {
    preprocess::geometry::Patch& patch = geometry.linkPatch[link];
    if (preprocess::geometry::isOpening(patch) || !symmetric[patch]) continue;
    const Int3 c = preprocess::geometry::directionStep(std::countr_zero(rest));
    const Int3 along = alongPlanes(c, at.normals);
    const int direction = preprocess::geometry::directionOf(along[0], along[1], along[2]);
    if (along == Int3{} || along == c || (at.links.mask >> direction & 1U) == 0) continue;
    const std::uint64_t beside = tiler::linkIndex(at.links.first, at.links.mask, direction);
    patch = geometry.linkPatch[beside];
    geometry.linkDistance[link] = geometry.linkDistance[beside];
  }
}

}  // namespace

void continueBeyondPlanes(std::span<const WallCondition> conditions,
                          tiler::TiledGeometry& geometry) {
  const std::vector<bool> symmetric = symmetryLabels(conditions, geometry);
  if (std::find(symmetric.begin(), symmetric.end(), true) == symmetric.end()) return;
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    tiler::forBoundaryNodes(
        geometry, t, [&](std::uint8_t, std::uint32_t mask, std::uint64_t first) {
          const LinksAtPlanes at = linksAtPlanes(geometry, symmetric, mask, first);
          if (at.normals != 0) continueLinks(at, symmetric, geometry);
        });
}

SymmetryPlanes::SymmetryPlanes(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                               std::vector<bool> symmetric, const model::LatticeInfo& info)
    : order_(order), geometry_(geometry), symmetric_(std::move(symmetric)), info_(info) {}

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
