// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/cut_cells.hpp"

#include <algorithm>

#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::postprocess::exports {

using fields::SelectedNodes;
using preprocess::geometry::BitLattice;

namespace {

// Step from the lowest to corner k of a cell.
Int3 cornerStep(int k) {
  return {k & 1, k >> 1 & 1, k >> 2};
}

// Calls visit(cell, step) for each two selected cells with a wall between their nodes, both ways;
// not across a periodic boundary.
template <class Visit>
void forEachCutPair(const SelectedNodes& nodes, Visit&& visit) {
  const fields::NodeLookup& lookup = nodes.lookup();
  if (!lookup.hasCutLinks()) return;
  nodes.forEach([&](const Int3& cell, const Int3& node, std::uint64_t) {
    // With one cell per node only the node's own links count.
    if (nodes.every() == 1 && lookup.cutMaskOf(lookup.find(node)) == 0) return;
    for (const auto& [n, step] :
         preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix)) {
      const Int3 other = cell + step;
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a)
        inside = inside && other[a] >= nodes.low()[a] && other[a] <= nodes.high()[a];
      if (inside && nodes.indexOf(other) >= 0 && nodes.isCut(cell, step)) visit(cell, step);
    }
  });
}

// Group of each selected cell around a corner, by the corner of the cell that it is; -1: no cell.
// Groups count from 0 in the order of their first member.
std::array<int, 8> groupsAround(const SelectedNodes& nodes, const Int3& corner) {
  std::array<int, 8> group{};
  for (int k = 0; k < 8; ++k) {
    const Int3 cell = corner - cornerStep(k);
    const bool inBox = cell[0] >= 0 && cell[1] >= 0 && cell[2] >= 0;
    group[static_cast<std::size_t>(k)] = inBox && nodes.indexOf(cell) >= 0 ? k : -1;
  }
  const auto merge = [&](int from, int to) {
    for (int& member : group)
      if (member == from) member = to;
  };
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j) {
      if (group[i] < 0 || group[j] < 0 || group[i] == group[j]) continue;
      const Int3 one = cornerStep(static_cast<int>(i)), other = cornerStep(static_cast<int>(j));
      if (!nodes.isCut(corner - one, one - other))
        merge(std::max(group[i], group[j]), std::min(group[i], group[j]));
    }
  int next = 0;
  for (int k = 0; k < 8; ++k)
    if (group[static_cast<std::size_t>(k)] == k) merge(k, next++);
  return group;
}

}  // namespace

SplitPoints::SplitPoints(const SelectedNodes& nodes) : split_(nodes.size()) {
  if (!nodes.lookup().hasCutLinks()) return;
  forEachCutPair(nodes, [&](const Int3& cell, const Int3&) {
    for (int k = 0; k < 8; ++k) split_.use(cell + cornerStep(k));
  });
  split_.number();
  split_.forEach([&](const Int3& corner) {
    std::array<std::int64_t, 8> point{};
    const auto before = static_cast<std::int64_t>(further_.size());
    int last = 0;
    const std::array<int, 8> group = groupsAround(nodes, corner);
    for (std::size_t k = 0; k < 8; ++k) {
      last = std::max(last, group[k]);
      point[k] = group[k] > 0 ? before + group[k] - 1 : -1;
    }
    group_.push_back(point);
    further_.insert(further_.end(), static_cast<std::size_t>(last), corner);
  });
}

BitLattice hiddenCells(const SelectedNodes& nodes) {
  Int3 size{};
  for (std::size_t a = 0; a < 3; ++a) size[a] = std::max(1, nodes.high()[a] - nodes.low()[a]);
  BitLattice hidden(size);
  forEachCutPair(nodes, [&](const Int3& cell, const Int3& step) {
    for (int k = 0; k < 8; ++k) {
      Int3 at = cell - nodes.low();
      bool holdsBoth = true;
      for (std::size_t a = 0; a < 3; ++a) {
        const int down = cornerStep(k)[a];  // the cell begins at the lower node or one below
        at[a] -= down;
        if (nodes.high()[a] == nodes.low()[a])
          holdsBoth = holdsBoth && down == 0;
        else
          holdsBoth = holdsBoth && at[a] >= 0 && at[a] < size[a] && step[a] + down >= 0 &&
                      step[a] + down <= 1;
      }
      if (holdsBoth) hidden.set(at[0], at[1], at[2]);
    }
  });
  return hidden;
}

}  // namespace tessera::postprocess::exports
