// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/ghost_tiles.hpp"

#include <algorithm>

#include "preprocess/lattice/count_offsets.hpp"
#include "preprocess/lattice/links/line_crossing.hpp"
#include "preprocess/plan/count_lattice.hpp"

namespace tessera::preprocess::plan {

using geometry::TriangleMesh;

namespace {

using std::size_t;

int floorDivided(int value, int divisor) {
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}

TriangleMesh openingsOf(const TriangleMesh& mesh) {
  TriangleMesh openings{mesh.vertex, {}, {}};
  for (size_t t = 0; t < mesh.label.size(); ++t)
    if (geometry::isOpening(mesh.label[t])) {
      openings.triangle.push_back(mesh.triangle[t]);
      openings.label.push_back(mesh.label[t]);
    }
  return openings;
}

}  // namespace

GhostTiles::GhostTiles(const geometry::BitLattice& fluid, int dimensions,
                       const std::array<bool, 3>& periodic, const Int3& offset)
    : fluid_(fluid),
      periodic_(periodic),
      tileSize_(lattice::tileSizeFor(dimensions)),
      offset_(offset),
      velocities_(velocityMask(dimensions)) {
  for (size_t a = 0; a < 3; ++a)
    aligned_[a] = periodic[a] && offset[a] == 0 && fluid.size[a] % tileSize_[a] == 0;
}

bool GhostTiles::isVelocity(int direction) const {
  return (velocities_ >> direction & 1U) != 0;
}

bool GhostTiles::isFluid(Int3 node) const {
  return geometry::wrapInto(fluid_.size, periodic_, node) && fluid_.at(node[0], node[1], node[2]);
}

bool GhostTiles::hasFluid(const Int3& tile) const {
  Int3 low{}, high{};
  for (size_t a = 0; a < 3; ++a) {
    low[a] = std::max(0, tile[a] * tileSize_[a] - offset_[a]);
    high[a] = std::min(fluid_.size[a], (tile[a] + 1) * tileSize_[a] - offset_[a]);
  }
  for (int z = low[2]; z < high[2]; ++z)
    for (int y = low[1]; y < high[1]; ++y)
      for (int x = low[0]; x < high[0]; ++x)
        if (fluid_.at(x, y, z)) return true;
  return false;
}

void GhostTiles::addTileOf(const Int3& node) {
  Int3 tile{};
  std::uint64_t key = 0;
  for (size_t a = 0; a < 3; ++a) {
    tile[a] = floorDivided(node[a] + offset_[a], tileSize_[a]);
    if (aligned_[a]) {
      const int tiles = fluid_.size[a] / tileSize_[a];
      tile[a] = (tile[a] + tiles) % tiles;
    }
    key = key << 16U | static_cast<std::uint64_t>(tile[a] + 1);
  }
  if (seen_.insert(key).second && !hasFluid(tile)) ++tiles_;
}

void GhostTiles::addLink(const Int3& from, int direction) {
  const auto [x, y, z] = from;
  if (!isVelocity(direction) || !fluid_.inside(x, y, z) || !fluid_.at(x, y, z)) return;
  const Int3 to = from + geometry::directionStep(direction);
  if (isFluid(to)) return;
  const auto number = static_cast<std::uint64_t>(direction);
  link_.push_back(27 * fluid_.nodeIndex(x, y, z) + number);
  addTileOf(to);
}

void GhostTiles::dropRepeatedLinks() {
  std::sort(link_.begin(), link_.end());
  link_.erase(std::unique(link_.begin(), link_.end()), link_.end());
}

void GhostTiles::addOpenings(const TriangleMesh& mesh) {
  const TriangleMesh openings = openingsOf(mesh);
  if (openings.triangle.empty()) return;
  const int planes = fluid_.size[2];
  const lattice::SlabbedSurface surface(lattice::WallMesh(openings), fluid_.size, periodic_,
                                        planes);
  std::vector<lattice::LineCrossing> crossings;
  for (const lattice::NearTriangle& triangle : surface.triangles(0)) {
    crossings.clear();
    lattice::crossLines(triangle, 0, planes - 1, crossings);
    for (const lattice::LineCrossing& c : crossings) {
      if (c.leaves)
        addLink(c.node, c.direction);
      else
        addLink(c.node + geometry::directionStep(c.direction),
                geometry::oppositeDirection(c.direction));
    }
  }
  dropRepeatedLinks();
}

void GhostTiles::addOpenings(std::span<const lattice::BoxFace> faces) {
  for (const lattice::BoxFace& face : faces) {
    const auto axis = static_cast<size_t>(face.axis);
    for (const std::uint64_t node : lattice::nodesAtFaces(fluid_, {&face, 1}))
      for (const auto& [n, step] : geometry::neighbourhood)
        if (step[axis] == (face.high ? 1 : -1)) addLink(fluid_.nodeAt(node), n);
  }
  dropRepeatedLinks();
}

// Counts the populations that reach a node from outside of the box.
void GhostTiles::addCopiesTo(const Int3& node) {
  for (const auto& [n, step] : geometry::neighbourhood) {
    if (!isVelocity(n)) continue;
    const Int3 source = node + step;
    bool isCopied = false;
    for (size_t a = 0; a < 3; ++a)
      isCopied = isCopied ||
                 (periodic_[a] && !aligned_[a] && (source[a] < 0 || source[a] >= fluid_.size[a]));
    if (!isCopied || !isFluid(source)) continue;
    ++copies_;
    addTileOf(source);
  }
}

void GhostTiles::addPeriodicFaces() {
  std::vector<lattice::BoxFace> faces;
  for (int a = 0; a < 3; ++a)
    if (const auto axis = static_cast<size_t>(a); periodic_[axis] && !aligned_[axis]) {
      faces.push_back({a, false, 1});
      faces.push_back({a, true, 1});
    }
  std::vector<std::uint64_t> nodes = lattice::nodesAtFaces(fluid_, faces);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const std::uint64_t node : nodes) addCopiesTo(fluid_.nodeAt(node));
}

}  // namespace tessera::preprocess::plan
