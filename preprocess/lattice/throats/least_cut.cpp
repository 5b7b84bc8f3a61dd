// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/least_cut.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using std::size_t;

namespace {

constexpr std::uint32_t none = LinkGraph::none;

// Whether the straight line between two fluid nodes runs in the fluid.
bool isOpenLine(const LatticeGeometry& geometry, const ThinWalls& walls, const Int3& from,
                const Int3& to) {
  Int3 last = from;
  bool isOpen = from != to;
  alongLine(from, to, [&](const Int3& next) {
    isOpen = geometry.fluid.at(next[0], next[1], next[2]) && !walls.areBetween(last, next);
    last = next;
    return isOpen;
  });
  return isOpen;
}

// Links that cross a surface: their capacities, their steps along the axes, and their middles.
struct CrossedLinks {
  double capacity = 0.0;
  Double3 vector{}, moment{};
  void add(const Int3& step, double share, const Double3& middle) {
    const int axes = geometry::axesOfStep(step);
    const double own = share * linkCapacity[static_cast<size_t>(axes)];
    capacity += own;
    for (size_t a = 0; a < 3; ++a) {
      moment[a] += own * middle[a];
      if (axes == 1) vector[a] += share * step[a];
    }
  }
};

Double3 positionOf(const Int3& node) {
  return {1.0 * node[0], 1.0 * node[1], 1.0 * node[2]};
}

// Points of a graph and the sides on which a cut has them. isSolid(p, n): no fluid lies beside the
// point in that direction.
struct CutGraph {
  const LinkGraph& graph;
  const std::vector<Side>& sides;
  const std::vector<Int3>& nodes;
  double step = 1.0;  // nodes between points
  std::function<bool(std::uint32_t, int)> isSolid;
};

// Pieces of a cut: links from points on one side to points on the other; they are one where the
// points on the one side are linked.
class PieceCollector {
 public:
  explicit PieceCollector(const CutGraph& cut) : cut_(cut), sets_(cut.sides.size()) {
    for (std::uint32_t p = 0; p < cut.sides.size(); ++p)
      if (isAtCut(p)) atCut_.push_back(p);
    for (const std::uint32_t p : atCut_)
      for (const std::uint32_t q : cut.graph.point[p])
        if (q != none && isAtCut(q)) sets_.join(p, q);
  }
  std::vector<CutPiece> pieces() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> points;
    for (const std::uint32_t p : atCut_) points[sets_.root(p)].push_back(p);
    std::vector<CutPiece> found;
    for (const auto& [root, own] : points) found.push_back(pieceOf(own));
    std::stable_sort(found.begin(), found.end(),
                     [](const CutPiece& a, const CutPiece& b) { return a.area > b.area; });
    return found;
  }

 private:
  [[nodiscard]] bool isCut(std::uint32_t p, std::uint32_t q) const {
    return q != none && cut_.sides[p] == Side::One && cut_.sides[q] == Side::Other;
  }
  [[nodiscard]] bool isAtCut(std::uint32_t p) const {
    const LinkGraph::Links& links = cut_.graph.point[p];
    return std::any_of(links.begin(), links.end(), [&](std::uint32_t q) { return isCut(p, q); });
  }
  // The vector area is exact where the piece is plane, whatever its direction.
  [[nodiscard]] CutPiece pieceOf(const std::vector<std::uint32_t>& points) const {
    constexpr double plane = 0.85;  // vector area over area
    CrossedLinks crossed;
    for (const std::uint32_t p : points)
      for (const auto& [n, step] : geometry::neighbourhood)
        if (const std::uint32_t q = cut_.graph.point[p][static_cast<size_t>(n)]; isCut(p, q))
          crossed.add(step, 1.0, 0.5 * (positionOf(cut_.nodes[p]) + positionOf(cut_.nodes[q])));
    const Double3 centre = (1.0 / crossed.capacity) * crossed.moment;
    const double whole = length(crossed.vector);
    const Double3 normal = whole > 0.0 ? (1.0 / whole) * crossed.vector : Double3{};
    addBeforeWalls(points, centre, normal, crossed);
    const double area = cut_.step * cut_.step * crossed.capacity / linkUnit;
    const double across = cut_.step * cut_.step * length(crossed.vector);
    return {across > plane * area ? across : area, centre, normal};
  }
  // Links that reach the plane of a piece and end at a wall beyond it, at an even distance on the
  // average.
  void addBeforeWalls(const std::vector<std::uint32_t>& points, const Double3& centre,
                      const Double3& normal, CrossedLinks& crossed) const {
    for (const std::uint32_t p : besidePiece(points)) {
      const Double3 at = positionOf(cut_.nodes[p]) - centre;
      const double sign = cut_.sides[p] == Side::One ? 1.0 : -1.0;
      const double before = -sign * dot(at, normal);  // the plane
      if (before <= 0.0) continue;
      for (const auto& [n, step] : geometry::neighbourhood) {
        const Double3 link = cut_.step * positionOf(step);
        const double along = sign * dot(link, normal);
        if (along <= before || !cut_.isSolid(p, n)) continue;
        const Double3 middle = positionOf(cut_.nodes[p]) + 0.5 * link;
        crossed.add(static_cast<int>(sign) * step, 1.0 - before / along, middle);
      }
    }
  }
  // Points of a piece, on both sides, and those next to them.
  [[nodiscard]] std::vector<std::uint32_t> besidePiece(std::vector<std::uint32_t> points) const {
    for (int round = 0; round < 2; ++round)
      for (size_t k = 0, end = points.size(); k < end; ++k)
        for (const std::uint32_t q : cut_.graph.point[points[k]])
          if (q != none && cut_.sides[q] != Side::None) points.push_back(q);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

  const CutGraph& cut_;
  geometry::DisjointSets<std::uint32_t> sets_;
  std::vector<std::uint32_t> atCut_;
};

// Nodes of the coarse cells near a cut, with the sides of the cells around them.
class FineBand {
 public:
  FineBand(const LatticeGeometry& geometry, const CoarseFluid& coarse, std::vector<Side> sideOfCell)
      : geometry_(geometry), coarse_(coarse), sideOfCell_(std::move(sideOfCell)) {
    findCells();
  }
  [[nodiscard]] size_t nodes() const { return nodeOf_.size(); }
  // given: sides of the cells that are terminals, else None; of their nodes those that no wall
  // parts from the centre.
  std::vector<CutPiece> pieces(const ThinWalls& walls, const std::vector<Side>& given) {
    LinkGraph graph;
    graph.point.resize(nodes());
    std::vector<Side> sides(nodes(), Side::None);
    tbb::parallel_for(size_t{0}, nodes(), [&](size_t p) {
      const Int3& node = nodeOf_[p];
      const Int3 cell = coarse_.cellOfNode(node);
      const Side side = given[coarse_.cell(cell)];
      if (side != Side::None && !walls.areAlong(coarse_.centreNode(cell), node)) sides[p] = side;
      for (const auto& [n, step] : geometry::neighbourhood) {
        std::uint32_t& link = graph.point[p][static_cast<size_t>(n)];
        link = none;
        const Int3 next = node + step;
        if (n == geometry::restDirection || !isFluid(next) || walls.areBetween(node, next))
          continue;
        link = pointAt(next);
        if (link != none || sides[p] != Side::None) continue;
        sides[p] = sideOfCell_[coarse_.cell(coarse_.cellOfNode(next))];
      }
    });
    sides = leastCutSides(graph, sides);
    const auto isSolid = [&](std::uint32_t p, int n) {
      return !isFluid(nodeOf_[p] + geometry::directionStep(n));
    };
    return PieceCollector({graph, sides, nodeOf_, 1.0, isSolid}).pieces();
  }

 private:
  [[nodiscard]] bool isFluid(const Int3& node) const {
    return geometry_.fluid.inside(node[0], node[1], node[2]) &&
           geometry_.fluid.at(node[0], node[1], node[2]);
  }
  [[nodiscard]] size_t nodesOfCell() const {
    return static_cast<size_t>(coarse_.step) * static_cast<size_t>(coarse_.step) *
           static_cast<size_t>(coarse_.step);
  }
  [[nodiscard]] size_t inCell(const Int3& node) const {
    const int step = coarse_.step;
    return static_cast<size_t>(node[0] % step + step * (node[1] % step + step * (node[2] % step)));
  }
  [[nodiscard]] std::uint32_t pointAt(const Int3& node) const {
    const std::uint32_t at = numberOfCell_[coarse_.cell(coarse_.cellOfNode(node))];
    return at == none ? none : point_[at * nodesOfCell() + inCell(node)];
  }
  // Marks the cells within so many of those marked.
  void spread(std::vector<char>& isMarked, int cells) const {
    for (int k = 0; k < cells; ++k) {
      const std::vector<char> before = isMarked;
      forInnerCells([&](const Int3& at) {
        for (const auto& [n, step] : geometry::neighbourhood)
          if (before[coarse_.cell(at + step)] != 0) isMarked[coarse_.cell(at)] = 1;
      });
    }
  }
  template <class Visit>
  void forInnerCells(const Visit& visit) const {
    for (int z = 1; z + 1 < coarse_.size[2]; ++z)
      for (int y = 1; y + 1 < coarse_.size[1]; ++y)
        for (int x = 1; x + 1 < coarse_.size[0]; ++x) visit(Int3{x, y, z});
  }
  void findCells() {
    std::vector<char> isNear(sideOfCell_.size(), 0);
    forInnerCells([&](const Int3& at) {
      if (sideOfCell_[coarse_.cell(at)] != Side::One) return;
      for (const auto& [n, step] : geometry::neighbourhood)
        if (sideOfCell_[coarse_.cell(at + step)] == Side::Other) isNear[coarse_.cell(at)] = 1;
    });
    constexpr int beside = 2;  // cells on either side
    spread(isNear, beside);
    numberOfCell_.assign(sideOfCell_.size(), none);
    std::uint32_t number = 0;
    for (std::uint32_t cell = 0; cell < isNear.size(); ++cell)
      if (isNear[cell] != 0) numberOfCell_[cell] = number++;
    point_.assign(number * nodesOfCell(), none);
    for (std::uint32_t cell = 0; cell < isNear.size(); ++cell)
      if (isNear[cell] != 0) addNodesOf(cell);
  }
  void addNodesOf(std::uint32_t cell) {
    const int step = coarse_.step;
    const Int3 low = step * (coarse_.cellAt(cell) - Int3{1, 1, 1});
    for (int z = low[2]; z < low[2] + step; ++z)
      for (int y = low[1]; y < low[1] + step; ++y)
        for (int x = low[0]; x < low[0] + step; ++x) {
          const Int3 node{x, y, z};
          if (!isFluid(node)) continue;
          point_[numberOfCell_[cell] * nodesOfCell() + inCell(node)] =
              static_cast<std::uint32_t>(nodeOf_.size());
          nodeOf_.push_back(node);
        }
  }

  const LatticeGeometry& geometry_;
  const CoarseFluid& coarse_;
  std::vector<Side> sideOfCell_;
  std::vector<std::uint32_t> numberOfCell_;  // of the near cells, or none
  std::vector<std::uint32_t> point_;         // by node of the near cells, or none
  std::vector<Int3> nodeOf_;                 // of each point
};

// visit(each cell at an opening), blocked ones too.
template <class Visit>
void forOpeningCells(const CoarseFluid& coarse, size_t opening, const Visit& visit) {
  for (const auto* list : {&coarse.atOpening[opening], &coarse.blockedAtOpening[opening]})
    for (const std::uint32_t cell : *list) visit(cell);
}

// Openings on the two sides, by most of their cells.
void assignOpenings(const CoarseFluid& coarse, const std::vector<Side>& sideOfCell, LeastCut& cut) {
  for (size_t k = 0; k < coarse.atOpening.size(); ++k) {
    long balance = 0;
    forOpeningCells(coarse, k, [&](std::uint32_t cell) {
      balance += sideOfCell[cell] == Side::One ? 1 : sideOfCell[cell] == Side::Other ? -1 : 0;
    });
    (balance > 0 ? cut.one : cut.other).push_back(static_cast<int>(k) + 1);
  }
}

}  // namespace

double LeastCut::area() const {
  return std::accumulate(piece.begin(), piece.end(), 0.0,
                         [](double sum, const CutPiece& each) { return sum + each.area; });
}

double LeastCut::doubt() const {
  return std::accumulate(
      piece.begin(), piece.end(), 0.1 * area(),
      [](double sum, const CutPiece& each) { return sum + std::sqrt(each.area); });
}

CutSearch::CutSearch(const LatticeGeometry& geometry, std::span<const CutNode> cuts,
                     const CoarseFluid& coarse)
    : geometry_(geometry), coarse_(coarse), walls_(allThinWalls(geometry.fluid, cuts)) {
  pointOf_.assign(coarse.square.size(), none);
  for (std::uint32_t cell = 0; cell < pointOf_.size(); ++cell) {
    const Int3 at = coarse.cellAt(cell);
    Int3 node{};
    bool isInside = true;
    for (size_t a = 0; a < 3; ++a) {
      isInside = isInside && at[a] > 0 && at[a] + 1 < coarse.size[a];
      node[a] = std::min((at[a] - 1) * coarse.step + coarse.step / 2, geometry.fluid.size[a] - 1);
    }
    if (!isInside || !geometry.fluid.at(node[0], node[1], node[2])) continue;
    pointOf_[cell] = static_cast<std::uint32_t>(nodeOf_.size());
    nodeOf_.push_back(node);
  }
  graph_.point.resize(nodeOf_.size());
  tbb::parallel_for(
      std::uint32_t{0}, static_cast<std::uint32_t>(pointOf_.size()), [&](std::uint32_t cell) {
        const std::uint32_t own = pointOf_[cell];
        if (own == none) return;
        for (const auto& [n, step] : geometry::neighbourhood) {
          const std::uint32_t next = pointOf_[coarse.cell(coarse.cellAt(cell) + step)];
          const bool isOpen =
              next != none && isOpenLine(geometry, walls_, nodeOf_[own], nodeOf_[next]);
          graph_.point[own][static_cast<size_t>(n)] = isOpen ? next : none;
        }
      });
}

std::optional<LeastCut> CutSearch::between(const OpeningSet& one, const OpeningSet& other) const {
  std::vector<Side> givenOfCell(pointOf_.size(), Side::None), given(nodeOf_.size(), Side::None);
  const auto give = [&](const OpeningSet& group, Side side) {
    for (const int id : group)
      forOpeningCells(coarse_, static_cast<size_t>(id) - 1, [&](std::uint32_t cell) {
        givenOfCell[cell] = side;
        if (pointOf_[cell] != none) given[pointOf_[cell]] = side;
      });
  };
  give(other, Side::Other);
  give(one, Side::One);
  const std::vector<Side> sides = leastCutSides(graph_, given);
  std::vector<Side> sideOfCell(pointOf_.size(), Side::None);
  for (size_t cell = 0; cell < sideOfCell.size(); ++cell)
    if (pointOf_[cell] != none) sideOfCell[cell] = sides[pointOf_[cell]];
  LeastCut cut;
  assignOpenings(coarse_, sideOfCell, cut);
  if (cut.one.empty() || cut.other.empty()) return std::nullopt;  // openings of a few cells
  const auto isSolid = [&](std::uint32_t p, int n) {
    const Int3 cell = coarse_.cellOfNode(nodeOf_[p]) + geometry::directionStep(n);
    return pointOf_[coarse_.cell(cell)] == none;
  };
  cut.piece = PieceCollector({graph_, sides, nodeOf_, 1.0 * coarse_.step, isSolid}).pieces();
  if (cut.piece.empty()) return std::nullopt;
  if (coarse_.step == 1) return cut;
  constexpr size_t mostNodes = 400'000;
  FineBand band(geometry_, coarse_, std::move(sideOfCell));
  if (band.nodes() > mostNodes) return cut;
  std::vector<CutPiece> fine = band.pieces(walls_, givenOfCell);
  if (!fine.empty()) cut.piece = std::move(fine);
  return cut;
}

}  // namespace tessera::preprocess::lattice
