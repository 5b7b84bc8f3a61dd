// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lattice with a surface, one task a slab of planes: boundary nodes by bit operations,
// then each link against the triangles of its cell.
#include "preprocess/links.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "preprocess/boundary_nodes.hpp"
#include "preprocess/link_crossing.hpp"
#include "preprocess/surface_cells.hpp"

namespace tessera {

namespace {

using std::size_t;
using Entries = std::span<const SurfaceCells::Entry>;

constexpr int slabPlanes = 8;

// Cell c of the 8 around a node lies on the low side of x, y, z where bit 0, 1, 2 is set. A link
// lies in one of them, on the high side where it does not move.
constexpr std::array<std::uint32_t, 8> makeLinksOfCells() {
  std::array<std::uint32_t, 8> links{};
  for (int n = 0; n < 27; ++n) {
    const Int3 step = directionStep(n);
    const int cell = (step[0] < 0 ? 1 : 0) + (step[1] < 0 ? 2 : 0) + (step[2] < 0 ? 4 : 0);
    if (n != restDirection) links[static_cast<size_t>(cell)] |= 1U << n;
  }
  return links;
}
constexpr std::array<std::uint32_t, 8> linksOfCell = makeLinksOfCells();

// The 8 cells around a node that moves along a row of the lattice towards greater x.
class CellsAround {
 public:
  CellsAround(const SurfaceCells& cells, int y, int z)
      : row_{cells.row(y, z), cells.row(y - 1, z), cells.row(y, z - 1), cells.row(y - 1, z - 1)} {}
  void moveTo(int x) {
    for (size_t r = 0; r < 4; ++r) {
      const auto firstFrom = [&](size_t at, int cell) {
        while (at < row_[r].size() && row_[r][at].cell < cell) ++at;
        return at;
      };
      begin_[r] = firstFrom(begin_[r], x - 1);
      middle_[r] = firstFrom(begin_[r], x);
      end_[r] = firstFrom(middle_[r], x + 1);
    }
  }
  [[nodiscard]] Entries cell(size_t c) const {
    const size_t r = c / 2;
    return c % 2 == 1 ? row_[r].subspan(begin_[r], middle_[r] - begin_[r])
                      : row_[r].subspan(middle_[r], end_[r] - middle_[r]);
  }

 private:
  std::array<Entries, 4> row_;
  std::array<size_t, 4> begin_{}, middle_{}, end_{};
};

// The nearest triangle so far; of those equally near the first.
struct Nearest {
  const NearTriangle* triangle = nullptr;
  double squared = std::numeric_limits<double>::infinity();

  void consider(const Int3& node, const NearTriangle& candidate) {
    const double height = heightOver(node, candidate);
    if (height * height > squared || &candidate == triangle) return;
    if (dot(candidate.normal, candidate.normal) == 0.0) return;  // a needle
    const double distance = squaredDistance(node, candidate);
    if (distance >= squared) return;
    squared = distance;
    triangle = &candidate;
  }
};

Double3 sumOfSteps(std::uint32_t mask) {
  Double3 sum{0.0, 0.0, 0.0};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const Int3 step = directionStep(std::countr_zero(rest));
    for (size_t a = 0; a < 3; ++a) sum[a] += step[a];
  }
  // A node between two walls: any direction that leaves.
  if (dot(sum, sum) == 0.0) {
    const Int3 step = directionStep(std::countr_zero(mask));
    sum = {static_cast<double>(step[0]), static_cast<double>(step[1]),
           static_cast<double>(step[2])};
  }
  return sum;
}

// Collects the boundary nodes of a slab.
class SlabLinks {
 public:
  SlabLinks(const BitLattice& fluid, const std::array<bool, 3>& periodic,
            const SlabbedSurface& surface, size_t slab)
      : firstPlane_(static_cast<int>(slab) * surface.planes()),
        lastPlane_(std::min(firstPlane_ + surface.planes(), fluid.size[2]) - 1),
        fluid_(fluid),
        cells_(surface.triangles(slab), fluid.size, firstPlane_ - 1, lastPlane_) {
    for (int z = firstPlane_; z <= lastPlane_; ++z)
      for (int y = 0; y < fluid.size[1]; ++y) {
        CellsAround around(cells_, y, z);
        RowNeighbourhood(fluid, periodic, y, z).forEachBoundaryNode([&](int x, std::uint32_t mask) {
          around.moveTo(x);
          addNode({x, y, z}, mask, around);
        });
      }
  }
  FoundLinks found;

 private:
  void addNode(const Int3& node, std::uint32_t mask, const CellsAround& around) {
    for (size_t c = 0; c < 8; ++c)
      if (const std::uint32_t links = mask & linksOfCell[c]; links != 0)
        for (const auto& entry : around.cell(c))
          crossLinks(node, links, cells_.triangle(entry.triangle), crossings_);
    BoundaryNodes& boundary = found.boundary;
    hit_.clear();
    bool anyWall = false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      anyWall |= !isOpening(addLink(node, std::countr_zero(rest), around));
    const NearTriangle* nearest = nearestHit(node, anyWall);
    boundary.node.push_back(fluid_.nodeIndex(node[0], node[1], node[2]));
    boundary.mask.push_back(mask);
    boundary.normal.push_back(
        codeFromNormal(nearest != nullptr ? nearest->normal : sumOfSteps(mask)));
  }

  Patch addLink(const Int3& node, int n, const CellsAround& around) {
    std::vector<Crossing>& crossings = crossings_[static_cast<size_t>(n)];
    const NearTriangle* triangle = nullptr;
    double distance = 0.5;
    if (const Crossing* exit = firstExit(crossings)) {
      triangle = exit->triangle;
      distance = exit->distance;
    } else {
      ++found.uncrossedLinks;
      triangle = nearestAround(node, around);
      if (triangle != nullptr) distance = distanceToPlane(node, n, *triangle);
    }
    crossings.clear();
    if (triangle != nullptr && (hit_.empty() || hit_.back() != triangle)) hit_.push_back(triangle);
    const Patch patch = triangle != nullptr ? triangle->patch : Patch{0};
    found.boundary.distance.push_back(codeFromDistance(distance));
    found.boundary.patch.push_back(patch);
    ++(isOpening(patch) ? found.openingLinks : found.wallLinks);
    return patch;
  }

  // Of the triangles that the node's links end on: walls, or openings.
  [[nodiscard]] const NearTriangle* nearestHit(const Int3& node, bool wall) const {
    Nearest nearest;
    for (const NearTriangle* triangle : hit_)
      if (isOpening(triangle->patch) != wall) nearest.consider(node, *triangle);
    return nearest.triangle;
  }

  [[nodiscard]] const NearTriangle* nearestAround(const Int3& node,
                                                  const CellsAround& around) const {
    Nearest nearest;
    for (size_t c = 0; c < 8; ++c)
      for (const auto& entry : around.cell(c))
        nearest.consider(node, cells_.triangle(entry.triangle));
    return nearest.triangle;
  }

  int firstPlane_, lastPlane_;
  const BitLattice& fluid_;
  SurfaceCells cells_;
  CrossingsByDirection crossings_;        // of the node at hand
  std::vector<const NearTriangle*> hit_;  // that its links end on
};

template <class T>
void append(std::vector<T>& all, size_t at, const std::vector<T>& part) {
  std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
}

// Puts the slabs' nodes and links one after the other.
FoundLinks joined(const std::vector<FoundLinks>& parts) {
  FoundLinks all;
  std::vector<size_t> firstNode, firstLink;
  size_t nodes = 0;
  size_t links = 0;
  for (const FoundLinks& part : parts) {
    firstNode.push_back(nodes);
    firstLink.push_back(links);
    nodes += part.boundary.node.size();
    links += part.boundary.patch.size();
    all.wallLinks += part.wallLinks;
    all.openingLinks += part.openingLinks;
    all.uncrossedLinks += part.uncrossedLinks;
  }
  BoundaryNodes& boundary = all.boundary;
  boundary.node.resize(nodes);
  boundary.mask.resize(nodes);
  boundary.normal.resize(nodes);
  boundary.distance.resize(links);
  boundary.patch.resize(links);
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t s) {
    const BoundaryNodes& part = parts[s].boundary;
    append(boundary.node, firstNode[s], part.node);
    append(boundary.mask, firstNode[s], part.mask);
    append(boundary.normal, firstNode[s], part.normal);
    append(boundary.distance, firstLink[s], part.distance);
    append(boundary.patch, firstLink[s], part.patch);
  });
  return all;
}

// The patch of a link out of the box: the first face listed that it leaves through.
Patch patchOutOf(const Int3& size, const Int3& target, std::span<const BoxFace> openings) {
  for (const BoxFace& face : openings) {
    const auto axis = static_cast<size_t>(face.axis);
    if (face.high ? target[axis] >= size[axis] : target[axis] < 0)
      return openingPatch(face.openingId);
  }
  return 0;
}

FoundLinks imageSlab(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                     std::span<const BoxFace> openings, int z) {
  FoundLinks found;
  BoundaryNodes& boundary = found.boundary;
  for (int y = 0; y < fluid.size[1]; ++y)
    RowNeighbourhood(fluid, periodic, y, z).forEachBoundaryNode([&](int x, std::uint32_t mask) {
      boundary.node.push_back(fluid.nodeIndex(x, y, z));
      boundary.mask.push_back(mask);
      std::uint32_t walls = 0;
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int n = std::countr_zero(rest);
        const Int3 step = directionStep(n);
        const Patch patch =
            patchOutOf(fluid.size, {x + step[0], y + step[1], z + step[2]}, openings);
        boundary.patch.push_back(patch);
        boundary.distance.push_back(codeFromDistance(0.5));
        if (!isOpening(patch)) walls |= 1U << n;
        ++(isOpening(patch) ? found.openingLinks : found.wallLinks);
      }
      boundary.normal.push_back(codeFromNormal(sumOfSteps(walls != 0 ? walls : mask)));
    });
  return found;
}

}  // namespace

FoundLinks findLinks(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                     const TriangleMesh& mesh) {
  const SlabbedSurface surface(mesh, fluid.size, periodic, slabPlanes);
  std::vector<FoundLinks> parts(surface.slabs());
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t slab) {
    parts[slab] = std::move(SlabLinks(fluid, periodic, surface, slab).found);
  });
  return joined(parts);
}

FoundLinks findImageLinks(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const BoxFace> openings) {
  std::vector<FoundLinks> parts(static_cast<size_t>(fluid.size[2]));
  tbb::parallel_for(0, fluid.size[2], [&](int z) {
    parts[static_cast<size_t>(z)] = imageSlab(fluid, periodic, openings, z);
  });
  return joined(parts);
}

}  // namespace tessera
