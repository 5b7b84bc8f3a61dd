// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest of many points in a plane, however they are spread: a k-d tree (Bentley 1975), whose
// cells are bounded by the boxes of their points, so that a search from far away is as fast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::solver::boundary {

class NearestPoints {
 public:
  struct Near {
    double squared;  // distance
    std::size_t point;
  };

  // At least one point, any unit.
  explicit NearestPoints(std::vector<std::array<double, 2>> position);
  [[nodiscard]] const std::vector<std::array<double, 2>>& position() const { return position_; }
  // The nearest points, at most `count`, in the order of their distance, of equal ones of their
  // index.
  [[nodiscard]] std::vector<Near> nearest(const std::array<double, 2>& from,
                                          std::size_t count) const;

 private:
  // Points first .. last - 1 of order_ and their box; second: of its halves, the first of which
  // follows it; 0: not divided.
  struct Cell {
    std::array<double, 2> low{};
    std::array<double, 2> high{};
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t second = 0;
    [[nodiscard]] double squaredDistance(const std::array<double, 2>& from) const;
  };
  void build(std::uint32_t first, std::uint32_t last);
  void search(std::uint32_t cell, const std::array<double, 2>& from, std::size_t count,
              std::vector<Near>& found) const;

  std::vector<std::array<double, 2>> position_;
  std::vector<std::uint32_t> order_;
  std::vector<Cell> cells_;
};

}  // namespace tessera::solver::boundary
