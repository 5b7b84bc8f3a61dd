// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/nearest_points.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::solver::boundary {

namespace {

constexpr std::uint32_t pointsOfCell = 8;  // not divided any more

bool isNearer(const NearestPoints::Near& a, const NearestPoints::Near& b) {
  return a.squared != b.squared ? a.squared < b.squared : a.point < b.point;
}

}  // namespace

double NearestPoints::Cell::squaredDistance(const std::array<double, 2>& from) const {
  double sum = 0.0;
  for (std::size_t a = 0; a < 2; ++a) {
    const double beyond = std::max({low[a] - from[a], from[a] - high[a], 0.0});
    sum += beyond * beyond;
  }
  return sum;
}

NearestPoints::NearestPoints(std::vector<std::array<double, 2>> position)
    : position_(std::move(position)), order_(position_.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  cells_.reserve(4 * position_.size() / pointsOfCell + 1);
  build(0, static_cast<std::uint32_t>(order_.size()));
}

void NearestPoints::build(std::uint32_t first, std::uint32_t last) {
  Cell cell{position_[order_[first]], position_[order_[first]], first, last, 0};
  for (std::uint32_t k = first; k < last; ++k)
    for (std::size_t a = 0; a < 2; ++a) {
      cell.low[a] = std::min(cell.low[a], position_[order_[k]][a]);
      cell.high[a] = std::max(cell.high[a], position_[order_[k]][a]);
    }
  const std::size_t index = cells_.size();
  cells_.push_back(cell);
  const auto begin = order_.begin() + first, end = order_.begin() + last;
  // Points that coincide in the order of their index, so that a search stops among them.
  if (last - first <= pointsOfCell || cell.low == cell.high) return std::sort(begin, end);
  const std::size_t axis = cell.high[1] - cell.low[1] > cell.high[0] - cell.low[0] ? 1 : 0;
  const std::uint32_t middle = first + (last - first) / 2;
  std::nth_element(begin, order_.begin() + middle, end, [&](std::uint32_t a, std::uint32_t b) {
    const double x = position_[a][axis], y = position_[b][axis];
    return x != y ? x < y : a < b;
  });
  build(first, middle);
  cells_[index].second = static_cast<std::uint32_t>(cells_.size());
  build(middle, last);
}

// found: a heap, the farthest in front.
void NearestPoints::search(std::uint32_t index, const std::array<double, 2>& from,
                           std::size_t count, std::vector<Near>& found) const {
  const Cell& cell = cells_[index];
  if (cell.second != 0) {
    std::array<std::uint32_t, 2> half{index + 1, cell.second};
    std::array<double, 2> distance{cells_[half[0]].squaredDistance(from),
                                   cells_[half[1]].squaredDistance(from)};
    if (distance[1] < distance[0]) {
      std::swap(half[0], half[1]);
      std::swap(distance[0], distance[1]);
    }
    for (std::size_t h = 0; h < 2; ++h)
      if (found.size() < count || distance[h] <= found.front().squared)
        search(half[h], from, count, found);
    return;
  }
  const bool coincide = cell.low == cell.high;
  const auto last = coincide ? std::min<std::size_t>(cell.last, cell.first + count) : cell.last;
  for (std::size_t k = cell.first; k < last; ++k) {
    const auto& p = position_[order_[k]];
    const double x = p[0] - from[0], y = p[1] - from[1];
    const Near each{x * x + y * y, order_[k]};
    if (found.size() == count) {
      if (!isNearer(each, found.front())) continue;
      std::pop_heap(found.begin(), found.end(), isNearer);
      found.pop_back();
    }
    found.push_back(each);
    std::push_heap(found.begin(), found.end(), isNearer);
  }
}

std::vector<NearestPoints::Near> NearestPoints::nearest(const std::array<double, 2>& from,
                                                        std::size_t count) const {
  count = std::min(count, position_.size());
  std::vector<Near> found;
  found.reserve(count);
  if (count > 0) search(0, from, count, found);
  std::sort_heap(found.begin(), found.end(), isNearer);
  return found;
}

}  // namespace tessera::solver::boundary
