// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/coarse_fluid.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using std::size_t;

namespace {

constexpr std::int32_t far = 1 << 28;  // squared distance of a cell that is not wall, at first

Int3 sizeOf(const Int3& nodes, int step) {
  return {(nodes[0] - 1) / step + 3, (nodes[1] - 1) / step + 3, (nodes[2] - 1) / step + 3};
}

void sample(const LatticeGeometry& geometry, std::span<const CutNode> cuts, CoarseFluid& coarse) {
  const int step = coarse.step;
  const Int3& nodes = geometry.fluid.size;
  tbb::parallel_for(1, coarse.size[2] - 1, [&](int z) {
    for (int y = 1; y + 1 < coarse.size[1]; ++y)
      for (int x = 1; x + 1 < coarse.size[0]; ++x) {
        const Int3 node{std::min((x - 1) * step + step / 2, nodes[0] - 1),
                        std::min((y - 1) * step + step / 2, nodes[1] - 1),
                        std::min((z - 1) * step + step / 2, nodes[2] - 1)};
        if (geometry.fluid.at(node[0], node[1], node[2])) coarse.square[coarse.cell(x, y, z)] = far;
      }
  });
  if (cuts.empty()) return;
  coarse.thin.at = geometry::BitLattice(nodes);
  coarse.thin.cuts = cuts;
  // Over an edge of a concave corner, other links than those along the axes are cut.
  constexpr std::uint32_t alongAxes = geometry::directionBits(geometry::Neighbours::Six);
  for (const CutNode& cut : cuts) {
    if ((cut.links & alongAxes) == 0) continue;
    const Int3 node = geometry.fluid.nodeAt(cut.node);
    coarse.thin.add(node);
    coarse.square[coarse.cell(coarse.cellOfNode(node))] = 0;
  }
}

// Walls beyond an opening, to the depth of its radius, are marked as neither wall nor fluid.
void openBeyond(const geometry::BitLattice& fluid, const CoarseFluid::End& end,
                const std::vector<std::uint64_t>& nodes, CoarseFluid& coarse) {
  const double step = coarse.step;
  for (const std::uint64_t index : nodes) {
    const Int3 node = fluid.nodeAt(index);
    // The centre of a node's cell may lie beyond a slanted opening already.
    const std::uint32_t own = coarse.cell(coarse.cellOfNode(node));
    if (coarse.square[own] == 0 && !coarse.thin.isAt(node)) {
      coarse.square[own] = far;
      coarse.isBeyond[own] = 1;
    }
    for (double depth = 1.5 * step; depth < end.radius + 2.0 * step; depth += 0.7 * step) {
      const Double3 at = Double3{1.0 * node[0], 1.0 * node[1], 1.0 * node[2]} + depth * end.normal;
      const Int3 low = coarse.cellOf(at - Double3{0.5 * step, 0.5 * step, 0.5 * step});
      for (int corner = 0; corner < 8; ++corner) {
        const Int3 cell = low + Int3{corner & 1, corner >> 1 & 1, corner >> 2};
        if (!coarse.contains(cell)) continue;
        const std::uint32_t beyond = coarse.cell(cell);
        if (coarse.square[beyond] != 0) continue;
        coarse.square[beyond] = far;
        coarse.isBeyond[beyond] = 1;
      }
    }
  }
}

void dropRepeats(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Cells of the nodes at an opening, and next to them; where a wall parts some of those from their
// nodes, as a valve just before the opening does, those of the nodes alone.
void listOpeningCells(const geometry::BitLattice& fluid, const std::vector<std::uint64_t>& nodes,
                      const ThinWalls& walls, size_t opening, CoarseFluid& coarse) {
  std::vector<std::uint32_t> own, beside, blocked;
  bool isParted = false;
  for (const std::uint64_t index : nodes) {
    const Int3 node = fluid.nodeAt(index), of = coarse.cellOfNode(node);
    for (const auto& [n, step] : geometry::neighbourhood) {
      const Int3 at = of + step;
      if (!coarse.contains(at)) continue;
      if (walls.areAlong(node, coarse.centreNode(at))) {
        isParted = true;
        continue;
      }
      const std::uint32_t cell = coarse.cell(at);
      if (coarse.square[cell] != 0)
        (at == of ? own : beside).push_back(cell);
      else if (at == of && walls.isAt(node))
        blocked.push_back(cell);
    }
  }
  if (!isParted) own.insert(own.end(), beside.begin(), beside.end());
  dropRepeats(own);
  dropRepeats(blocked);
  coarse.atOpening[opening] = std::move(own);
  if (isParted) coarse.blockedAtOpening[opening] = std::move(blocked);
}

// Lower envelope of the parabolas f[q] + (x - q)^2 along a line (Felzenszwalb & Huttenlocher,
// "Distance transforms of sampled functions", Theory of Computing 8, 2012).
class LineTransform {
 public:
  explicit LineTransform(int cells)
      : value_(static_cast<size_t>(cells)), at_(value_.size()), from_(value_.size() + 1) {}
  void run(std::int32_t* first, size_t stride) {
    for (size_t q = 0; q < value_.size(); ++q) value_[q] = first[q * stride];
    build();
    size_t k = 0;
    for (size_t x = 0; x < value_.size(); ++x) {
      while (from_[k + 1] < static_cast<double>(x)) ++k;
      const auto apart = static_cast<double>(x) - static_cast<double>(at_[k]);
      first[x * stride] =
          static_cast<std::int32_t>(std::min(value_[at_[k]] + apart * apart, 1.0 * far));
    }
  }

 private:
  void build() {
    size_t k = 0;
    at_[0] = 0;
    from_[0] = -1e30;
    from_[1] = 1e30;
    for (size_t q = 1; q < value_.size(); ++q) {
      double meets = meetingOf(q, at_[k]);
      while (meets <= from_[k]) meets = meetingOf(q, at_[--k]);
      at_[++k] = q;
      from_[k] = meets;
      from_[k + 1] = 1e30;
    }
  }
  // Where the parabola of q falls below that of p.
  [[nodiscard]] double meetingOf(size_t q, size_t p) const {
    const auto a = static_cast<double>(q);
    const auto b = static_cast<double>(p);
    return (value_[q] + a * a - value_[p] - b * b) / (2.0 * (a - b));
  }

  std::vector<double> value_;
  std::vector<size_t> at_;
  std::vector<double> from_;
};

void transformDistances(CoarseFluid& coarse, bool isFlat) {
  const auto [nx, ny, nz] = coarse.size;
  const auto strideY = static_cast<size_t>(nx);
  const size_t strideZ = strideY * static_cast<size_t>(ny);
  std::int32_t* const square = coarse.square.data();
  tbb::parallel_for(0, coarse.size[2], [&, nx = nx, ny = ny](int z) {
    LineTransform alongX(nx), alongY(ny);
    std::int32_t* const plane = square + strideZ * static_cast<size_t>(z);
    for (int y = 0; y < ny; ++y) alongX.run(plane + strideY * static_cast<size_t>(y), 1);
    for (int x = 0; x < nx; ++x) alongY.run(plane + x, strideY);
  });
  if (isFlat) return;
  tbb::parallel_for(0, coarse.size[1], [&, nx = nx, nz = nz](int y) {
    LineTransform alongZ(nz);
    for (int x = 0; x < nx; ++x) alongZ.run(square + strideY * static_cast<size_t>(y) + x, strideZ);
  });
}

void sumWidths(CoarseFluid& coarse) {
  coarse.width.assign(coarse.square.size(), 0);
  tbb::parallel_for(1, coarse.size[2] - 1, [&](int z) {
    for (int y = 1; y + 1 < coarse.size[1]; ++y)
      for (int x = 1; x + 1 < coarse.size[0]; ++x) {
        const std::uint32_t cell = coarse.cell(x, y, z);
        if (coarse.square[cell] == 0 || coarse.isBeyond[cell] != 0) continue;
        for (const auto& [n, step] : geometry::neighbourhood)
          coarse.width[cell] += coarse.square[coarse.cell(x + step[0], y + step[1], z + step[2])];
      }
  });
}

}  // namespace

void ThinWalls::add(const Int3& node) {
  const bool isFirst = low[0] > high[0];
  for (size_t a = 0; a < 3; ++a) {
    low[a] = isFirst ? node[a] : std::min(low[a], node[a]);
    high[a] = isFirst ? node[a] : std::max(high[a], node[a]);
  }
  at.set(node[0], node[1], node[2]);
}

std::uint32_t ThinWalls::linksOf(const Int3& node) const {
  const std::uint64_t index = at.nodeIndex(node[0], node[1], node[2]);
  const auto found =
      std::lower_bound(cuts.begin(), cuts.end(), index,
                       [](const CutNode& cut, std::uint64_t wanted) { return cut.node < wanted; });
  return found != cuts.end() && found->node == index ? found->links : 0;
}

Double3 ThinWalls::towards(const Int3& node) const {
  const std::uint32_t links = linksOf(node);
  Double3 sum{};  // a wall cuts the links of a cone about its normal
  for (const auto& [n, step] : geometry::neighbourhood)
    if ((links >> n & 1U) != 0)
      sum = sum + unit(Double3{1.0 * step[0], 1.0 * step[1], 1.0 * step[2]});
  return (1.0 / std::max(1, std::popcount(links))) * sum;
}

bool ThinWalls::face(const Int3& node, const Double3& direction) const {
  if (!isAt(node)) return false;
  const Double3 wall = towards(node);
  const double far = length(wall);
  // Walls on both sides, or one within 60 degrees of the plane across the direction.
  return far < 0.3 || std::abs(dot(wall, direction)) > 0.5 * far;
}

Double3 ThinWalls::normalFacing(const Int3& node, const Double3& direction) const {
  if (!face(node, direction)) return {};
  const Double3 wall = towards(node);
  return (dot(wall, direction) < 0.0 ? -1.0 : 1.0) * wall;
}

bool ThinWalls::areBetween(const Int3& node, const Int3& neighbour) const {
  if (!isAt(node) || node == neighbour) return false;
  return (linksOf(node) >> geometry::directionOf(neighbour - node) & 1U) != 0;
}

bool ThinWalls::areAlong(const Int3& from, const Int3& to) const {
  if (at.size[0] == 0) return false;
  bool isParted = false;
  Int3 last = from;
  alongLine(from, to, [&](const Int3& next) {
    isParted = at.inside(last[0], last[1], last[2]) && at.inside(next[0], next[1], next[2]) &&
               areBetween(last, next);
    last = next;
    return !isParted;
  });
  return isParted;
}

ThinWalls allThinWalls(const geometry::BitLattice& fluid, std::span<const CutNode> cuts) {
  ThinWalls walls;
  walls.at = geometry::BitLattice(fluid.size);
  walls.cuts = cuts;
  for (const CutNode& cut : cuts) walls.add(fluid.nodeAt(cut.node));
  return walls;
}

bool CoarseFluid::contains(const Int3& cell) const {
  for (size_t a = 0; a < 3; ++a)
    if (cell[a] < 0 || cell[a] >= size[a]) return false;
  return true;
}

Int3 CoarseFluid::cellOfNode(const Int3& node) const {
  return {node[0] / step + 1, node[1] / step + 1, node[2] / step + 1};
}

Double3 CoarseFluid::centreOf(std::uint32_t cell) const {
  const Int3 at = cellAt(cell);
  Double3 centre{};
  for (size_t a = 0; a < 3; ++a) centre[a] = (at[a] - 1) * step + static_cast<int>(step / 2);
  return centre;
}

Int3 CoarseFluid::cellOf(const Double3& position) const {
  Int3 cell{};
  for (size_t a = 0; a < 3; ++a)
    cell[a] = static_cast<int>(std::floor((position[a] + 0.5) / step)) + 1;
  return cell;
}

int stepFor(const Int3& nodes, double cells) {
  int step = 1;
  for (;; ++step) {
    const Int3 size = sizeOf(nodes, step);
    if (static_cast<double>(size[0]) * size[1] * size[2] <= cells) return step;
  }
}

CoarseFluid coarseFluid(const LatticeGeometry& geometry, std::span<const CutNode> cuts, int step) {
  CoarseFluid coarse;
  coarse.step = step;
  coarse.size = sizeOf(geometry.fluid.size, step);
  coarse.square.assign(coarse.cell(0, 0, coarse.size[2]), 0);
  sample(geometry, cuts, coarse);
  const std::vector<std::vector<std::uint64_t>> nodes = nodesByLink(geometry);
  const ThinWalls walls = cuts.empty() ? ThinWalls{} : allThinWalls(geometry.fluid, cuts);
  coarse.atOpening.resize(nodes.size());
  coarse.blockedAtOpening.resize(nodes.size());
  coarse.isBeyond.resize(coarse.square.size());
  for (size_t k = 0; k < nodes.size(); ++k)
    listOpeningCells(geometry.fluid, nodes[k], walls, k, coarse);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const geometry::Opening& opening = geometry.openings[k];
    const double spacing = geometry.frame.spacing;
    const Double3 centre = geometry.frame.toLattice(opening.centre);
    const Double3 tip = geometry.frame.toLattice(opening.centre + spacing * opening.normal);
    coarse.end.push_back({centre, tip - centre, opening.radius / spacing});
    openBeyond(geometry.fluid, coarse.end.back(), nodes[k], coarse);
  }
  transformDistances(coarse, geometry.dimensions == 2);
  sumWidths(coarse);
  for (size_t cell = 0; cell < coarse.square.size(); ++cell)
    if (coarse.isBeyond[cell] != 0) coarse.square[cell] = 0;
  return coarse;
}

}  // namespace tessera::preprocess::lattice
