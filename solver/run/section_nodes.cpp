// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/section_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::run {

namespace {

using preprocess::geometry::neighbourhood;
using preprocess::geometry::restDirection;
using tiler::TiledGeometry;

// Lattice coordinates; normal and span are unit vectors, span[1] of a 2D geometry is not used.
struct Plane {
  Double3 point{}, normal{};
  std::array<Double3, 2> span{};
  double radius = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool isNear(const Double3& position, double margin) const {
    const Double3 d = position - point;
    return length(d) <= radius + margin;
  }
};

// The first vector of the span lies in the plane of a 2D geometry.
Plane planeOf(const cases::Station& station, const TiledGeometry& geometry) {
  const preprocess::geometry::Frame& frame = geometry.frame;
  Plane plane;
  plane.point = frame.toLattice(station.at);
  for (std::size_t a = 0; a < 3; ++a) plane.normal[a] = dot(frame.axis[a], station.normal);
  std::size_t helper = 2;
  if (geometry.dimensions == 2) {
    plane.point[2] = plane.normal[2] = 0.0;
  } else {
    for (std::size_t a = 0; a < 2; ++a)
      if (std::abs(plane.normal[a]) < std::abs(plane.normal[helper])) helper = a;
  }
  Double3 axis{};
  axis[helper] = 1.0;
  const Double3 first = cross(plane.normal, axis);
  plane.span[0] = (1.0 / length(first)) * first;
  plane.span[1] = cross(plane.normal, plane.span[0]);
  if (station.radius > 0.0) plane.radius = station.radius / frame.spacing;
  return plane;
}

// A fluid node next to the plane, in a periodic box also its image one node beyond the other side.
struct NearNode {
  Int3 at{};
  std::uint32_t mask = 0;   // of directions whose links end on walls or openings
  std::uint32_t tile = 0;   // of the file
  std::uint32_t local = 0;  // 0 .. 63
};

Double3 positionOf(const Int3& at) {
  return {static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])};
}

std::uint64_t keyOf(const Int3& at) {
  constexpr int beyond = 1;  // images have -1
  return (static_cast<std::uint64_t>(at[2] + beyond) << 42U) +
         (static_cast<std::uint64_t>(at[1] + beyond) << 21U) +
         static_cast<std::uint64_t>(at[0] + beyond);
}

// Cells that the plane crosses have nodes up to this distance, in nodes.
double reachOf(const Plane& plane) {
  return std::abs(plane.normal[0]) + std::abs(plane.normal[1]) + std::abs(plane.normal[2]) + 1e-9;
}

void addNear(const Plane& plane, const TiledGeometry& geometry, const NearNode& node,
             std::vector<NearNode>& near) {
  constexpr double cell = 1.8;  // more than its diagonal
  std::array<std::array<int, 2>, 3> places{};
  std::array<std::size_t, 3> count{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    places[a][0] = node.at[a];
    const bool flat = a == 2 && geometry.dimensions == 2;
    if (!geometry.periodic[a] || flat || geometry.nodes[a] < 2) continue;
    if (node.at[a] == 0) places[a][count[a]++] = geometry.nodes[a];
    if (node.at[a] == geometry.nodes[a] - 1) places[a][count[a]++] = -1;
  }
  for (std::size_t k = 0; k < count[2]; ++k)
    for (std::size_t j = 0; j < count[1]; ++j)
      for (std::size_t i = 0; i < count[0]; ++i) {
        NearNode image = node;
        image.at = {places[0][i], places[1][j], places[2][k]};
        const Double3 position = positionOf(image.at);
        if (std::abs(dot(position - plane.point, plane.normal)) <= reachOf(plane) &&
            plane.isNear(position, cell))
          near.push_back(image);
      }
}

// Near nodes of all ranks, ascending by position.
std::vector<NearNode> nearNodes(const Plane& plane, const TiledGeometry& geometry,
                                const tiles::RankPart& part, comm::Ranks& ranks) {
  std::vector<NearNode> near;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    if (!part.owns(t)) continue;
    for (int l = 0; l < tiler::tileNodes; ++l) {
      const std::size_t index = t * tiler::tileNodes + static_cast<std::size_t>(l);
      if (geometry.nodeType[index] == static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const Int3 at = geometry.nodeOf(t, l);
      constexpr double images = 1.0;  // are that much closer
      const bool boxed = geometry.periodic[0] || geometry.periodic[1] || geometry.periodic[2];
      if (!boxed &&
          std::abs(dot(positionOf(at) - plane.point, plane.normal)) > reachOf(plane) + images)
        continue;
      addNear(
          plane, geometry,
          {at, tiler::linksOf(geometry, t, l).mask, part.inFile(t), static_cast<std::uint32_t>(l)},
          near);
    }
  }
  if (!ranks.alone()) near = stage::gatherValues(ranks, std::span<const NearNode>(near));
  std::sort(near.begin(), near.end(),
            [](const NearNode& a, const NearNode& b) { return keyOf(a.at) < keyOf(b.at); });
  return near;
}

struct Corner {
  std::uint32_t node = 0;  // of the section's
  double weight = 0.0;
};

// Nodes of the plane that are connected with its point, and their weights so far.
class Section {
 public:
  Section(const Plane& plane, std::vector<NearNode> near, const TiledGeometry& geometry)
      : plane_(plane),
        near_(std::move(near)),
        dimensions_(geometry.dimensions),
        nodes_(geometry.nodes),
        periodic_(geometry.periodic),
        connected_(near_.size(), 0),
        pressure_(near_.size(), 0.0),
        velocity_(near_.size(), 0.0) {
    index_.reserve(near_.size());
    for (std::uint32_t n = 0; n < near_.size(); ++n) index_.emplace(keyOf(near_[n].at), n);
    connect();
  }

  // Number of raster points, `step` nodes apart, that count; adds their weights where asked.
  double integrate(double step, bool add) {
    double points = 0.0;
    const auto [low, high] = extent();
    const auto first = [&](std::size_t s) { return std::lround(std::floor(low[s] / step)); };
    const auto last = [&](std::size_t s) { return std::lround(std::ceil(high[s] / step)); };
    for (long j = dimensions_ == 2 ? 0 : first(1); j <= (dimensions_ == 2 ? 0 : last(1)); ++j)
      for (long i = first(0); i <= last(0); ++i) {
        const Double3 position = plane_.point + (step * double(i)) * plane_.span[0] +
                                 (step * double(j)) * plane_.span[1];
        points += countAt(position, add);
      }
    return points;
  }

  // visit(node, its weights)
  template <class Visit>
  void forEachWeight(Visit&& visit) const {
    for (std::size_t n = 0; n < near_.size(); ++n)
      if (velocity_[n] > 0.0) visit(near_[n], pressure_[n], velocity_[n]);
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> find(const Int3& at) const {
    const auto found = index_.find(keyOf(at));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

  // Fluid nodes around a position with their trilinear weights.
  [[nodiscard]] std::size_t around(const Double3& position, std::array<Corner, 8>& corners) const {
    std::size_t count = 0;
    forNodesAround(position, [&](const Int3& at, double weight) {
      if (const auto node = find(at)) corners[count++] = {*node, weight};
    });
    return count;
  }

  // Fills connected_ from the node with most weight at the point.
  void connect() {
    std::array<Corner, 8> corners{};
    const std::size_t count = around(plane_.point, corners);
    if (count == 0) return;
    const Corner start =
        *std::max_element(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(count),
                          [](const Corner& a, const Corner& b) { return a.weight < b.weight; });
    std::vector<std::uint32_t> open{start.node};
    connected_[start.node] = 1;
    while (!open.empty()) {
      const NearNode& from = near_[open.back()];
      open.pop_back();
      for (const auto& [n, step] : neighbourhood) {
        if (n == restDirection || (from.mask >> n & 1U) != 0) continue;
        const auto to = find(from.at + step);
        if (!to || connected_[*to] != 0) continue;
        connected_[*to] = 1;
        open.push_back(*to);
      }
    }
  }

  // Box of the connected nodes along the two vectors of the span, from the point, in nodes.
  [[nodiscard]] std::array<std::array<double, 2>, 2> extent() const {
    std::array<std::array<double, 2>, 2> box{{{1.0, 1.0}, {-1.0, -1.0}}};
    for (std::size_t n = 0; n < near_.size(); ++n) {
      if (connected_[n] == 0) continue;
      for (std::size_t s = 0; s < 2; ++s) {
        const double along = dot(positionOf(near_[n].at) - plane_.point, plane_.span[s]);
        box[0][s] = std::min(box[0][s], along - 1.0);
        box[1][s] = std::max(box[1][s], along + 1.0);
      }
    }
    return box;
  }

  // 1 in the fluid, 1/2 on a wall halfway along links, by the trapezoidal rule, otherwise 0.
  double countAt(const Double3& position, bool add) {
    constexpr double rounding = 1e-9;
    if (!plane_.isNear(position, 0.0)) return 0.0;
    for (std::size_t a = 0; a < 3; ++a)
      if (periodic_[a] && (position[a] < -0.5 || position[a] >= nodes_[a] - 0.5)) return 0.0;
    std::array<Corner, 8> corners{};
    const std::size_t count = around(position, corners);
    double fluid = 0.0;
    for (std::size_t c = 0; c < count; ++c) {
      if (connected_[corners[c].node] == 0) corners[c].weight = 0.0;
      fluid += corners[c].weight;
      if (add) velocity_[corners[c].node] += corners[c].weight;
    }
    if (!(fluid > 0.5 - rounding)) return 0.0;
    const double share = fluid > 0.5 + rounding ? 1.0 : 0.5;
    for (std::size_t c = 0; add && c < count; ++c)
      pressure_[corners[c].node] += share * corners[c].weight / fluid;
    return share;
  }

  Plane plane_;
  std::vector<NearNode> near_;
  int dimensions_;
  Int3 nodes_;
  std::array<bool, 3> periodic_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint8_t> connected_;
  std::vector<double> pressure_, velocity_;
};

// Steps of the raster in nodes: fine for small sections, whose walls count most.
double quadratureStep(double points) {
  constexpr double many = 20000.0, some = 5000.0;
  if (points >= many) return 1.0;
  return points >= some ? 0.5 : 0.25;
}

}  // namespace

SectionNodes sectionNodes(const cases::Station& station, const TiledGeometry& geometry,
                          const tiles::RankPart& part, comm::Ranks& ranks) {
  const Plane plane = planeOf(station, geometry);
  Section section(plane, nearNodes(plane, geometry, part, ranks), geometry);
  const double step = quadratureStep(section.integrate(1.0, false));
  const double points = section.integrate(step, true);
  if (!(points > 0.0))
    stage::fail(stage::ExitCode::Usage,
                fmt::format("station \"{}\": its plane crosses no fluid within the radius around "
                            "its point; a point inside the vessel or a larger radius is required",
                            station.name));
  SectionNodes out;
  const double side = step * geometry.frame.spacing;
  out.area = points * side * (geometry.dimensions == 2 ? geometry.frame.spacing : side);
  section.forEachWeight([&](const NearNode& node, double pressure, double velocity) {
    std::uint32_t tile = node.tile;
    if (!part.isWhole()) {
      const auto place = std::lower_bound(part.fileTile.begin(), part.fileTile.end(),
                                          static_cast<std::int32_t>(node.tile));
      if (place == part.fileTile.end() || *place != static_cast<std::int32_t>(node.tile)) return;
      tile = static_cast<std::uint32_t>(place - part.fileTile.begin());
      if (!part.owns(tile)) return;
    }
    out.nodes.push_back({tile, node.local, pressure / points, velocity / points});
  });
  return out;
}

}  // namespace tessera::solver::run
