// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/link_flow.hpp"

#include <algorithm>

namespace tessera::preprocess::lattice {

namespace {

using geometry::oppositeDirection;
using Point = std::uint32_t;

class LinkFlow {
 public:
  LinkFlow(const LinkGraph& graph, const std::vector<Side>& given)
      : graph_(graph), given_(given), left_(graph.point.size()) {
    for (std::size_t p = 0; p < left_.size(); ++p)
      for (const auto& [n, step] : geometry::neighbourhood)
        left_[p][index(n)] = graph.point[p][index(n)] == LinkGraph::none
                                 ? std::uint16_t{0}
                                 : linkCapacity[index(geometry::axesOfStep(step))];
  }
  void run() {
    while (findDistances()) {
      next_.assign(left_.size(), 0);
      for (Point p = 0; p < left_.size(); ++p)
        if (given_[p] == Side::One && distance_[p] != far)
          while (augmentFrom(p)) continue;
    }
  }
  // Reached from One by capacities that are left; of the others, those that links join to Other.
  [[nodiscard]] std::vector<Side> sides() const {
    std::vector<Side> sides(left_.size(), Side::None);
    flood(Side::One, sides, [&](Point p, int n) { return left_[p][index(n)] > 0; });
    flood(Side::Other, sides, [](Point, int) { return true; });
    return sides;
  }

 private:
  static constexpr std::uint32_t far = ~std::uint32_t{0};
  static constexpr std::size_t index(int n) { return static_cast<std::size_t>(n); }

  // Number of links to Other on the shortest path of links that are not full. False: no path from
  // One.
  bool findDistances() {
    distance_.assign(left_.size(), far);
    front_.clear();
    for (Point p = 0; p < left_.size(); ++p)
      if (given_[p] == Side::Other) {
        distance_[p] = 0;
        front_.push_back(p);
      }
    bool isReached = false;
    for (std::size_t k = 0; k < front_.size(); ++k) {
      const Point to = front_[k];
      if (given_[to] == Side::One) {
        isReached = true;
        continue;  // paths need not pass through it
      }
      for (int n = 0; n < geometry::directionCount; ++n) {
        const Point from = graph_.point[to][index(n)];
        if (from == LinkGraph::none || distance_[from] != far ||
            left_[from][index(oppositeDirection(n))] == 0)
          continue;
        distance_[from] = distance_[to] + 1;
        front_.push_back(from);
      }
    }
    return isReached;
  }

  // One path along falling distances; links that lead nowhere are not tried again.
  bool augmentFrom(Point first) {
    path_.clear();
    for (Point at = first; distance_[at] != 0;) {
      if (const Point to = advance(at); to != LinkGraph::none) {
        path_.push_back(at);
        at = to;
      } else {
        if (path_.empty()) return false;
        at = path_.back();
        path_.pop_back();
        ++next_[at];
      }
    }
    std::uint16_t least = linkCapacity[1];
    for (const Point p : path_) least = std::min(least, left_[p][next_[p]]);
    for (const Point p : path_) {
      const std::size_t n = next_[p];
      left_[p][n] = static_cast<std::uint16_t>(left_[p][n] - least);
      std::uint16_t& back =
          left_[graph_.point[p][n]][index(oppositeDirection(static_cast<int>(n)))];
      back = static_cast<std::uint16_t>(back + least);
    }
    return true;
  }
  // The next point on a path, none: no link is left.
  Point advance(Point at) {
    for (std::uint8_t& n = next_[at]; n < geometry::directionCount; ++n) {
      const Point to = graph_.point[at][n];
      if (to != LinkGraph::none && left_[at][n] > 0 && distance_[to] + 1 == distance_[at])
        return to;
    }
    return LinkGraph::none;
  }

  template <class IsOpen>
  void flood(Side side, std::vector<Side>& sides, const IsOpen& isOpen) const {
    std::vector<Point> front;
    for (Point p = 0; p < sides.size(); ++p)
      if (given_[p] == side) {
        sides[p] = side;
        front.push_back(p);
      }
    while (!front.empty()) {
      const Point from = front.back();
      front.pop_back();
      for (int n = 0; n < geometry::directionCount; ++n) {
        const Point to = graph_.point[from][index(n)];
        if (to == LinkGraph::none || sides[to] != Side::None || !isOpen(from, n)) continue;
        sides[to] = side;
        front.push_back(to);
      }
    }
  }

  const LinkGraph& graph_;
  const std::vector<Side>& given_;
  std::vector<std::array<std::uint16_t, geometry::directionCount>> left_;  // capacities
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint8_t> next_;  // direction to be tried
  std::vector<Point> front_, path_;
};

}  // namespace

std::vector<Side> leastCutSides(const LinkGraph& graph, const std::vector<Side>& given) {
  LinkFlow flow(graph, given);
  flow.run();
  return flow.sides();
}

}  // namespace tessera::preprocess::lattice
