// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/surface_net.hpp"

#include <algorithm>
#include <utility>

namespace tessera::preprocess::mesher {

Int3 stepAround(const CrossedEdge& edge, std::size_t k) {
  const std::size_t turn = edge.isInside ? k : (4 - k) % 4;
  Int3 step{};
  step[static_cast<std::size_t>((edge.axis + 1) % 3)] = turn == 0 || turn == 3 ? -1 : 0;
  step[static_cast<std::size_t>((edge.axis + 2) % 3)] = turn < 2 ? -1 : 0;
  return step;
}

std::array<std::array<std::size_t, 3>, 2> halvesOf(const std::array<Double3, 4>& corner) {
  if (length(corner[0] - corner[2]) <= length(corner[1] - corner[3]))
    return {{{0, 1, 2}, {0, 2, 3}}};
  return {{{1, 2, 3}, {1, 3, 0}}};
}

std::uint64_t SurfaceNet::numberVertices() {
  std::uint64_t vertices = 0;
  for (NetBlock& block : block_) {
    block.firstVertex = static_cast<std::uint32_t>(vertices);
    vertices += block.vertices;
  }
  return vertices;
}

std::uint32_t SurfaceNet::vertexOf(Int3 cell, int a, int b) const {
  const Int3 cells = scaled(blocks_, blockSize_);
  geometry::wrapInto(cells, periodic_, cell);
  Int3 position;
  for (std::size_t axis = 0; axis < 3; ++axis) position[axis] = cell[axis] / blockSize_[axis];
  const NetBlock& block = block_[static_cast<std::size_t>(blockAt_[slotOf(position)])];
  const Int3 local = cell - cornerOf(block);
  const auto row = static_cast<std::size_t>(local[1]) +
                   static_cast<std::size_t>(blockSize_[1]) * static_cast<std::size_t>(local[2]);
  const auto begin = block.cell.begin();
  const auto found =
      std::partition_point(begin + block.rowStart[row], begin + block.rowStart[row + 1],
                           [&](const NetCell& each) { return each.x < local[0]; });
  const CellCurves& curves = cellCurveTable()[found->curves];
  return block.firstVertex + found->vertex +
         curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
}

NetQuad SurfaceNet::quadAround(const CrossedEdge& edge) const {
  NetQuad quad;
  for (std::size_t k = 0; k < 4; ++k) {
    const Int3 step = stepAround(edge, k);
    int corner = 0;  // of this cell, where the edge starts
    for (std::size_t a = 0; a < 3; ++a) corner |= -step[a] << a;
    quad[k] = vertexOf(edge.cell + step, corner, corner | (1 << edge.axis));
  }
  return quad;
}

int edgeBetween(int a, int b) {
  const int axis = (a ^ b) == 1 ? 0 : ((a ^ b) == 2 ? 1 : 2);
  const int low = a & b;
  const int k = axis == 0 ? low >> 1 : (axis == 1 ? (low & 1) | ((low >> 2) << 1) : low);
  return 4 * axis + k;
}

namespace {
struct FaceEdges {
  std::array<int, 4> corner{};
  std::array<int, 4> edge{};  // from corner k to the next
};
FaceEdges faceEdges(int face) {
  const int axis = face / 2;
  const int u = 1 << ((axis + 1) % 3);
  const int v = 1 << ((axis + 2) % 3);
  const int base = (face % 2) << axis;
  FaceEdges f{.corner = {base, base | u, base | u | v, base | v}, .edge = {}};
  for (std::size_t k = 0; k < 4; ++k) f.edge[k] = edgeBetween(f.corner[k], f.corner[(k + 1) % 4]);
  return f;
}

bool has(int inside, int corner) {
  return ((inside >> corner) & 1) != 0;
}

// Whether two diagonal corners of the face are inside and the other two outside.
bool diagonal(int inside, const FaceEdges& f) {
  const bool first = has(inside, f.corner[0]);
  return first == has(inside, f.corner[2]) && first != has(inside, f.corner[1]) &&
         first != has(inside, f.corner[3]);
}

CellCurves curvesOf(int inside, bool opposite) {
  std::array<int, 12> root;
  for (int e = 0; e < 12; ++e) root[static_cast<std::size_t>(e)] = e;
  const auto merge = [&](int a, int b) {
    const int from = root[static_cast<std::size_t>(a)];
    const int to = root[static_cast<std::size_t>(b)];
    std::replace(root.begin(), root.end(), from, to);
  };
  CellCurves result;
  result.curve.fill(notCrossed);
  std::array<bool, 12> crossed{};
  for (int face = 0; face < 6; ++face) {
    const FaceEdges f = faceEdges(face);
    std::vector<int> open;  // crossed edges not joined at a corner
    const bool two = diagonal(inside, f);
    for (std::size_t k = 0; k < 4; ++k) {
      if (two && has(inside, f.corner[k]) != opposite) merge(f.edge[(k + 3) % 4], f.edge[k]);
      if (has(inside, f.corner[k]) == has(inside, f.corner[(k + 1) % 4])) continue;
      crossed[static_cast<std::size_t>(f.edge[k])] = true;
      open.push_back(f.edge[k]);
    }
    if (open.size() == 2) merge(open[0], open[1]);
  }
  std::array<std::uint8_t, 12> number;
  number.fill(notCrossed);
  for (std::size_t e = 0; e < 12; ++e) {
    if (!crossed[e]) continue;
    std::uint8_t& n = number[static_cast<std::size_t>(root[e])];
    if (n == notCrossed) n = result.count++;
    result.curve[e] = n;
  }
  return result;
}

// Successor of each crossed edge. On a lower face, whose corners run clockwise seen from outside, a
// curve leads from the edge that leaves the inside to the one that enters it.
std::array<int, 12> followers(int inside, bool opposite) {
  std::array<int, 12> next;
  next.fill(-1);
  for (int face = 0; face < 6; ++face) {
    const FaceEdges f = faceEdges(face);
    const auto in = [&](std::size_t k) { return has(inside, f.corner[k % 4]); };
    const bool forward = diagonal(inside, f) && opposite;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!in(k) || in(k + 1)) continue;
      std::size_t e =
          k;  // search the entering edge: backwards past the inside or forwards past the outside
      do e = (e + (forward ? 1 : 3)) % 4;
      while (in(e) || !in(e + 1));
      const int leaves = f.edge[k];
      const int enters = f.edge[e];
      const bool lower = face % 2 == 0;
      next[static_cast<std::size_t>(lower ? leaves : enters)] = lower ? enters : leaves;
    }
  }
  return next;
}

}  // namespace

std::vector<std::vector<int>> curveLoops(int entry) {
  std::array<int, 12> next = followers(entry % oppositeRule, entry >= oppositeRule);
  std::vector<std::vector<int>> loops;
  for (std::size_t e = 0; e < 12; ++e) {
    if (next[e] < 0) continue;
    std::vector<int>& loop = loops.emplace_back();
    for (auto at = static_cast<int>(e); at >= 0;) {
      loop.push_back(at);
      at = std::exchange(next[static_cast<std::size_t>(at)], -1);
    }
    loop.pop_back();  // repeated first edge
  }
  return loops;
}

const std::array<CellCurves, 512>& cellCurveTable() {
  static const std::array<CellCurves, 512> table = [] {
    std::array<CellCurves, 512> t;
    for (int k = 0; k < 512; ++k)
      t[static_cast<std::size_t>(k)] = curvesOf(k % oppositeRule, k >= oppositeRule);
    return t;
  }();
  return table;
}

int pinchedFace(int inside) {
  static const std::array<int, 256> table = [] {
    std::array<int, 256> t;
    for (int k = 0; k < 256; ++k) {
      const auto& curve = cellCurveTable()[static_cast<std::size_t>(k)].curve;
      int pinched = -1;
      int twos = 0;
      for (int face = 0; face < 6; ++face) {
        const FaceEdges f = faceEdges(face);
        if (!diagonal(k, f)) continue;
        ++twos;
        const auto at = [&](std::size_t e) { return curve[static_cast<std::size_t>(f.edge[e])]; };
        if (at(0) == at(1) && at(1) == at(2) && at(2) == at(3)) pinched = face;
      }
      t[static_cast<std::size_t>(k)] = twos == 1 ? pinched : -1;
    }
    return t;
  }();
  return table[static_cast<std::size_t>(inside)];
}

}  // namespace tessera::preprocess::mesher
