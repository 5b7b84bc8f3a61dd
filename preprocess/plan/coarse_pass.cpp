// SPDX-License-Identifier: GPL-3.0-or-later
// Richardson-type extrapolation in the node spacing h. The number of boxes of edge b h that meet
// the fluid, nodes (b = 1), tiles or blocks, is V / (b h)^3 + A / h^2 + B / h + ..., where A and B
// depend on the surface only; numbers of boundary nodes or links lack the first term. The volume
// comes from the finer pass; the remainder times h^2 is linear in h and determined by both passes.
#include "preprocess/plan/coarse_pass.hpp"

#include <algorithm>
#include <cmath>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/count_offsets.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/plan/count_lattice.hpp"

namespace tessera::preprocess::plan {
namespace {

using std::size_t;

// Nodes on an axis coarser by about `factor`, reduced by whole tiles, so that whole tiles still
// fill a periodic axis.
int coarser(int nodes, double factor, int tile) {
  const int fewer = tile * static_cast<int>(std::lround((nodes - nodes / factor) / tile));
  return nodes - fewer < 1 ? std::min(nodes, nodes - fewer + tile) : nodes - fewer;
}

struct Pass {
  LatticeCounts counts;
  double spacing = 1.0;  // in spacings of the requested lattice
};

// Coordinates of the requested lattice to those of one with these nodes.
void stretch(geometry::TriangleMesh& mesh, const Int3& lattice, const Int3& nodes) {
  for (size_t a = 0; a < 3; ++a) {
    if (nodes[a] == lattice[a]) continue;
    const double scale = static_cast<double>(nodes[a]) / lattice[a];
    for (Double3& vertex : mesh.vertex)
      vertex[a] = std::clamp((vertex[a] + 0.5) * scale - 0.5, -0.5, nodes[a] - 0.5);
  }
}

std::vector<std::uint64_t> nodesAtOpeningLinks(const geometry::BoundaryNodes& boundary) {
  std::vector<std::uint64_t> nodes;
  size_t link = 0;
  for (size_t k = 0; k < boundary.node.size(); ++k)
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link)
      if (geometry::isOpening(boundary.patch[link])) nodes.push_back(boundary.node[k]);
  return nodes;
}

// False where all walls lie halfway between nodes, as the sides of a box may.
bool wallsLieBetween(const geometry::BoundaryNodes& boundary) {
  for (size_t k = 0; k < boundary.patch.size(); ++k)
    if (!geometry::isOpening(boundary.patch[k]) &&
        geometry::distanceFromCode(boundary.distance[k]) != 0.5)
      return true;
  return false;
}

// Counts with the links themselves, where walls cross some between fluid nodes.
void countLinks(const SurfaceToCount& surface, const geometry::TriangleMesh& mesh,
                const geometry::TriangleMesh& sheets,
                const std::vector<geometry::BitLattice>& overlaps, geometry::BitLattice& fluid,
                LatticeCounts& counts) {
  lattice::FoundLinks links = lattice::findLinks(fluid, surface.periodic, mesh, overlaps, sheets);
  counts.betweenNodes = wallsLieBetween(links.boundary);
  if (links.cutLinks == 0) return;
  const auto findCuts = [&] {
    return lattice::cutNodesOf(fluid, surface.periodic, links.boundary);
  };
  std::vector<lattice::CutNode> cuts = findCuts();
  if (surface.keepConnected) {
    lattice::keepConnected(fluid, surface.periodic, nodesAtOpeningLinks(links.boundary), cuts);
    lattice::dropSolid(fluid, links.boundary);
    cuts = findCuts();
  }
  counts = countLattice(fluid, 3, surface.periodic, {{}, &mesh}, cuts);
  counts.betweenNodes = true;
  const Leaving leaving = leavingLinks(links.boundary.mask, velocityMask(3));
  counts.leavingLinks = static_cast<double>(leaving.links);
  counts.leavingNodes = static_cast<double>(leaving.nodes);
  counts.boundaryNodes = static_cast<double>(links.boundary.node.size());
  counts.links = static_cast<double>(links.boundary.patch.size());
}

// Whether the links of a lattice take less than 2 GB, at about 200 bytes a boundary node for its
// links, crossings and triangles. Independent of the machine, as plans are.
bool mayFindLinks(const LatticeCounts& counts) {
  constexpr double mostBoundaryNodes = 1e7;
  return counts.boundaryNodes < mostBoundaryNodes;
}

// mesh: in coordinates of the requested lattice. On a coarser one walls cross links between fluid
// nodes that are resolved by the finer one, so only those of a surface with sheets are counted.
Pass countAt(const SurfaceToCount& surface, geometry::TriangleMesh mesh, const Int3& lattice,
             double factor) {
  Pass pass;
  geometry::TriangleMesh sheets = surface.sheets;
  Int3 nodes = lattice;
  double cells = 1.0;  // of the requested lattice, per node
  for (size_t a = 0; a < 3; ++a) {
    nodes[a] = coarser(lattice[a], factor, lattice::tileSizeFor(3)[a]);
    cells *= static_cast<double>(lattice[a]) / nodes[a];
  }
  stretch(mesh, lattice, nodes);
  stretch(sheets, lattice, nodes);
  pass.spacing = std::cbrt(cells);
  lattice::Voxels voxels;
  if (surface.fluid != nullptr)
    voxels.fluid = *surface.fluid;
  else
    voxels = lattice::nodesInside(mesh, surface.ends, nodes, surface.periodic);
  geometry::BitLattice kept = voxels.fluid;
  if (surface.keepConnected)
    lattice::keepConnected(kept, surface.periodic, lattice::nodesAtOpenings(kept, mesh));
  pass.counts = countLattice(kept, 3, surface.periodic, {{}, &mesh});
  pass.counts.betweenNodes = true;
  const bool isWanted = factor == 1.0 || !sheets.triangle.empty();
  if (!isWanted || !mayFindLinks(pass.counts)) return pass;
  kept = {};
  std::vector<geometry::BitLattice> overlaps;
  if (surface.fluid == nullptr)
    overlaps = lattice::nodesInOverlaps(mesh, surface.ends, nodes, surface.periodic, voxels);
  countLinks(surface, mesh, sheets, overlaps, voxels.fluid, pass.counts);
  return pass;
}

class Extrapolation {
 public:
  Extrapolation(const Pass& fine, const Pass& coarse)
      : fine_(fine), coarse_(coarse), volume_(fine.counts.fluidNodes * std::pow(fine.spacing, 3)) {}
  [[nodiscard]] double volume() const { return volume_; }
  // nodes: of a counted box; 0: nodes or links at the surface are counted.
  [[nodiscard]] double of(double LatticeCounts::*number, double nodes) const {
    const double filled = nodes > 0.0 ? volume_ / nodes : 0.0;
    const double fine = rest(fine_, number, filled);
    const double coarse = rest(coarse_, number, filled);
    const double ratio = coarse_.spacing / fine_.spacing;
    const double slope = (coarse - fine) / (ratio - 1.0);  // by the finer spacing
    return std::max(0.0, filled + fine + slope * (1.0 / fine_.spacing - 1.0));
  }

 private:
  static double rest(const Pass& pass, double LatticeCounts::*number, double filled) {
    const double h = pass.spacing;
    return (pass.counts.*number - filled / (h * h * h)) * h * h;
  }

  const Pass& fine_;
  const Pass& coarse_;
  double volume_;  // nodes of the requested lattice
};

LatticeCounts extrapolated(const Pass& fine, const Pass& coarse) {
  const Extrapolation number(fine, coarse);
  constexpr double tile = 64.0, block = 64.0 * geometry::BitLattice::blockWords;
  LatticeCounts counts;
  counts.betweenNodes = true;
  counts.fluidNodes = number.volume();
  counts.boundaryNodes = number.of(&LatticeCounts::boundaryNodes, 0.0);
  counts.links = number.of(&LatticeCounts::links, 0.0);
  counts.tiles = number.of(&LatticeCounts::tiles, tile);
  counts.fullTiles = number.of(&LatticeCounts::fullTiles, tile);
  counts.openingLinks = number.of(&LatticeCounts::openingLinks, 0.0);
  counts.leavingLinks = number.of(&LatticeCounts::leavingLinks, 0.0);
  counts.leavingNodes = number.of(&LatticeCounts::leavingNodes, 0.0);
  counts.copies = number.of(&LatticeCounts::copies, 0.0);
  counts.ghostTiles = number.of(&LatticeCounts::ghostTiles, 0.0);
  counts.blocks = number.of(&LatticeCounts::blocks, block);
  counts.leaves = number.of(&LatticeCounts::leaves, 0.0);
  return counts;
}

}  // namespace

LatticeCounts countSurface(const SurfaceToCount& surface, const lattice::LatticeChoice& lattice,
                           double maxNodes) {
  geometry::TriangleMesh mesh =
      lattice::inLatticeCoordinates(surface.mesh, lattice.frame, lattice.nodes);
  const double nodes = surface.volume / std::pow(lattice.frame.spacing, 3);
  const double factor = std::cbrt(nodes / maxNodes);
  LatticeCounts counts;
  if (surface.fluid != nullptr || factor <= 1.0) {
    counts = countAt(surface, std::move(mesh), lattice.size(), 1.0).counts;
  } else {
    const Pass fine = countAt(surface, mesh, lattice.size(), factor);
    counts = extrapolated(fine, countAt(surface, std::move(mesh), lattice.size(), 2.0 * factor));
  }
  counts.nodes = lattice.nodes;
  const geometry::TriangleMesh& sheets = surface.sheets;  // both sides are stored
  counts.triangles = static_cast<double>(surface.mesh.triangle.size() + 2 * sheets.triangle.size());
  counts.vertices = static_cast<double>(surface.mesh.vertex.size() + 2 * sheets.vertex.size());
  return counts;
}

}  // namespace tessera::preprocess::plan
