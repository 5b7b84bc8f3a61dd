// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lattice with a surface, one task a slab of planes: boundary nodes by bit operations,
// then each triangle against the lattice's lines.
#include "preprocess/lattice/links.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "preprocess/lattice/boundary_nodes.hpp"
#include "preprocess/lattice/line_crossing.hpp"
#include "preprocess/lattice/nearest_triangle.hpp"

namespace tessera {

namespace {

using std::size_t;

constexpr int slabPlanes = 8;

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

// A link meets a triangle.
struct Crossing {
  double distance;  // along the link, in parts of it
  int change;       // of the winding number: -1 leaves the fluid, +1 enters it
  const NearTriangle* triangle;
};

// Of all crossings of a link that ends outside of the surface, the first behind which the winding
// number is no longer positive; nullptr when there is none. Sorts the crossings.
const Crossing* firstExit(std::vector<Crossing>& crossings) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.distance < b.distance; });
  int winding = 0;
  for (const Crossing& crossing : crossings) winding -= crossing.change;
  for (const Crossing& crossing : crossings) {
    winding += crossing.change;
    if (crossing.change < 0 && winding <= 0) return &crossing;
  }
  return nullptr;
}

// Numbers the boundary nodes of a slab, for finding them by place.
class SlabNodes {
 public:
  SlabNodes(const BitLattice& fluid, int firstPlane, int lastPlane)
      : fluid_(fluid),
        firstPlane_(firstPlane),
        lastPlane_(lastPlane),
        place_(fluid.rowStart(0, lastPlane + 1) - fluid.rowStart(0, firstPlane)) {}
  // Nodes come in row-major order.
  void add(const Int3& node) {
    Place& place = place_[wordOf(node)];
    if (place.bits == 0) place.first = count_;
    place.bits |= std::uint64_t{1} << (node[0] % 64);
    ++count_;
  }
  // none: no boundary node of this slab.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t numberOf(const Int3& node) const {
    if (node[2] < firstPlane_ || node[2] > lastPlane_ || !fluid_.inside(node[0], node[1], node[2]))
      return none;
    const Place& place = place_[wordOf(node)];
    const std::uint64_t bit = std::uint64_t{1} << (node[0] % 64);
    if ((place.bits & bit) == 0) return none;
    return place.first + static_cast<std::uint32_t>(std::popcount(place.bits & (bit - 1)));
  }

 private:
  struct Place {
    std::uint64_t bits = 0;  // 64 nodes of a row
    std::uint32_t first = 0;
  };
  [[nodiscard]] size_t wordOf(const Int3& node) const {
    return fluid_.rowStart(node[1], node[2] - firstPlane_) + static_cast<size_t>(node[0] / 64);
  }

  const BitLattice& fluid_;
  int firstPlane_, lastPlane_;
  std::uint32_t count_ = 0;
  std::vector<Place> place_;
};

// Finds the boundary nodes of a slab, then what their links cross, triangle by triangle.
class SlabLinks {
 public:
  SlabLinks(const BitLattice& fluid, const std::array<bool, 3>& periodic,
            const SlabbedSurface& surface, size_t slab)
      : firstPlane_(static_cast<int>(slab) * surface.planes()),
        lastPlane_(std::min(firstPlane_ + surface.planes(), fluid.size[2]) - 1),
        rows_(fluid.size[1]),
        nodes_(fluid, firstPlane_, lastPlane_),
        triangles_(surface.triangles(slab)) {
    for (int z = firstPlane_; z <= lastPlane_; ++z)
      for (int y = 0; y < rows_; ++y)
        RowNeighbourhood(fluid, periodic, y, z).forEachBoundaryNode([&](int x, std::uint32_t mask) {
          addNode(fluid, {x, y, z}, mask);
        });
    crossTriangles();
    for (size_t k = 0; k < place_.size(); ++k) finishNode(k);
  }
  FoundLinks found;

 private:
  // A crossing of a link, and the one found before it on the same link; small, for the caches.
  struct Listed {
    double distance;
    std::uint32_t triangle : 31;
    std::uint32_t leaves : 1;
    std::uint32_t before;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void addNode(const BitLattice& fluid, const Int3& node, std::uint32_t mask) {
    nodes_.add(node);
    place_.push_back(node);
    firstLink_.push_back(static_cast<std::uint32_t>(lastCrossing_.size()));
    lastCrossing_.resize(lastCrossing_.size() + static_cast<size_t>(std::popcount(mask)), none);
    found.boundary.node.push_back(fluid.nodeIndex(node[0], node[1], node[2]));
    found.boundary.mask.push_back(mask);
  }

  void crossTriangles() {
    std::vector<LineCrossing> crossings;
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      crossings.clear();
      crossLines(triangles_[t], firstPlane_, lastPlane_, crossings);
      for (const LineCrossing& crossing : crossings) {
        const Int3 step = directionStep(crossing.direction);
        const Int3& from = crossing.node;
        const Int3 to{from[0] + step[0], from[1] + step[1], from[2] + step[2]};
        const int back = oppositeDirection(crossing.direction);
        const double there = crossing.distance;
        // Nearly always the link on the inner side alone leaves the fluid.
        if (crossing.leaves) {
          list(from, crossing.direction, there, t, true);
          list(to, back, 1.0 - there, t, false);
        } else {
          list(to, back, 1.0 - there, t, true);
          list(from, crossing.direction, there, t, false);
        }
      }
    }
  }

  // Links that do not leave a boundary node of this slab are passed over.
  void list(const Int3& node, int n, double distance, std::uint32_t triangle, bool leaves) {
    const std::uint32_t k = nodes_.numberOf(node);
    if (k == SlabNodes::none) return;
    const std::uint32_t mask = found.boundary.mask[k];
    if ((mask >> n & 1U) == 0) return;
    const auto before = static_cast<std::uint32_t>(std::popcount(mask & ((1U << n) - 1)));
    std::uint32_t& last = lastCrossing_[firstLink_[k] + before];
    const auto place = static_cast<std::uint32_t>(listed_.size());
    listed_.push_back({distance, triangle & 0x7fffffffU, leaves, std::exchange(last, place)});
  }

  void finishNode(size_t k) {
    const Int3& node = place_[k];
    const std::uint32_t mask = found.boundary.mask[k];
    hit_.clear();
    bool anyWall = false;
    std::uint32_t link = firstLink_[k];
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      anyWall |= !isOpening(finishLink(node, std::countr_zero(rest), link++));
    const NearTriangle* nearest = nearestHit(node, anyWall);
    found.boundary.normal.push_back(
        codeFromNormal(nearest != nullptr ? nearest->normal : sumOfSteps(mask)));
  }

  Patch finishLink(const Int3& node, int n, std::uint32_t link) {
    const NearTriangle* triangle = nullptr;
    double distance = 0.5;
    if (const Crossing* exit = exitOf(link)) {
      triangle = exit->triangle;
      distance = exit->distance;
    } else {
      ++found.uncrossedLinks;
      triangle = nearestInRow(node);
      if (triangle != nullptr) distance = distanceToPlane(node, directionStep(n), *triangle);
    }
    if (triangle != nullptr && (hit_.empty() || hit_.back() != triangle)) hit_.push_back(triangle);
    const Patch patch = triangle != nullptr ? triangle->patch : Patch{0};
    found.boundary.distance.push_back(codeFromDistance(distance));
    found.boundary.patch.push_back(patch);
    ++(isOpening(patch) ? found.openingLinks : found.wallLinks);
    return patch;
  }

  const Crossing* exitOf(std::uint32_t link) {
    ofLink_.clear();
    for (std::uint32_t at = lastCrossing_[link]; at != none; at = listed_[at].before)
      ofLink_.push_back({listed_[at].distance, listed_[at].leaves != 0 ? -1 : 1,
                         &triangles_[listed_[at].triangle]});
    if (ofLink_.size() == 1) return ofLink_[0].change < 0 ? ofLink_.data() : nullptr;
    std::reverse(ofLink_.begin(), ofLink_.end());
    return firstExit(ofLink_);
  }

  // Of the triangles that the node's links end on: walls, or openings.
  [[nodiscard]] const NearTriangle* nearestHit(const Int3& node, bool wall) const {
    NearestTriangle nearest;
    for (const NearTriangle* triangle : hit_)
      if (isOpening(triangle->patch) != wall) nearest.consider(node, *triangle);
    return nearest.triangle;
  }

  // Of the triangles within a row of the node. Rounding leaves a link without a crossing so seldom
  // that most slabs never sort their triangles into rows.
  [[nodiscard]] const NearTriangle* nearestInRow(const Int3& node) {
    if (inRow_.start.empty())
      inRow_ = sortIntoBins(triangles_.size(), static_cast<size_t>(rows_), [&](size_t t) {
        const auto& corner = triangles_[t].corner;
        const auto [low, high] = std::minmax({corner[0][1], corner[1][1], corner[2][1]});
        return std::pair(std::max(nodeAtOrBefore(low), 0),
                         std::min(nodeAtOrAfter(high), rows_ - 1));
      });
    NearestTriangle nearest;
    for (const std::uint32_t t : inRow_[static_cast<size_t>(node[1])])
      nearest.consider(node, triangles_[t]);
    return nearest.triangle;
  }

  int firstPlane_, lastPlane_, rows_;
  SlabNodes nodes_;
  std::vector<NearTriangle> triangles_;
  Bins inRow_;                               // empty until it is asked for
  std::vector<Int3> place_;                  // of each boundary node
  std::vector<std::uint32_t> firstLink_;     // of each boundary node
  std::vector<std::uint32_t> lastCrossing_;  // of each link, in listed_
  std::vector<Listed> listed_;
  std::vector<Crossing> ofLink_;          // the link at hand
  std::vector<const NearTriangle*> hit_;  // that the node at hand's links end on
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
