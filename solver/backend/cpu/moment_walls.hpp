// SPDX-License-Identifier: GPL-3.0-or-later
// Loops over the wall links of a state of moments on the CPU; see solver/boundary/moment_walls.hpp.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "solver/backend/cpu/parallel.hpp"
#include "solver/boundary/moment_walls.hpp"

namespace tessera::solver::backend {

template <class Variant>
class CpuMomentWalls {
  using Real = typename Variant::Real;

 public:
  explicit CpuMomentWalls(boundary::MomentWalls walls)
      : walls_(std::move(walls)),
        values_(walls_.links.size()),
        shares_(walls_.mass.near.empty() ? 0 : 2 * walls_.nodes.size()) {}

  // Finds the reflected populations of a step. small: populations that enter through openings.
  template <class Source>
  void reflect(const Source& from, const boundary::SmallState<Real>& small, Real ramp) {
    const boundary::MomentWallView<Variant> walls = view();
    const boundary::WallMassView<Variant> mass = massView();
    parallelIndices(walls_.nodes.size(), 512, [&](std::size_t n) {
      const auto reflect = [&](std::uint32_t k) {
        return boundary::reflectMoments<Variant>(walls, k, from, small, ramp);
      };
      const boundary::WallNode& node = walls_.nodes[n];
      if (mass.near != nullptr)
        boundary::findExcess<Variant>(mass, n, ramp, reflect);
      else
        for (std::uint32_t k = node.firstLink; k < node.firstLink + node.links; ++k) reflect(k);
    });
    boundary::forTimesBeforeLast(walls_.mass.within, [&](int times, std::uint32_t nodes) {
      parallelIndices(nodes, 4096,
                      [&](std::size_t n) { boundary::shareExcess<Variant>(mass, times, n); });
    });
  }
  boundary::MomentWallView<Variant> view() {
    return {walls_.links.data(), walls_.push.empty() ? nullptr : walls_.push.data(),
            values_.data()};
  }
  [[nodiscard]] const boundary::MomentWalls& plan() const { return walls_; }
  // Shares of the excess of mass, before it is shared the last time.
  [[nodiscard]] const Real* shares() {
    return massView().sharesAfter(boundary::timesBeforeLast(walls_.mass.within));
  }

  [[nodiscard]] static bool fresh() { return false; }
  [[nodiscard]] static std::vector<double> memory() { return {}; }
  static void setMemory(std::span<const double>) {}

 private:
  boundary::WallMassView<Variant> massView() {
    const boundary::WallMass& mass = walls_.mass;
    return {walls_.nodes.data(),
            mass.near.empty() ? nullptr : mass.near.data(),
            mass.expected.empty() ? nullptr : mass.expected.data(),
            {shares_.data(), shares_.data() + shares_.size() / 2},
            nullptr};
  }

  boundary::MomentWalls walls_;
  std::vector<Real> values_;
  std::vector<Real> shares_;
};

}  // namespace tessera::solver::backend
