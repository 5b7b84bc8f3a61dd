// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/cpu/wall_points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "preprocess/file/node_types.hpp"
#include "preprocess/geometry/parabola.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::backend {

using tiler::TiledGeometry;

namespace {

double alongNormal(const Int3& c, const Double3& n) {
  return c[0] * n[0] + c[1] * n[1] + c[2] * n[2];
}

struct FluidNode {
  std::size_t tile = 0;
  int local = 0;
};

// None for solid nodes and outside.
std::optional<FluidNode> fluidAt(const TiledGeometry& geometry, Int3 node) {
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = geometry.nodes[a];
    if (node[a] >= 0 && node[a] < n) continue;
    if (!geometry.periodic[a]) return std::nullopt;
    node[a] = (node[a] % n + n) % n;
  }
  const tiler::TilePlace place = geometry.placeOf(node);
  const std::int32_t t = geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  if (t < 0) return std::nullopt;
  const auto tile = static_cast<std::size_t>(t);
  const auto local = static_cast<std::size_t>(place.local);
  if (geometry.nodeType[tile * tiler::tileNodes + local] == 0) return std::nullopt;
  return FluidNode{tile, place.local};
}

std::uint64_t observedOf(const tiles::TileOrder& order, const FluidNode& node) {
  return order.slotOfTile[node.tile] * observedPerSlot + static_cast<std::uint64_t>(node.local);
}

// Index of the first observed value of a node; none for solid nodes and outside.
std::optional<std::uint64_t> observedAt(const TiledGeometry& geometry,
                                        const tiles::TileOrder& order, const Int3& node) {
  const auto found = fluidAt(geometry, node);
  return found ? std::optional(observedOf(order, *found)) : std::nullopt;
}

// Mean distance of the wall along its normal, by the links that end on it; none without such links.
std::optional<double> wallDistance(const TiledGeometry& geometry, std::uint32_t mask,
                                   std::uint64_t link, const Double3& normal) {
  double sum = 0.0;
  double count = 0.0;
  bool any = false;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link) {
    if (preprocess::geometry::isOpening(geometry.linkPatch[link])) continue;
    any = true;
    const double along =
        alongNormal(preprocess::geometry::directionStep(std::countr_zero(rest)), normal);
    if (along < 0.3) continue;
    sum += preprocess::geometry::distanceFromCode(geometry.linkDistance[link]) * along;
    count += 1.0;
  }
  if (!any) return std::nullopt;
  return count > 0.0 ? sum / count : 0.5;
}

// Weights of values at 0, 1, ... n - 1 in the straight line through them, taken at -wall.
void fitLine(int n, double wall, WallPoint& point) {
  const double middle = 0.5 * (n - 1);
  const double spread = n == 3 ? 2.0 : 0.5;  // sum of (k - middle)^2
  for (int k = 0; k < n; ++k)
    point.weight[k] = static_cast<float>(1.0 / n + (k - middle) * (-wall - middle) / spread);
}

// Whether no wall stands between a node of the fluid and the next one along a direction of the 26.
bool reaches(const TiledGeometry& geometry, const Int3& node, int direction) {
  const auto found = fluidAt(geometry, node);
  return found && (tiler::linkMaskOf(geometry, found->tile, found->local) >> direction & 1U) == 0;
}

// Sets the nodes further in, along the direction closest to the normal, and the weights.
void lookInwards(const TiledGeometry& geometry, const tiles::TileOrder& order, const Int3& node,
                 const Double3& normal, double distance, WallPoint& point) {
  double best = 0.7;
  for (const auto& [n, c] :
       preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix)) {
    if (geometry.dimensions == 2 && c[2] != 0) continue;
    const double inwards = -alongNormal(c, normal);
    const double straight = inwards / std::sqrt(double(dot(c, c)));
    if (straight <= best) continue;
    const auto next = observedAt(geometry, order, node + c);
    if (!next || !reaches(geometry, node, n)) continue;
    best = straight;
    auto third = observedAt(geometry, order, node + 2 * c);
    if (third && !reaches(geometry, node + c, n)) third.reset();
    point.node[1] = *next;
    point.node[2] = third.value_or(*next);
    point.node[3] = point.node[0];
    point.weight[2] = 0.0F;
    fitLine(third ? 3 : 2, distance / inwards, point);
  }
}

// Distance from a node of the fluid to the wall at the end of its link along a direction; none
// without such a wall.
std::optional<double> wallOnLink(const TiledGeometry& geometry, const Int3& node, int direction) {
  const auto found = fluidAt(geometry, node);
  if (!found) return std::nullopt;
  const tiler::NodeLinks links = tiler::linksOf(geometry, found->tile, found->local);
  if ((links.mask >> direction & 1U) == 0) return std::nullopt;
  const std::uint64_t link = tiler::linkIndex(links.first, links.mask, direction);
  if (preprocess::geometry::isOpening(geometry.linkPatch[link])) return std::nullopt;
  return preprocess::geometry::distanceFromCode(geometry.linkDistance[link]);
}

// Nodes in line along an axis, and their distance from the wall.
struct Line {
  std::vector<std::uint64_t> node;  // index of the first observed value
  std::vector<double> distance;     // spacings
};

// Line of a node, which comes first. Its outermost node, next to the wall, is the node itself or
// the one before it: next to a slanted wall some nodes have no link to it along this axis.
Line lineFromWall(const TiledGeometry& geometry, const tiles::TileOrder& order, const Int3& node,
                  const Int3& inwards) {
  const Int3 outwards = -1 * inwards;
  const int out = preprocess::geometry::directionOf(outwards);
  const int in = preprocess::geometry::directionOf(inwards);
  Line line;
  const auto add = [&](const Int3& at, double distance) {
    const auto observed = observedAt(geometry, order, at);
    if (observed) line.node.push_back(*observed), line.distance.push_back(distance);
    return observed.has_value();
  };
  auto wall = wallOnLink(geometry, node, out);
  if (wall) {
    add(node, *wall);
  } else if (reaches(geometry, node, out) &&
             (wall = wallOnLink(geometry, node + outwards, out)).has_value()) {
    add(node, 1.0 + *wall);
    add(node + outwards, *wall);
  } else {
    return line;
  }
  double distance = line.distance.front();
  for (Int3 at = node; line.node.size() < nodesOfWallPoint && reaches(geometry, at, in);) {
    at = at + inwards;
    if (!add(at, distance += 1.0)) break;
  }
  return line;
}

// Sets nodes and weights along the axis closest to the normal that ends on a wall; false without
// one, or with too few nodes.
bool lookAlongAxis(const TiledGeometry& geometry, const tiles::TileOrder& order, const Int3& node,
                   const Double3& normal, WallPoint& point) {
  constexpr double least = 0.4;  // of the axis, along the normal
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(normal[a]) > std::abs(normal[b]);
  });
  for (const std::size_t a : axes) {
    if (std::abs(normal[a]) < least) break;
    Int3 inwards{0, 0, 0};
    inwards[a] = normal[a] > 0.0 ? -1 : 1;
    const Line line = lineFromWall(geometry, order, node, inwards);
    if (line.node.size() < nodesOfWallPoint) continue;
    std::array<double, nodesOfWallPoint> distance{};
    std::copy_n(line.distance.begin(), nodesOfWallPoint, distance.begin());
    const auto weight = preprocess::geometry::parabolaAtZero(distance);
    for (std::size_t k = 0; k < nodesOfWallPoint; ++k) {
      point.node[k] = line.node[k];
      point.weight[k] = static_cast<float>(weight[k]);
    }
    return true;
  }
  return false;
}

}  // namespace

WallPoints findWallPoints(const TiledGeometry& geometry, const tiles::TileOrder& order,
                          const tiles::RankPart& part) {
  WallPoints out;
  const std::vector<std::uint64_t> first = tiles::firstNodesOf(geometry, part);
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    if (order.slotOfTile[t] >= order.tiles) continue;
    std::uint64_t link = geometry.linkStart[t];
    for (std::uint64_t b = geometry.boundaryStart[t]; b < geometry.boundaryStart[t + 1]; ++b) {
      const std::uint32_t mask = geometry.boundaryMask[b];
      const Double3 normal = preprocess::geometry::normalFromCode(geometry.boundaryNormal[b]);
      const auto distance = wallDistance(geometry, mask, link, normal);
      link += static_cast<std::uint64_t>(std::popcount(mask));
      if (!distance) continue;
      const int local = geometry.boundaryLocal[b];
      WallPoint point;
      for (std::uint64_t& index : point.node)
        index = order.slotOfTile[t] * observedPerSlot + static_cast<unsigned>(local);
      for (std::size_t a = 0; a < 3; ++a) point.normal[a] = static_cast<float>(normal[a]);
      const Int3 node = geometry.nodeOf(t, local);
      if (!lookAlongAxis(geometry, order, node, normal, point))
        lookInwards(geometry, order, node, normal, *distance, point);
      out.points.push_back(point);
      const auto types =
          geometry.nodeType.begin() + static_cast<std::ptrdiff_t>(t * tiler::tileNodes);
      out.node.push_back(first[t] +
                         static_cast<std::uint64_t>(local - std::count(types, types + local, 0)));
    }
  }
  return out;
}

}  // namespace tessera::solver::backend
