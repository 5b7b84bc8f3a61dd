// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/box_curve.hpp"

#include <array>
#include <cstdlib>

namespace tessera::solver::tiles {

namespace {

// An edge of a box along an axis; negative: against it.
struct Edge {
  int axis = 0;
  int length = 0;

  [[nodiscard]] int sign() const { return length < 0 ? -1 : 1; }
  [[nodiscard]] int cells() const { return std::abs(length); }
  [[nodiscard]] Edge back() const { return {axis, -length}; }
};

// The curve goes from the cell at start to the last one along a, without leaving the face of
// these two for good.
struct Box {
  Int3 start{};
  Edge a, b, c;

  [[nodiscard]] std::uint64_t cells() const {
    return static_cast<std::uint64_t>(a.cells()) * static_cast<std::uint64_t>(b.cells()) *
           static_cast<std::uint64_t>(c.cells());
  }
  [[nodiscard]] bool holds(const Int3& cell) const {
    for (const Edge& edge : {a, b, c}) {
      const auto axis = static_cast<std::size_t>(edge.axis);
      const int along = (cell[axis] - start[axis]) * edge.sign();
      if (along < 0 || along >= edge.cells()) return false;
    }
    return true;
  }
};

Int3 moved(Int3 from, const Edge& edge) {
  from[static_cast<std::size_t>(edge.axis)] += edge.length;
  return from;
}
// To the last cell along an edge.
Int3 movedToEnd(Int3 from, const Edge& edge) {
  from[static_cast<std::size_t>(edge.axis)] += edge.length - edge.sign();
  return from;
}

// Two parts of an edge, the first of even length where it can be.
struct Halves {
  Edge first, second;
  explicit Halves(const Edge& edge) : first(edge), second(edge) {
    first.length = edge.length / 2;
    if (first.length % 2 != 0 && edge.cells() > 2) first.length += edge.sign();
    second.length = edge.length - first.length;
  }
};

// In the order of the curve; empty ones at the end or where a side is too short.
using Parts = std::array<Box, 5>;

// b and then a are cut in two, c is left.
Parts cutFlat(const Box& box) {
  const Halves a(box.a), b(box.b);
  return {
      {{box.start, b.first, box.c, a.first},
       {moved(box.start, b.first), box.a, b.second, box.c},
       {movedToEnd(movedToEnd(box.start, box.a), b.first), b.first.back(), box.c, a.second.back()},
       {},
       {}}};
}

Parts cutDeep(const Box& box) {
  const Halves a(box.a), c(box.c);
  return {
      {{box.start, c.first, a.first, box.b},
       {moved(box.start, c.first), box.a, box.b, c.second},
       {movedToEnd(movedToEnd(box.start, box.a), c.first), c.first.back(), a.second.back(), box.b},
       {},
       {}}};
}

Parts cutAll(const Box& box) {
  const Halves a(box.a), b(box.b), c(box.c);
  const Int3 far = movedToEnd(box.start, box.a);
  return {
      {{box.start, b.first, c.first, a.first},
       {moved(box.start, b.first), box.c, a.first, b.second},
       {movedToEnd(movedToEnd(box.start, b.first), box.c), box.a, b.first.back(), c.second.back()},
       {moved(movedToEnd(far, box.c), b.first), box.c.back(), a.second.back(), b.second},
       {movedToEnd(far, b.first), b.first.back(), c.first, a.second.back()}}};
}

Parts cut(const Box& box) {
  const int a = box.a.cells(), b = box.b.cells(), c = box.c.cells();
  if (2 * a > 3 * b && 2 * a > 3 * c) {
    const Halves half(box.a);
    return {{{box.start, half.first, box.b, box.c},
             {moved(box.start, half.first), half.second, box.b, box.c},
             {},
             {},
             {}}};
  }
  if (3 * b > 4 * c) return cutFlat(box);
  if (3 * c > 4 * b) return cutDeep(box);
  return cutAll(box);
}

bool isRow(const Box& box) {
  return (box.a.cells() == 1) + (box.b.cells() == 1) + (box.c.cells() == 1) >= 2;
}

Box wholeBox(const Int3& size) {
  std::array<Edge, 3> edges;
  for (int axis = 0; axis < 3; ++axis) {
    const int length = size[static_cast<std::size_t>(axis)];
    edges[static_cast<std::size_t>(axis)] = {axis, length + (length > 1 ? length % 2 : 0)};
  }
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis)
    if (edges[axis].length > edges[longest].length) longest = axis;
  const std::size_t other = longest == 0 ? 1 : 0;
  return {{0, 0, 0}, edges[longest], edges[other], edges[3 - longest - other]};
}

}  // namespace

std::uint64_t placeOnCurve(const Int3& size, const Int3& cell) {
  Box box = wholeBox(size);
  std::uint64_t place = 0;
  while (!isRow(box))
    for (const Box& part : cut(box)) {
      if (part.cells() > 0 && part.holds(cell)) {
        box = part;
        break;
      }
      place += part.cells();
    }
  for (const Edge& edge : {box.a, box.b, box.c}) {
    const auto axis = static_cast<std::size_t>(edge.axis);
    place += static_cast<std::uint64_t>((cell[axis] - box.start[axis]) * edge.sign());
  }
  return place;
}

}  // namespace tessera::solver::tiles
