// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "solver/backend/cpu/accumulator.hpp"

namespace tessera::solver::backend {

namespace {

class CpuAccumulator final : public Accumulator {
 public:
  CpuAccumulator(std::uint32_t tiles, std::vector<WallPoint> points)
      : tiles_(tiles), points_(std::move(points)) {
    sums_.nodes.assign(model::meanValues * 64 * std::uint64_t{tiles}, 0.0F);
    sums_.wall.assign(points_.size(), {});
  }

  void add(const float* observed) override {
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, tiles_, 64), [&](const auto& range) {
      for (std::uint64_t slot = range.begin(); slot < range.end(); ++slot) {
        const float* from = observed + slot * observedPerSlot;
        float* to = sums_.nodes.data() + slot * model::meanValues * 64;
        for (std::uint64_t v = 0; v < model::meanValues * 64; ++v) to[v] += from[v];
      }
    });
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, points_.size(), 1024),
                      [&](const auto& range) {
                        for (std::size_t k = range.begin(); k < range.end(); ++k) {
                          double sums[4] = {0.0, 0.0, 0.0, 0.0};
                          addTraction(points_[k], observed, sums);
                          for (std::size_t a = 0; a < 4; ++a) sums_.wall[k][a] += sums[a];
                        }
                      });
  }

  Sums sums() override { return sums_; }
  void setSums(const Sums& sums) override { sums_ = sums; }

 private:
  std::uint64_t tiles_;
  std::vector<WallPoint> points_;
  Sums sums_;
};

}  // namespace

std::unique_ptr<Accumulator> makeCpuAccumulator(std::uint32_t tiles,
                                                std::vector<WallPoint> points) {
  return std::make_unique<CpuAccumulator>(tiles, std::move(points));
}

}  // namespace tessera::solver::backend
