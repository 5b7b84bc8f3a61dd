// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/boxed_surface.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::sample {

namespace {
struct ValueGrid {
  Double3 low{};
  Double3 cell{};
  Int3 cells{};
  std::vector<double> value;  // at the grid points, x fastest

  [[nodiscard]] bool within(const Int3& p) const {
    return std::min({p[0], p[1], p[2]}) >= 0 && p[0] <= cells[0] && p[1] <= cells[1] &&
           p[2] <= cells[2];
  }
  [[nodiscard]] std::uint64_t index(const Int3& p) const {
    return static_cast<std::uint64_t>(p[0]) +
           static_cast<std::uint64_t>(cells[0] + 1) *
               (static_cast<std::uint64_t>(p[1]) +
                static_cast<std::uint64_t>(cells[1] + 1) * static_cast<std::uint64_t>(p[2]));
  }
  [[nodiscard]] Double3 point(const Int3& p) const {
    return low + Double3{p[0] * cell[0], p[1] * cell[1], p[2] * cell[2]};
  }
  // Points outside of the box are outside of the surface.
  [[nodiscard]] bool isInside(const Int3& p) const { return within(p) && value[index(p)] < 0.0; }
};

ValueGrid sampled(const ScalarField& field, const Double3& low, const Double3& high,
                  const Int3& cells) {
  const double points = (cells[0] + 1.0) * (cells[1] + 1.0) * (cells[2] + 1.0);
  constexpr double maxPoints = 3e8;
  if (points > maxPoints)
    stage::fail(stage::ExitCode::NoResource,
                fmt::format("the surface's grid would have {:.0f} points, expected at most "
                            "300000000: increase --edge.",
                            points));
  ValueGrid grid{.low = low, .cell = high - low, .cells = cells, .value = {}};
  for (std::size_t a = 0; a < 3; ++a) grid.cell[a] /= cells[a];
  grid.value.resize(static_cast<std::size_t>(points));
  stage::parallelFor(static_cast<std::size_t>(cells[2]) + 1, [&](std::size_t plane) {
    const int z = static_cast<int>(plane);
    for (int y = 0; y <= cells[1]; ++y)
      for (int x = 0; x <= cells[0]; ++x)
        grid.value[grid.index({x, y, z})] = field(grid.point({x, y, z}));
  });
  return grid;
}

class March {
 public:
  March(const ScalarField& field, const ValueGrid& grid) : field_(field), grid_(grid) {
    for (int entry = 0; entry < 2 * mesher::oppositeRule; ++entry)
      loops_.push_back(mesher::curveLoops(entry));
  }

  void addCell(const Int3& first) {
    const auto isInside = [&](const Int3& p) { return grid_.isInside(p); };
    const int inside = mesher::cornersInside(first, isInside);
    if (inside == 0 || inside == 255) return;
    const int entry = mesher::curvesEntry(first, inside, isInside);
    for (const std::vector<int>& loop : loops_[static_cast<std::size_t>(entry)]) {
      polygon_.clear();
      for (int edge : loop) {
        const std::uint32_t v = vertexOn(first, edge);
        if (polygon_.empty() || polygon_.back() != v) polygon_.push_back(v);
      }
      if (polygon_.size() > 1 && polygon_.back() == polygon_.front()) polygon_.pop_back();
      addPolygon();
    }
  }

  geometry::TriangleMesh mesh;

 private:
  // Crossing of a cell's edge; for an edge that leaves the box, its end on the box.
  std::uint32_t vertexOn(const Int3& first, int edge) {
    const auto axis = static_cast<std::size_t>(edge / 4);
    const int k = edge % 4;
    Int3 low = first;
    low[axis == 0 ? 1 : 0] += k & 1;
    low[axis == 2 ? 1 : 2] += k >> 1;
    Int3 high = low;
    ++high[axis];
    const bool out = !grid_.within(low) || !grid_.within(high);
    const Int3& on = grid_.within(low) ? low : high;
    const std::uint64_t key = 4 * grid_.index(on) + (out ? 3 : axis);
    const auto [it, isNew] = number_.try_emplace(key, mesh.vertex.size());
    if (isNew) mesh.vertex.push_back(out ? grid_.point(on) : crossing(low, axis));
    return it->second;
  }

  // Root by false position (Illinois rule); kept off the ends to avoid degenerate triangles.
  [[nodiscard]] Double3 crossing(const Int3& point, std::size_t axis) const {
    Int3 next = point;
    ++next[axis];
    const Double3 from = grid_.point(point);
    double a = 0.0;
    double b = 1.0;
    double atA = grid_.value[grid_.index(point)];
    double atB = grid_.value[grid_.index(next)];
    double t = 0.5;
    for (int step = 0; step < 12; ++step) {
      t = a + (b - a) * atA / (atA - atB);
      Double3 at = from;
      at[axis] += t * grid_.cell[axis];
      const double v = field_(at);
      if (std::abs(v) < 1e-9 * grid_.cell[axis]) break;
      if ((v < 0.0) != (atB < 0.0)) {
        a = b;
        atA = atB;
      } else {
        atA *= 0.5;
      }
      b = t;
      atB = v;
    }
    constexpr double rim = 0.02;
    Double3 at = from;
    at[axis] += std::clamp(t, rim, 1.0 - rim) * grid_.cell[axis];
    return at;
  }

  void addPolygon() {
    if (polygon_.size() < 3) return;
    const auto across = [&](std::size_t a, std::size_t b) {
      return length(mesh.vertex[polygon_[a]] - mesh.vertex[polygon_[b]]);
    };
    if (polygon_.size() == 4 && across(1, 3) < across(0, 2))
      std::rotate(polygon_.begin(), polygon_.begin() + 1, polygon_.end());
    for (std::size_t k = 2; k < polygon_.size(); ++k)
      mesh.triangle.push_back({polygon_[0], polygon_[k - 1], polygon_[k]});
  }

  const ScalarField& field_;
  const ValueGrid& grid_;
  std::vector<std::vector<std::vector<int>>> loops_;  // by entry of the table
  std::unordered_map<std::uint64_t, std::uint32_t> number_;
  std::vector<std::uint32_t> polygon_;
};
}  // namespace

geometry::TriangleMesh boxedSurface(const ScalarField& field, const Double3& low,
                                    const Double3& high, const Int3& cells) {
  const ValueGrid grid = sampled(field, low, high, cells);
  March march(field, grid);
  for (int z = -1; z <= cells[2]; ++z)
    for (int y = -1; y <= cells[1]; ++y)
      for (int x = -1; x <= cells[0]; ++x) march.addCell({x, y, z});
  return std::move(march.mesh);
}

}  // namespace tessera::preprocess::sample
