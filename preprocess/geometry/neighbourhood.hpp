// SPDX-License-Identifier: GPL-3.0-or-later
// The 26 neighbours of a node, a tile or a cell: directions, steps, and periodic wrapping in a box.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::geometry {

// Direction n in 0..26 is the step (n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1); 13 is no step, the
// opposite of n is 26 - n.
constexpr int directionCount = 27;
constexpr int restDirection = 13;
constexpr Int3 directionStep(int n) {
  return {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
}
constexpr int directionOf(int dx, int dy, int dz) {
  return dx + 1 + 3 * (dy + 1) + 9 * (dz + 1);
}
constexpr int directionOf(const Int3& step) {
  return directionOf(step[0], step[1], step[2]);
}
constexpr int oppositeDirection(int n) {
  return 26 - n;
}
// Number of non-zero components of a step: 1 across a face, 2 across an edge, 3 across a corner.
constexpr int axesOfStep(const Int3& step) {
  return (step[0] != 0) + (step[1] != 0) + (step[2] != 0);
}

struct Neighbour {
  int n = 0;  // direction
  Int3 step{};
};

// All 27 directions in order, including the rest direction:
//   for (const auto& [n, step] : neighbourhood) ...
constexpr std::array<Neighbour, directionCount> neighbourhood = [] {
  std::array<Neighbour, directionCount> all{};
  for (int n = 0; n < directionCount; ++n) all[static_cast<std::size_t>(n)] = {n, directionStep(n)};
  return all;
}();

// Connectivity: across faces; also across edges, as in D3Q19; also across corners.
enum class Neighbours { Six = 1, Eighteen = 2, TwentySix = 3 };

constexpr bool isAmong(const Int3& step, Neighbours neighbours) {
  return axesOfStep(step) > 0 && axesOfStep(step) <= static_cast<int>(neighbours);
}

// Bit mask of these directions: bit n of a link mask is link n; bit 13 is never set.
constexpr std::uint32_t directionBits(Neighbours neighbours) {
  std::uint32_t bits = 0;
  for (const auto& [n, step] : neighbourhood)
    if (isAmong(step, neighbours)) bits |= std::uint32_t{1} << n;
  return bits;
}
constexpr std::uint32_t linkBits = directionBits(Neighbours::TwentySix);

template <Neighbours among>
constexpr auto chosenNeighbours = [] {
  constexpr std::size_t count = std::popcount(directionBits(among));
  std::array<Neighbour, count> chosen{};
  std::size_t next = 0;
  for (const Neighbour& each : neighbourhood)
    if (isAmong(each.step, among)) chosen[next++] = each;
  return chosen;
}();

// The 6, 18 or 26 directions in order, without the rest direction.
constexpr std::span<const Neighbour> stepsTo(Neighbours neighbours) {
  if (neighbours == Neighbours::Six) return chosenNeighbours<Neighbours::Six>;
  if (neighbours == Neighbours::Eighteen) return chosenNeighbours<Neighbours::Eighteen>;
  return chosenNeighbours<Neighbours::TwentySix>;
}

// Position on an axis at most one length outside, wrapped if periodic; -1 outside otherwise.
constexpr int wrappedPosition(int at, int size, bool isPeriodic) {
  if (at >= 0 && at < size) return at;
  return isPeriodic ? (at + size) % size : -1;
}

// Wraps a position on the periodic axes. Outside of the box: false, and -1 on the axes concerned.
constexpr bool wrapInto(const Int3& size, const std::array<bool, 3>& periodic, Int3& at) {
  bool isInside = true;
  for (std::size_t a = 0; a < 3; ++a) {
    at[a] = wrappedPosition(at[a], size[a], periodic[a]);
    isInside = isInside && at[a] >= 0;
  }
  return isInside;
}

}  // namespace tessera::preprocess::geometry
