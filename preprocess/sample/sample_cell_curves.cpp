// SPDX-License-Identifier: GPL-3.0-or-later
// The closed curves on the faces of a cell; see sample_cell_curves.hpp.
#include "preprocess/sample/sample_cell_curves.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

int edgeBetween(int a, int b) {
  const int axis = (a ^ b) == 1 ? 0 : ((a ^ b) == 2 ? 1 : 2);
  const int low = a & b;
  const int k = axis == 0 ? low >> 1 : (axis == 1 ? (low & 1) | ((low >> 2) << 1) : low);
  return 4 * axis + k;
}

namespace {
CellCurves curvesOf(int inside) {
  std::array<int, 12> root;
  for (int e = 0; e < 12; ++e) root[static_cast<std::size_t>(e)] = e;
  const auto merge = [&](int a, int b) {
    const int from = root[static_cast<std::size_t>(a)];
    const int to = root[static_cast<std::size_t>(b)];
    std::replace(root.begin(), root.end(), from, to);
  };
  const auto in = [&](int corner) { return ((inside >> corner) & 1) != 0; };
  CellCurves result;
  result.curve.fill(notCrossed);
  std::array<bool, 12> crossed{};
  for (int axis = 0; axis < 3; ++axis)
    for (int end = 0; end < 2; ++end) {
      const int u = 1 << ((axis + 1) % 3);
      const int v = 1 << ((axis + 2) % 3);
      const int base = end << axis;
      const std::array<int, 4> ring{base, base | u, base | u | v, base | v};
      std::vector<int> open;  // crossed edges that no corner has joined
      int within = 0;
      for (int c : ring) within += in(c);
      const bool diagonal = within == 2 && in(ring[0]) == in(ring[2]);
      for (std::size_t k = 0; k < 4; ++k) {
        const int before = edgeBetween(ring[(k + 3) % 4], ring[k]);
        const int after = edgeBetween(ring[k], ring[(k + 1) % 4]);
        if (diagonal && in(ring[k])) merge(before, after);
        if (in(ring[k]) != in(ring[(k + 1) % 4])) {
          crossed[static_cast<std::size_t>(after)] = true;
          open.push_back(after);
        }
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

}  // namespace

const std::array<CellCurves, 256>& cellCurveTable() {
  static const std::array<CellCurves, 256> table = [] {
    std::array<CellCurves, 256> t;
    for (int inside = 0; inside < 256; ++inside)
      t[static_cast<std::size_t>(inside)] = curvesOf(inside);
    return t;
  }();
  return table;
}

}  // namespace tessera
