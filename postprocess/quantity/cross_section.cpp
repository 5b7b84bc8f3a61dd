// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/cross_section.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "postprocess/fields/sample_field.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

namespace {

// Two unit vectors spanning the plane, depending only on the normal.
std::array<Double3, 2> spanOf(const Double3& normal) {
  std::size_t smallest = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(normal[a]) < std::abs(normal[smallest])) smallest = a;
  Double3 helper{};
  helper[smallest] = 1.0;
  Double3 first = cross(normal, helper);
  first = (1.0 / length(first)) * first;
  return {first, cross(normal, first)};
}

bool insideBox(const tiler::TiledGeometry& geometry, const Double3& position) {
  for (std::size_t a = 0; a < 3; ++a)
    if (position[a] < -0.5 || position[a] >= geometry.nodes[a] - 0.5) return false;
  return true;
}

// Visited points of an unbounded plane raster: blocks of 32 x 32, allocated on first use.
class SeenPoints {
 public:
  // True the first time.
  bool mark(int i, int j) {
    const int u = i + offset, v = j + offset;
    const auto key = static_cast<std::uint64_t>(u / side) << 32U | static_cast<unsigned>(v / side);
    std::uint32_t& row = blocks_[key][static_cast<std::size_t>(v % side)];
    const std::uint32_t bit = std::uint32_t{1} << (u % side);
    const bool fresh = (row & bit) == 0;
    row |= bit;
    return fresh;
  }

 private:
  static constexpr int side = 32;
  static constexpr int offset = 1 << 28;
  std::unordered_map<std::uint64_t, std::array<std::uint32_t, side>> blocks_;
};

// Raster of points of the plane, `step` nodes apart, around `point`.
struct Raster {
  const fields::NodeLookup& lookup;
  Double3 point{};  // lattice
  std::array<Double3, 2> span{};

  [[nodiscard]] Double3 at(double step, int i, int j) const {
    return point + (step * i) * span[0] + (step * j) * span[1];
  }

  // Visits the points connected with the centre (four neighbours, no cut link between them) and
  // their stencils in a fixed order until visit(position, stencil) returns false.
  template <class Visit>
  void flood(double step, Visit&& visit) const {
    SeenPoints seen;
    std::vector<std::array<int, 2>> open{{0, 0}};
    seen.mark(0, 0);
    while (!open.empty()) {
      const auto [i, j] = open.back();
      open.pop_back();
      const Double3 position = at(step, i, j);
      if (!insideBox(lookup.geometry, position)) continue;
      const fields::Stencil stencil = fields::stencilByWeight(lookup, position);
      if (!(stencil.fluidPart > 0.5)) continue;
      if (!visit(position, stencil)) return;
      for (const auto& [di, dj] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const bool reached =
            !stencil.nearCut ||
            fields::sameSide(lookup, stencil,
                             fields::stencilByWeight(lookup, at(step, i + di, j + dj)));
        if (reached && seen.mark(i + di, j + dj)) open.push_back({i + di, j + dj});
      }
    }
  }
};

double quadratureStep(const Raster& raster) {
  constexpr int many = 20000, some = 5000;
  int points = 0;
  raster.flood(1.0, [&](const Double3&, const fields::Stencil&) { return ++points < many; });
  if (points >= many) return 1.0;
  return points >= some ? 0.5 : 0.25;
}

struct Sums {
  double points = 0.0, velocity = 0.0, pressure = 0.0, fastest = 0.0;
  double highest = -std::numeric_limits<double>::infinity();
  Double3 position{};
};

}  // namespace

std::optional<CrossSection> crossSection(const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields, const Double3& point,
                                         const Double3& normal) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  const Double3 n{dot(frame.axis[0], normal), dot(frame.axis[1], normal),
                  dot(frame.axis[2], normal)};
  const Raster raster{lookup, frame.toLattice(point), spanOf(n)};
  const double step = quadratureStep(raster);
  Sums sums;
  raster.flood(step, [&](const Double3& position, const fields::Stencil& stencil) {
    const Double3 velocity = fields::sampleVelocity(fields, stencil);
    const double pressure = fields::sample(fields.pressure, stencil);
    sums.points += 1.0;
    sums.velocity += dot(velocity, n);
    sums.fastest = std::max(sums.fastest, dot(velocity, velocity));
    sums.pressure += pressure;
    sums.highest = std::max(sums.highest, pressure);
    sums.position = sums.position + position;
    return true;
  });
  if (!(sums.points > 0.0)) return std::nullopt;
  CrossSection section;
  const double side = step * frame.spacing;
  section.area = sums.points * side * side;
  section.centroid = frame.toWorld((1.0 / sums.points) * sums.position);
  section.meanVelocity = sums.velocity / sums.points * fields.velocityFactor;
  section.flowRate = section.meanVelocity * section.area;
  section.peakVelocity = std::sqrt(sums.fastest) * fields.velocityFactor;
  section.meanPressure = fields.pressurePa(sums.pressure / sums.points);
  section.peakPressure = fields.pressurePa(sums.highest);
  return section;
}

}  // namespace tessera::postprocess::quantity
