// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lattice with a surface, one task per layer: boundary nodes by bit operations, then
// each triangle against the lattice lines.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <utility>

#include "preprocess/lattice/links/boundary_layer.hpp"
#include "preprocess/lattice/links/line_crossing.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/links/nearest_triangle.hpp"

namespace tessera::preprocess::lattice {

using geometry::isOpening;

namespace {

using std::size_t;

// Crossing of a link with a triangle.
struct Crossing {
  double distance;  // along the link, in link lengths
  int change;       // of the winding number: -1 leaves the fluid, +1 enters it, 0: a sheet
  const NearTriangle* triangle;
};

// Where parts end in one plane, such as two overlapping tubes, an opening of any of them counts as
// an opening of their union. exit: one of the sorted crossings.
const Crossing* orOpeningThere(const std::vector<Crossing>& crossings, const Crossing* exit) {
  constexpr double alike =
      1e-3;  // above the error of single-precision coordinates in boxes up to 8192 nodes
  for (const Crossing& other : crossings)
    if (other.change < 0 && other.distance <= exit->distance &&
        exit->distance - other.distance <= alike && isOpening(other.triangle->patch))
      return &other;
  return exit;
}

// Thinnest void within a link that is a wall, link lengths: faces of abutting parts differ by
// rounding.
constexpr double thinnestVoid = 1e-3;

// Crossing at which a link between two fluid nodes leaves the fluid for a solid thinner than the
// link, or for the space between two vessels; nullptr if it stays within. winding: number of the
// node at the start. Sorts the crossings.
const Crossing* firstCut(std::vector<Crossing>& crossings, int winding) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.distance < b.distance; });
  for (size_t k = 0; k + 1 < crossings.size(); ++k) {
    winding += crossings[k].change;
    if (winding <= 0 && crossings[k + 1].distance - crossings[k].distance > thinnestVoid)
      return &crossings[k];
  }
  return nullptr;
}

// First crossing of a link after which the winding number is no longer positive; nullptr if none.
// For links that end outside of the surface. Sorts the crossings.
const Crossing* firstExit(std::vector<Crossing>& crossings) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.distance < b.distance; });
  int winding = 0;
  for (const Crossing& crossing : crossings) winding -= crossing.change;
  for (const Crossing& crossing : crossings) {
    winding += crossing.change;
    if (crossing.change < 0 && winding <= 0) return orOpeningThere(crossings, &crossing);
  }
  return nullptr;
}

// Removes the crossings with sheets. Returns the first of them, without a triangle if there is
// none.
Crossing takeSheets(std::vector<Crossing>& crossings) {
  Crossing first{2.0, 0, nullptr};
  std::erase_if(crossings, [&](const Crossing& crossing) {
    if (crossing.change != 0) return false;
    if (crossing.distance < first.distance) first = crossing;
    return true;
  });
  return first;
}

// Winding numbers of fluid nodes.
struct WindingNumbers {
  const geometry::BitLattice& fluid;
  std::span<const geometry::BitLattice> deeper;  // nodes with a winding number above 1, 2, ...
  [[nodiscard]] int at(std::uint64_t node) const {
    const auto& [x, y, z] = fluid.nodeAt(node);
    int winding = 1;
    for (const geometry::BitLattice& level : deeper) winding += level.at(x, y, z) ? 1 : 0;
    return winding;
  }
};

// Finds the boundary nodes of a layer, then the crossings of their links, triangle by triangle.
class LayerLinks {
 public:
  LayerLinks(const WindingNumbers& winding, const std::array<bool, 3>& periodic,
             const SlabbedSurface& surface, const SurfaceWalk& walk, const WallMesh& walls,
             size_t layer)
      : winding_(winding),
        surface_(surface),
        walk_(walk),
        walls_(walls),
        firstPlane_(static_cast<int>(layer) * surface.planes()),
        lastPlane_(std::min(firstPlane_ + surface.planes(), winding.fluid.size[2]) - 1),
        rows_(winding.fluid.size[1]),
        nodes_(winding.fluid, periodic, static_cast<int>(layer)),
        triangles_(surface.triangles(layer)) {
    size_t links = 0;
    for (const std::uint32_t mask : nodes_.mask()) {
      firstLink_.push_back(static_cast<std::uint32_t>(links));
      links += static_cast<size_t>(std::popcount(mask));
    }
    lastCrossing_.assign(links, none);
    crossTriangles();
    findCuts();
    finishNodes();
  }
  FoundLinks take() { return std::move(found_); }

 private:
  // Crossing of a link, chained to the previous one on the same link; small, for the caches.
  struct Listed {
    double distance;
    std::uint32_t triangle : 31;
    std::uint32_t leaves : 1;
    std::uint32_t before;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Crossing of a link between two fluid nodes of this layer and, as found, its first exit.
  struct Inner {
    std::uint64_t node;
    int direction;
    Crossing crossing;
  };

  void crossTriangles() {
    std::vector<LineCrossing> crossings;
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      crossings.clear();
      crossLines(triangles_[t], firstPlane_, lastPlane_, crossings);
      for (const LineCrossing& crossing : crossings) {
        const Int3 step = geometry::directionStep(crossing.direction);
        const Int3& from = crossing.node;
        const Int3 to{from[0] + step[0], from[1] + step[1], from[2] + step[2]};
        const int back = geometry::oppositeDirection(crossing.direction);
        const double there = crossing.distance;
        if (triangles_[t].isSheet) {
          listSheet(from, crossing.direction, there, t);
          listSheet(to, back, 1.0 - there, t);
          continue;
        }
        // Mostly only the link on the inner side leaves the fluid.
        const bool leaves = crossing.leaves;
        const bool outer = leaves ? list(from, crossing.direction, there, t, true)
                                  : list(to, back, 1.0 - there, t, true);
        const bool inner = leaves ? list(to, back, 1.0 - there, t, false)
                                  : list(from, crossing.direction, there, t, false);
        if (outer || inner || there < 0.0 || there > 1.0) continue;
        listInner(from, crossing.direction, there, t, leaves);
        listInner(to, back, 1.0 - there, t, !leaves);
      }
    }
  }

  [[nodiscard]] bool isFluid(const Int3& node) const {
    const geometry::BitLattice& fluid = winding_.fluid;
    return fluid.inside(node[0], node[1], node[2]) && fluid.at(node[0], node[1], node[2]);
  }

  // False for links that do not leave a boundary node of this layer, which it ignores.
  bool list(const Int3& node, int n, double distance, std::uint32_t triangle, bool leaves) {
    const std::uint32_t k = nodes_.numberOf(node);
    if (k == BoundaryLayer::none) return false;
    const std::uint32_t mask = nodes_.mask()[k];
    if ((mask >> n & 1U) == 0) return false;
    const auto before = static_cast<std::uint32_t>(std::popcount(mask & ((1U << n) - 1)));
    std::uint32_t& last = lastCrossing_[firstLink_[k] + before];
    const auto place = static_cast<std::uint32_t>(listed_.size());
    listed_.push_back({distance, triangle & 0x7fffffffU, leaves, std::exchange(last, place)});
    return true;
  }

  // A link of a fluid node that does not leave the fluid; ignores nodes of other layers.
  void listInner(const Int3& node, int n, double distance, std::uint32_t triangle, bool leaves) {
    if (node[2] >= firstPlane_ && node[2] <= lastPlane_ && isFluid(node))
      inner_.push_back({winding_.fluid.nodeIndex(node[0], node[1], node[2]),
                        n,
                        {distance, leaves ? -1 : 1, &triangles_[triangle]}});
  }

  // A link of a fluid node that crosses a sheet.
  void listSheet(const Int3& node, int n, double distance, std::uint32_t triangle) {
    if (node[2] < firstPlane_ || node[2] > lastPlane_ || !isFluid(node)) return;
    if (!list(node, n, distance, triangle, false))
      inner_.push_back({winding_.fluid.nodeIndex(node[0], node[1], node[2]),
                        n,
                        {distance, 0, &triangles_[triangle]}});
  }

  // Reduces the inner crossings to one for each link that they cut, by node and direction.
  void findCuts() {
    if (inner_.empty()) return;
    std::stable_sort(inner_.begin(), inner_.end(), [](const Inner& a, const Inner& b) {
      return std::pair(a.node, a.direction) < std::pair(b.node, b.direction);
    });
    std::vector<Inner> cuts;
    for (auto at = inner_.begin(); at != inner_.end();) {
      const auto end = std::find_if(at, inner_.end(), [&](const Inner& other) {
        return other.node != at->node || other.direction != at->direction;
      });
      ofLink_.clear();
      std::transform(at, end, std::back_inserter(ofLink_),
                     [](const Inner& each) { return each.crossing; });
      Crossing first = takeSheets(ofLink_);
      const Crossing* const cut = firstCut(ofLink_, winding_.at(at->node));
      if (cut != nullptr && !(first.distance < cut->distance)) first = *cut;
      if (first.triangle != nullptr) cuts.push_back({at->node, at->direction, first});
      at = end;
    }
    inner_ = std::move(cuts);
  }

  // Boundary nodes and those with cut links alone, in order.
  void finishNodes() {
    const geometry::BitLattice& fluid = winding_.fluid;
    auto cut = inner_.cbegin();
    const auto finishCutNodes = [&](std::uint64_t before) {
      while (cut != inner_.cend() && cut->node < before) {
        const auto first = cut;
        while (cut != inner_.cend() && cut->node == first->node) ++cut;
        finishNode(fluid.nodeAt(first->node), 0, 0, {first, cut});
      }
    };
    for (size_t k = 0; k < nodes_.node().size(); ++k) {
      const auto& [x, y, z] = nodes_.node()[k];
      const std::uint64_t node = fluid.nodeIndex(x, y, z);
      finishCutNodes(node);
      const auto first = cut;
      while (cut != inner_.cend() && cut->node == node) ++cut;
      finishNode(nodes_.node()[k], nodes_.mask()[k], firstLink_[k], {first, cut});
    }
    finishCutNodes(~std::uint64_t{0});
  }

  // leaving: links to nodes that are not fluid, of which `link` is the first.
  void finishNode(const Int3& node, std::uint32_t leaving, std::uint32_t link,
                  std::span<const Inner> cuts) {
    std::uint32_t mask = leaving;
    for (const Inner& cut : cuts) mask |= 1U << cut.direction;
    found_.boundary.node.push_back(winding_.fluid.nodeIndex(node[0], node[1], node[2]));
    found_.boundary.mask.push_back(mask);
    hit_.clear();
    ontoSheets_ = {};
    bool anyWall = false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int n = std::countr_zero(rest);
      if ((leaving >> n & 1U) != 0) {
        anyWall |= !isOpening(finishLink(node, n, link++));
      } else {
        finishCut(n, cuts.front().crossing);
        cuts = cuts.subspan(1);
        anyWall = true;
      }
    }
    const NearTriangle* nearest = nearestHit(node, anyWall);
    found_.boundary.normal.push_back(geometry::codeFromNormal(
        nearest != nullptr ? normalNear(node, *nearest) : sumOfSteps(mask)));
  }

  // Normal of the nearest triangle, searched from a triangle that a link ends on.
  [[nodiscard]] Double3 normalNear(const Int3& node, const NearTriangle& hit) const {
    const SlabbedSurface::Copy copy = surface_.copyOf(hit.index);
    const std::uint32_t nearest = walk_.nearest(
        {static_cast<double>(node[0] - copy.shift[0]), static_cast<double>(node[1] - copy.shift[1]),
         static_cast<double>(node[2] - copy.shift[2])},
        copy.triangle);
    const Double3 normal =
        nearest == copy.triangle ? hit.normal : geometry::areaVector(walls_.mesh, nearest);
    return hit.isSheet ? away(node, nearest, copy.shift, normal) : normal;
  }

  // Normal of a sheet away from a node; on the sheet, along the links that cross it.
  [[nodiscard]] Double3 away(const Int3& node, std::uint32_t triangle, const Int3& shift,
                             const Double3& normal) const {
    const Double3& on = walls_.mesh.vertex[walls_.mesh.triangle[triangle][0]];
    Double3 to{};
    for (size_t a = 0; a < 3; ++a) to[a] = on[a] + shift[a] - node[a];
    constexpr double near = 1e-4;  // nodes
    const double height = dot(normal, to);
    const double along =
        std::abs(height) > near * length(normal) ? height : dot(normal, ontoSheets_);
    return along < 0.0 ? -1.0 * normal : normal;
  }

  void noteSheet(int n, const NearTriangle& triangle) {
    if (!triangle.isSheet) return;
    const Int3 step = geometry::directionStep(n);
    for (size_t a = 0; a < 3; ++a) ontoSheets_[a] += step[a];
  }

  // A cut link ends on a wall: fluid continues behind it, so it enters through no opening.
  void finishCut(int n, const Crossing& crossing) {
    hit_.push_back(crossing.triangle);
    noteSheet(n, *crossing.triangle);
    const geometry::Patch patch = crossing.triangle->patch;
    found_.boundary.distance.push_back(geometry::codeFromDistance(crossing.distance));
    found_.boundary.patch.push_back(isOpening(patch) ? geometry::Patch{0} : patch);
    ++found_.wallLinks;
    ++found_.cutLinks;
  }

  geometry::Patch finishLink(const Int3& node, int n, std::uint32_t link) {
    const NearTriangle* triangle = nullptr;
    double distance = 0.5;
    if (const Crossing* exit = exitOf(link)) {
      triangle = exit->triangle;
      distance = exit->distance;
      noteSheet(n, *triangle);
    } else {
      ++found_.uncrossedLinks;
      triangle = nearestInRow(node);
      if (triangle != nullptr)
        distance = distanceToPlane(node, geometry::directionStep(n), *triangle);
    }
    if (triangle != nullptr && (hit_.empty() || hit_.back() != triangle)) hit_.push_back(triangle);
    const geometry::Patch patch = triangle != nullptr ? triangle->patch : geometry::Patch{0};
    found_.boundary.distance.push_back(geometry::codeFromDistance(distance));
    found_.boundary.patch.push_back(patch);
    ++(isOpening(patch) ? found_.openingLinks : found_.wallLinks);
    return patch;
  }

  const Crossing* exitOf(std::uint32_t link) {
    ofLink_.clear();
    bool anySheet = false;
    for (std::uint32_t at = lastCrossing_[link]; at != none; at = listed_[at].before) {
      const NearTriangle& triangle = triangles_[listed_[at].triangle];
      anySheet |= triangle.isSheet;
      ofLink_.push_back({listed_[at].distance,
                         triangle.isSheet          ? 0
                         : listed_[at].leaves != 0 ? -1
                                                   : 1,
                         &triangle});
    }
    if (anySheet) return exitOrSheet();
    if (ofLink_.size() == 1) return ofLink_[0].change < 0 ? ofLink_.data() : nullptr;
    std::reverse(ofLink_.begin(), ofLink_.end());
    return firstExit(ofLink_);
  }

  const Crossing* exitOrSheet() {
    sheet_ = takeSheets(ofLink_);
    std::reverse(ofLink_.begin(), ofLink_.end());
    const Crossing* const exit = firstExit(ofLink_);
    return exit != nullptr && exit->distance <= sheet_.distance ? exit : &sheet_;
  }

  // Candidates: walls (or openings) that the node's links end on.
  [[nodiscard]] const NearTriangle* nearestHit(const Int3& node, bool wall) const {
    NearestTriangle nearest;
    for (const NearTriangle* triangle : hit_)
      if (isOpening(triangle->patch) != wall) nearest.consider(node, *triangle);
    return nearest.triangle;
  }

  // Candidates for a link without crossing: triangles near the node's row. So rare that most layers
  // never sort their triangles into rows.
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
      if (!triangles_[t].isSheet) nearest.consider(node, triangles_[t]);
    return nearest.triangle;
  }

  FoundLinks found_;
  const WindingNumbers& winding_;
  const SlabbedSurface& surface_;
  const SurfaceWalk& walk_;
  const WallMesh& walls_;
  int firstPlane_, lastPlane_, rows_;
  BoundaryLayer nodes_;
  std::vector<NearTriangle> triangles_;
  Bins inRow_;                               // built on demand
  std::vector<std::uint32_t> firstLink_;     // of each boundary node
  std::vector<std::uint32_t> lastCrossing_;  // of each link, in listed_
  std::vector<Listed> listed_;
  std::vector<Inner> inner_;
  std::vector<Crossing> ofLink_;          // of the current link
  Crossing sheet_{};                      // the first sheet that it crosses
  Double3 ontoSheets_{};                  // sum of the current node's steps that end on sheets
  std::vector<const NearTriangle*> hit_;  // at which the current node's links end
};

}  // namespace

FoundLinks findLinks(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                     const geometry::TriangleMesh& mesh,
                     std::span<const geometry::BitLattice> deeper,
                     const geometry::TriangleMesh& sheets) {
  const WindingNumbers winding{fluid, deeper};
  geometry::TriangleMesh both;
  if (!sheets.triangle.empty()) {
    both = mesh;
    geometry::appendMesh(both, sheets);
  }
  const WallMesh walls = sheets.triangle.empty() ? WallMesh(mesh) : WallMesh(both, mesh);
  const SlabbedSurface surface(walls, fluid.size, periodic, geometry::BitLattice::blockPlanes);
  const SurfaceWalk walk(walls.mesh);
  std::vector<FoundLinks> parts(surface.slabs());
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t layer) {
    if (!fluid.layerIsEmpty(static_cast<int>(layer)))
      parts[layer] = LayerLinks(winding, periodic, surface, walk, walls, layer).take();
  });
  return joined(parts);
}

}  // namespace tessera::preprocess::lattice
