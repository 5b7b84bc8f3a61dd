// SPDX-License-Identifier: GPL-3.0-or-later
// Quadrature of the section of one vessel by a plane: a raster of points in the plane, each
// trilinear between the nodes around it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tiler/opening_links.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// visit(node, weight) for the nodes around a position in lattice coordinates with trilinear weight.
template <class Visit>
void forNodesAround(const Double3& position, const Visit& visit) {
  for (unsigned corner = 0; corner < 8; ++corner) {
    Int3 node{};
    double weight = 1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double below = std::floor(position[a]), above = position[a] - below;
      const bool up = (corner >> a & 1U) != 0;
      node[a] = static_cast<int>(below) + (up ? 1 : 0);
      weight *= up ? above : 1.0 - above;
    }
    if (weight > 0.0) visit(node, weight);
  }
}

// Lattice coordinates. The normal is a unit vector; in 2D it has no z and the point lies at z = 0.
struct SectionPlane {
  Double3 point{}, normal{};
  double radius = std::numeric_limits<double>::infinity();  // of the disc around the point

  // Whether a raster point may have a node there among those around it.
  [[nodiscard]] bool isNextTo(const Int3& at) const;
};

// World coordinates; radius 0 for no limit. nullopt where the plane does not cut the lattice's box
// at the point, which in 2D is that of z = 0.
std::optional<SectionPlane> sectionPlane(const TiledGeometry& geometry, const Double3& point,
                                         const Double3& normal, double radius);

// A fluid node.
struct SectionNode {
  std::uint64_t id = 0;    // the caller's
  std::uint32_t mask = 0;  // of the 26 directions whose links leave the fluid
  NodeOpenings openings{};
};

// Part of a raster point.
struct SectionCorner {
  std::uint32_t node = 0;  // of PlaneSection::nodes()
  double weight = 0.0;     // trilinear
};

// Fluid nodes next to the plane that are connected with its point by links that no wall crosses.
// Velocities are zero in all other nodes but those behind an opening, by which the flow is the sum
// over the nodes of a layer: of second order, and exact on average over the places of a curved wall
// between nodes, where a profile that falls to zero halfway would lose 1 / N^2 of the flow, N the
// nodes across. A raster point counts for the area and the pressure where these nodes have at least
// half of the trilinear weight: walls are halfway along their links. A node behind an opening has
// the values of the one before it, for points that are not beyond the opening: the flow goes on
// there.
class PlaneSection {
 public:
  // find(at): the fluid node there, if any, at most one node beyond a periodic side of the box.
  PlaneSection(const TiledGeometry& geometry, const SectionPlane& plane,
               const std::function<std::optional<SectionNode>(const Int3&)>& find);

  [[nodiscard]] const std::vector<SectionNode>& nodes() const { return nodes_; }  // by position
  // Spacings between raster points: 1/4, in sections above 40 or 80 nodes radius 1/2 or 1.
  [[nodiscard]] double step() const { return step_; }
  // Area of a raster point: spacings squared, in 2D with a depth of one spacing.
  [[nodiscard]] double pointArea() const { return dimensions_ == 2 ? step_ : step_ * step_; }

  // visit(position, corners, fluid, share) for each raster point with fluid nodes around it, in a
  // fixed order. fluid is the sum of the corners' weights; share, by which the point counts for
  // area and pressure, is 1 in the fluid, 1/2 on a wall (trapezoidal rule) and 0 beyond.
  template <class Visit>
  void forEachPoint(Visit&& visit) const {
    forEachPoint(step_, visit);
  }

 private:
  template <class Visit>
  void forEachPoint(double step, Visit&& visit) const {
    const auto [low, high] = extent();
    // Bindings are named for clang before 16.
    const auto first = [&, &low = low](std::size_t s) {
      return std::lround(std::floor(low[s] / step));
    };
    const auto last = [&, &high = high](std::size_t s) {
      return std::lround(std::ceil(high[s] / step));
    };
    for (long j = dimensions_ == 2 ? 0 : first(1); j <= (dimensions_ == 2 ? 0 : last(1)); ++j)
      for (long i = first(0); i <= last(0); ++i) {
        const Double3 position =
            plane_.point + (step * double(i)) * span_[0] + (step * double(j)) * span_[1];
        if (!isInside(position)) continue;
        std::array<SectionCorner, 8> corners{};
        std::array<std::pair<Int3, double>, 8> missing{};
        std::size_t count = 0, missed = 0;
        double fluid = 0.0;
        forNodesAround(position, [&](const Int3& at, double weight) {
          const auto found = index_.find(keyOf(at));
          if (found == index_.end()) {
            missing[missed++] = {at, weight};
            return;
          }
          corners[count++] = {found->second, weight};
          fluid += weight;
        });
        for (std::size_t k = 0; k < missed && count > 0; ++k)
          fluid += continueThroughOpening(position, missing[k].first, missing[k].second,
                                          std::span(corners.data(), count));
        if (count > 0) visit(position, std::span(corners.data(), count), fluid, shareOf(fluid));
      }
  }

  // Adds the weight of a missing node to that of the corner before it, if an opening lies between
  // them and not before the position; returns what was added.
  double continueThroughOpening(const Double3& position, const Int3& at, double weight,
                                std::span<SectionCorner> corners) const;
  [[nodiscard]] static std::uint64_t keyOf(const Int3& at);
  [[nodiscard]] static double shareOf(double fluid);
  [[nodiscard]] bool isInside(const Double3& position) const;
  [[nodiscard]] std::array<std::array<double, 2>, 2> extent() const;
  void connect(const std::function<std::optional<SectionNode>(const Int3&)>& find);
  void chooseStep();

  SectionPlane plane_;
  std::array<Double3, 2> span_{};  // unit vectors; the second is not used in 2D
  int dimensions_;
  Int3 box_;
  std::array<bool, 3> periodic_;
  std::unordered_map<int, SectionPlane> openings_;  // by id, normals out of the fluid
  std::vector<Int3> at_;
  std::vector<SectionNode> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // of nodes_, by keyOf()
  double step_ = 1.0;
};

}  // namespace tessera::tiler
