// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/sample_field.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "pipelines/stage/principal_axes.hpp"
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

// Side of a wall in a cell with cut links: the nodes connected with the nearest of `from` that is
// connected with more than half of the weight, or else with the one that is with most.
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
  Double3 fraction{};  // of the position, from the lowest node
  std::array<double, 8> weight{};
  CornerBits corners = 0;

  [[nodiscard]] Double3 placeOf(std::size_t corner) const {
    const Int3 node = low + stepTo(corner);
    return {static_cast<double>(node[0]), static_cast<double>(node[1]),
            static_cast<double>(node[2])};
  }
};

// Calls visit(end) for the end of each wall link of a corner to one of `others`, from the cell's
// lowest node.
template <class Visit>
void forEachWallEnd(const NodeLookup& lookup, const Cell& cell, std::size_t corner,
                    CornerBits others, Visit&& visit) {
  const tiler::TiledGeometry& geometry = lookup.geometry;
  const FoundNode node = lookup.find(cell.low + stepTo(corner));
  const tiler::NodeLinks links = tiler::linksOf(geometry, node.tile, node.local);
  const Int3 from = stepTo(corner);
  forEachCorner(others, [&](std::size_t other) {
    const Int3 step = stepTo(other) - from;
    const int direction = preprocess::geometry::directionOf(step);
    if ((links.mask >> direction & 1U) == 0) return;
    const std::uint64_t link = tiler::linkIndex(links.first, links.mask, direction);
    const double q = preprocess::geometry::distanceFromCode(geometry.linkDistance[link]);
    visit(Double3{from[0] + q * step[0], from[1] + q * step[1], from[2] + q * step[2]});
  });
}

// Whether the wall around a corner hides the position from it: the plane g . d = 1 through the ends
// of the links that leave its side of the cell, d from the corner, by least squares and of the
// least norm where these are too few.
bool isHidden(const NodeLookup& lookup, const Cell& cell, CornerBits side, std::size_t corner) {
  const auto others = static_cast<CornerBits>(cell.corners & ~side);
  const Int3 at = stepTo(corner);
  const Double3 from{1.0 * at[0], 1.0 * at[1], 1.0 * at[2]};
  std::array<Double3, 3> matrix{};
  Double3 right{};
  forEachCorner(side, [&](std::size_t peer) {
    forEachWallEnd(lookup, cell, peer, others, [&](const Double3& end) {
      const Double3 d = end - from;
      for (std::size_t a = 0; a < 3; ++a) matrix[a] = matrix[a] + d[a] * d;
      right = right + d;
    });
  });
  const stage::Principal axes = stage::principalOf(matrix);
  Double3 g{};
  for (std::size_t k = 0; k < 3; ++k)
    if (axes.value[k] > 1e-13 * axes.value[0])
      g = g + (dot(axes.direction[k], right) / axes.value[k]) * axes.direction[k];
  return dot(g, cell.fraction - from) > 1.0;
}

// Nodes on one side of the walls in a cell; prefer(cell, side, corner): nodes on that side, of
// which `side` are those connected with the corner.
template <class Prefer>
CornerBits oneSideOf(const NodeLookup& lookup, const Cell& cell, Prefer&& prefer) {
  const std::array<CornerBits, 8> connected = connectionsIn(lookup, cell.low, cell.corners);
  bool divided = false;
  forEachCorner(cell.corners,
                [&](std::size_t c) { divided = divided || connected[c] != cell.corners; });
  if (!divided) return cell.corners;
  CornerBits preferred = 0;
  forEachCorner(cell.corners, [&](std::size_t c) {
    if (prefer(cell, connected[c], c)) preferred = static_cast<CornerBits>(preferred | 1U << c);
  });
  return sideOf(connected, cell.corners, preferred != 0 ? preferred : cell.corners, cell.weight);
}

// Nodes from which no wall hides the position.
auto visible(const NodeLookup& lookup) {
  return [&lookup](const Cell& cell, CornerBits side, std::size_t corner) {
    return !isHidden(lookup, cell, side, corner);
  };
}

void addNode(Stencil& stencil, std::uint64_t index, double weight, const Double3& place) {
  const auto slot = static_cast<std::size_t>(stencil.count++);
  stencil.node[slot] = index;
  stencil.weight[slot] = weight;
  stencil.fluidPart += weight;
  stencil.centre = stencil.centre + weight * place;
}

// Nodes of a stencil on one side of cut links, before its weights are scaled.
template <class Prefer>
Stencil keptSide(const NodeLookup& lookup, const Stencil& all, const Double3& fraction,
                 Prefer&& prefer) {
  const Cell cell{all.low, fraction, cornerWeights(fraction), all.corners};
  Stencil kept;
  kept.low = all.low;
  kept.nearCut = true;
  kept.corners = oneSideOf(lookup, cell, prefer);
  std::size_t slot = 0;
  forEachCorner(all.corners, [&](std::size_t c) {
    if ((kept.corners >> c & 1U) != 0)
      addNode(kept, all.node[slot], cell.weight[c], cell.placeOf(c));
    ++slot;
  });
  return kept;
}

// accept(position): nodes to use; prefer: see oneSideOf().
template <class Accept, class Prefer>
Stencil gather(const NodeLookup& lookup, const Double3& position, Accept&& accept,
               Prefer&& prefer) {
  Stencil stencil;
  Double3 fraction{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double below = std::floor(position[a]);
    stencil.low[a] = static_cast<int>(below);
    fraction[a] = position[a] - below;
  }
  for (std::size_t c = 0; c < 8; ++c) {
    const Int3 step = stepTo(c);
    double weight = 1.0;
    for (std::size_t a = 0; a < 3; ++a) weight *= step[a] == 1 ? fraction[a] : 1.0 - fraction[a];
    if (weight <= 0.0) continue;
    const Int3 node = stencil.low + step;
    const Double3 place{static_cast<double>(node[0]), static_cast<double>(node[1]),
                        static_cast<double>(node[2])};
    if (!accept(place)) continue;
    const FoundNode found = lookup.find(node);
    if (found.index < 0) continue;
    addNode(stencil, static_cast<std::uint64_t>(found.index), weight, place);
    stencil.corners = static_cast<CornerBits>(stencil.corners | 1U << c);
    stencil.nearCut = stencil.nearCut || lookup.cutMaskOf(found) != 0;
  }
  if (stencil.nearCut) stencil = keptSide(lookup, stencil, fraction, prefer);
  if (stencil.count == 0) return stencil;
  for (double& weight : stencil.weight) weight /= stencil.fluidPart;
  stencil.centre = (1.0 / stencil.fluidPart) * stencil.centre;
  return stencil;
}

constexpr auto anywhere = [](const Double3&) { return true; };
constexpr auto anySide = [](const Cell&, CornerBits, std::size_t) { return true; };

auto within(const HalfSpace& side) {
  return [&side](const Double3& place) { return dot(place - side.point, side.normal) <= 0.0; };
}

}  // namespace

Stencil stencilAt(const NodeLookup& lookup, const Double3& position) {
  return gather(lookup, position, anywhere, visible(lookup));
}

Stencil stencilByWeight(const NodeLookup& lookup, const Double3& position) {
  return gather(lookup, position, anywhere, anySide);
}

Stencil stencilWithin(const NodeLookup& lookup, const Double3& position, const HalfSpace& side) {
  return gather(lookup, position, within(side), visible(lookup));
}

Stencil stencilOnSide(const NodeLookup& lookup, const Double3& position, const HalfSpace& side) {
  return gather(lookup, position, anywhere, [&](const Cell& cell, CornerBits, std::size_t corner) {
    return within(side)(cell.placeOf(corner));
  });
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
