// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/sample_field.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::postprocess::fields {

namespace {

using CornerBits = std::uint8_t;  // bit c: corner (c & 1, c >> 1 & 1, c >> 2) of a cell

Int3 stepTo(std::size_t corner) {
  return {static_cast<int>(corner & 1U), static_cast<int>(corner >> 1U & 1U),
          static_cast<int>(corner >> 2U)};
}

template <class Visit>
void forEachCorner(CornerBits corners, Visit&& visit) {
  for (unsigned rest = corners; rest != 0; rest &= rest - 1)
    visit(static_cast<std::size_t>(std::countr_zero(rest)));
}

std::array<double, 8> cornerWeights(const Double3& fraction) {
  std::array<double, 8> weight{};
  for (std::size_t c = 0; c < 8; ++c) {
    const Int3 step = stepTo(c);
    weight[c] = 1.0;
    for (std::size_t a = 0; a < 3; ++a) weight[c] *= step[a] == 1 ? fraction[a] : 1.0 - fraction[a];
  }
  return weight;
}

// Per corner those of a cell's nodes that are not behind one of its cut links, itself included.
std::array<CornerBits, 8> connectionsIn(const NodeLookup& lookup, const Int3& low,
                                        CornerBits corners) {
  std::array<CornerBits, 8> connected{};
  forEachCorner(corners, [&](std::size_t from) {
    const std::uint32_t cut = lookup.cutMaskOf(lookup.find(low + stepTo(from)));
    forEachCorner(corners, [&](std::size_t to) {
      const int direction = preprocess::geometry::directionOf(stepTo(to) - stepTo(from));
      if ((cut >> direction & 1U) == 0)
        connected[from] = static_cast<CornerBits>(connected[from] | 1U << to);
    });
  });
  return connected;
}

double sumOf(const std::array<double, 8>& weight, unsigned corners) {
  double sum = 0.0;
  forEachCorner(static_cast<CornerBits>(corners), [&](std::size_t c) { sum += weight[c]; });
  return sum;
}

// Side of a wall that a position in a cell with cut links belongs to: the nodes connected with the
// nearest of `from` that sees more than half of the weight, or with the one that sees most. Without
// the other side these nodes would have the same weights, so a wall stands halfway along cut links
// as along others.
CornerBits sideOf(const std::array<CornerBits, 8>& connected, CornerBits corners, CornerBits from,
                  const std::array<double, 8>& weight) {
  const double half = 0.5 * sumOf(weight, corners);
  std::optional<std::size_t> nearest;
  std::size_t most = 0;
  double mostSeen = 0.0;
  forEachCorner(from, [&](std::size_t c) {
    const double seen = sumOf(weight, connected[c]);
    if (seen > half && (!nearest || weight[c] > weight[*nearest])) nearest = c;
    if (seen < mostSeen || (seen == mostSeen && weight[c] <= weight[most])) return;
    most = c;
    mostSeen = seen;
  });
  return connected[nearest.value_or(most)];
}

// A cell of the lattice, its nodes in use and their weights at a position.
struct Cell {
  Int3 low{};
  std::array<double, 8> weight{};
  std::array<std::uint64_t, 8> index{};  // into the fields
  CornerBits corners = 0;
  bool nearCut = false;

  [[nodiscard]] Double3 placeOf(std::size_t corner) const {
    const Int3 node = low + stepTo(corner);
    return {static_cast<double>(node[0]), static_cast<double>(node[1]),
            static_cast<double>(node[2])};
  }
};

// accept(position): nodes to use.
template <class Accept>
Cell cellAround(const NodeLookup& lookup, const Double3& position, Accept&& accept) {
  Cell cell;
  Double3 fraction{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double below = std::floor(position[a]);
    cell.low[a] = static_cast<int>(below);
    fraction[a] = position[a] - below;
  }
  cell.weight = cornerWeights(fraction);
  for (std::size_t c = 0; c < 8; ++c) {
    if (cell.weight[c] <= 0.0 || !accept(cell.placeOf(c))) continue;
    const FoundNode found = lookup.find(cell.low + stepTo(c));
    if (found.index < 0) continue;
    cell.index[c] = static_cast<std::uint64_t>(found.index);
    cell.corners = static_cast<CornerBits>(cell.corners | 1U << c);
    cell.nearCut = cell.nearCut || lookup.cutMaskOf(found) != 0;
  }
  return cell;
}

// Leaves the nodes on one side of the walls in a cell; prefer(position): nodes on that side.
template <class Prefer>
void keepOneSide(const NodeLookup& lookup, Prefer&& prefer, Cell& cell) {
  if (!cell.nearCut) return;
  CornerBits preferred = 0;
  forEachCorner(cell.corners, [&](std::size_t c) {
    if (prefer(cell.placeOf(c))) preferred = static_cast<CornerBits>(preferred | 1U << c);
  });
  cell.corners = sideOf(connectionsIn(lookup, cell.low, cell.corners), cell.corners,
                        preferred != 0 ? preferred : cell.corners, cell.weight);
}

Stencil stencilOf(const Cell& cell) {
  Stencil stencil;
  stencil.low = cell.low;
  stencil.corners = cell.corners;
  stencil.nearCut = cell.nearCut;
  forEachCorner(cell.corners, [&](std::size_t c) {
    const auto slot = static_cast<std::size_t>(stencil.count++);
    stencil.node[slot] = cell.index[c];
    stencil.weight[slot] = cell.weight[c];
    stencil.fluidPart += cell.weight[c];
    stencil.centre = stencil.centre + cell.weight[c] * cell.placeOf(c);
  });
  if (stencil.count == 0) return stencil;
  for (double& weight : stencil.weight) weight /= stencil.fluidPart;
  stencil.centre = (1.0 / stencil.fluidPart) * stencil.centre;
  return stencil;
}

template <class Accept, class Prefer>
Stencil gather(const NodeLookup& lookup, const Double3& position, Accept&& accept,
               Prefer&& prefer) {
  Cell cell = cellAround(lookup, position, accept);
  keepOneSide(lookup, prefer, cell);
  return stencilOf(cell);
}

bool anywhere(const Double3&) {
  return true;
}

auto within(const HalfSpace& side) {
  return [&side](const Double3& place) { return dot(place - side.point, side.normal) <= 0.0; };
}

}  // namespace

Stencil stencilAt(const NodeLookup& lookup, const Double3& position) {
  return gather(lookup, position, anywhere, anywhere);
}

Stencil stencilWithin(const NodeLookup& lookup, const Double3& position, const HalfSpace& side) {
  return gather(lookup, position, within(side), anywhere);
}

Stencil stencilBeside(const NodeLookup& lookup, const Double3& position, const HalfSpace& side) {
  return gather(lookup, position, anywhere, within(side));
}

bool sameSide(const NodeLookup& lookup, const Stencil& a, const Stencil& b) {
  if (!a.nearCut && !b.nearCut) return true;
  bool shared = false, linked = false, cut = false;
  forEachCorner(a.corners, [&](std::size_t i) {
    const Int3 from = a.low + stepTo(i);
    forEachCorner(b.corners, [&](std::size_t j) {
      const Int3 step = b.low + stepTo(j) - from;
      if (step == Int3{}) shared = true;
      if (std::any_of(step.begin(), step.end(), [](int s) { return s < -1 || s > 1; })) return;
      (lookup.connected(from, step) ? linked : cut) = true;
    });
  });
  return shared || (linked && !cut);
}

}  // namespace tessera::postprocess::fields
