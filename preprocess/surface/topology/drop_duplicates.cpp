// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/drop_duplicates.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

constexpr std::uint32_t noSheet = ~std::uint32_t{0};

std::uint32_t tipOf(const TriangleMesh& mesh, std::uint32_t half) {
  return mesh.triangle[half / 3][(half % 3 + 2) % 3];
}

// Triangles that share an edge and its opposite corner with another one, ascending.
std::vector<std::uint32_t> repeatedTriangles(const TriangleMesh& mesh, const EdgeTable& edges) {
  std::vector<std::uint8_t> repeated(mesh.triangle.size(), 0);
  const auto mark = [&](std::uint32_t half) {
    std::atomic_ref(repeated[half / 3]).store(1, std::memory_order_relaxed);
  };
  tbb::parallel_for(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(mesh.vertex.size()), 1 << 12),
      [&](const tbb::blocked_range<std::uint32_t>& range) {
        for (std::uint32_t v = range.begin(); v < range.end(); ++v)
          edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, auto ends) {
            if (ends.size() > 16) {  // left to groupEqual()
              for (const EdgeTable::End& end : ends) mark(end.half);
              return;
            }
            for (std::size_t i = 1; i < ends.size(); ++i)
              for (std::size_t j = 0; j < i; ++j)
                if (tipOf(mesh, ends[i].half) == tipOf(mesh, ends[j].half)) {
                  mark(ends[i].half);
                  mark(ends[j].half);
                }
          });
      });
  std::vector<std::uint32_t> triangles;
  for (std::uint32_t t = 0; t < repeated.size(); ++t)
    if (repeated[t]) triangles.push_back(t);
  return triangles;
}

// Triangles with the same vertices, at least two.
using EqualTriangles = std::vector<std::uint32_t>;

std::vector<EqualTriangles> groupEqual(const TriangleMesh& mesh,
                                       const std::vector<std::uint32_t>& triangles) {
  std::vector<std::pair<stage::Triangle, std::uint32_t>> keyed;
  for (const std::uint32_t t : triangles) {
    stage::Triangle key = mesh.triangle[t];
    std::sort(key.begin(), key.end());
    keyed.emplace_back(key, t);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<EqualTriangles> groups;
  for (std::size_t i = 0; i < keyed.size();) {
    std::size_t j = i;
    while (j < keyed.size() && keyed[j].first == keyed[i].first) ++j;
    if (j - i > 1) {
      EqualTriangles& group = groups.emplace_back();
      for (; i < j; ++i) group.push_back(keyed[i].second);
    }
    i = j;
  }
  return groups;
}

bool isEven(const stage::Triangle& c) {
  return ((c[0] > c[1]) + (c[0] > c[2]) + (c[1] > c[2])) % 2 == 0;
}

// Sheets without thickness: groups that cancel, joined where they share an edge.
struct Sheets {
  std::vector<std::uint32_t> ofTriangle;  // its group, or noSheet
  geometry::DisjointSets<> groups;
};

// Edges of a sheet by the number of adjacent triangles outside of sheets.
struct Rim {
  std::uint64_t gaps = 0;    // edges with one: the sheet closes a gap in the wall
  std::uint64_t others = 0;  // edges with several
  std::uint64_t free = 0;    // edges of a single group only
};

std::vector<Rim> rimsOf(const TriangleMesh& mesh, const EdgeTable& edges, std::size_t groupCount,
                        Sheets& sheets) {
  std::vector<std::pair<std::uint32_t, Rim>> seen;  // by a group of the sheet
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, auto ends) {
      std::uint32_t first = noSheet;
      std::uint64_t outside = 0, groups = 0;
      for (const EdgeTable::End& end : ends) {
        const std::uint32_t group = sheets.ofTriangle[end.half / 3];
        if (group == noSheet) {
          ++outside;
        } else if (first == noSheet) {
          first = group;
          groups = 1;
        } else if (group != first) {
          sheets.groups.join(group, first);
          ++groups;
        }
      }
      if (first == noSheet) return;
      Rim rim;
      rim.gaps = outside == 1 ? 1 : 0;
      rim.others = outside > 1 ? 1 : 0;
      rim.free = outside == 0 && groups == 1 ? 1 : 0;
      seen.emplace_back(first, rim);
    });
  std::vector<Rim> rims(groupCount);
  for (const auto& [group, rim] : seen) {
    Rim& sum = rims[sheets.groups.root(group)];
    sum.gaps += rim.gaps;
    sum.others += rim.others;
    sum.free += rim.free;
  }
  return rims;
}

bool isKept(const Rim& rim, bool nothingElse) {
  if (rim.gaps + rim.others > 0) return rim.gaps > rim.others;
  return rim.free == 0 || nothingElse;
}

// Marks all but one triangle of the group's majority orientation; false without a majority.
bool keepMajority(const TriangleMesh& mesh, const EqualTriangles& group,
                  std::vector<std::uint8_t>& drop) {
  const auto even = static_cast<std::size_t>(std::count_if(
      group.begin(), group.end(), [&](std::uint32_t t) { return isEven(mesh.triangle[t]); }));
  for (const std::uint32_t t : group) drop[t] = 1;
  if (2 * even == group.size()) return false;
  const bool most = 2 * even > group.size();
  drop[*std::find_if(group.begin(), group.end(),
                     [&](std::uint32_t t) { return isEven(mesh.triangle[t]) == most; })] = 0;
  return true;
}

bool hasOneLabel(const TriangleMesh& mesh, const EqualTriangles& group) {
  return mesh.label.empty() || std::all_of(group.begin(), group.end(), [&](std::uint32_t t) {
           return mesh.label[t] == mesh.label[group.front()];
         });
}

void addSheet(const TriangleMesh& mesh, std::uint32_t t, DroppedDuplicates& dropped) {
  dropped.sheet.push_back(mesh.triangle[t]);
  if (!mesh.label.empty()) dropped.label.push_back(mesh.label[t]);
}

// Labels of groups of equal triangles of several faces, such as those of a closed surface and of
// its cap in a file of its own: that of the smallest face; ties: the first. So names do not depend
// on the order of the files.
std::vector<geometry::Patch> labelsOfGroups(const TriangleMesh& mesh,
                                            const std::vector<EqualTriangles>& groups) {
  std::vector<geometry::Patch> labels;
  if (mesh.label.empty()) return labels;
  std::vector<std::uint64_t> triangles(std::size_t{geometry::openingBit} + 1, 0);  // by label
  for (const geometry::Patch label : mesh.label) ++triangles[label];
  for (const EqualTriangles& group : groups) {
    geometry::Patch smallest = mesh.label[group.front()];
    for (const std::uint32_t t : group) {
      const geometry::Patch label = mesh.label[t];
      if (std::pair(triangles[label], label) < std::pair(triangles[smallest], smallest))
        smallest = label;
    }
    labels.push_back(smallest);
  }
  return labels;
}

}  // namespace

DroppedDuplicates dropDuplicates(TriangleMesh& mesh, const EdgeTable& edges) {
  const std::vector<EqualTriangles> groups = groupEqual(mesh, repeatedTriangles(mesh, edges));
  DroppedDuplicates dropped;
  if (groups.empty()) return dropped;
  Sheets sheets{std::vector<std::uint32_t>(mesh.triangle.size(), noSheet),
                geometry::DisjointSets<>(groups.size())};
  std::vector<std::uint8_t> drop(mesh.triangle.size(), 0);
  std::size_t inSheets = 0;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    if (keepMajority(mesh, groups[g], drop)) continue;
    for (const std::uint32_t t : groups[g]) sheets.ofTriangle[t] = g;
    inSheets += groups[g].size();
  }
  if (inSheets > 0) {
    const bool nothingElse = inSheets == mesh.triangle.size();
    const std::vector<Rim> rims = rimsOf(mesh, edges, groups.size(), sheets);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      const std::uint32_t first = groups[g].front();
      if (sheets.ofTriangle[first] != g) continue;
      if (isKept(rims[sheets.groups.root(g)], nothingElse))
        drop[first] = 0;
      else if (hasOneLabel(mesh, groups[g]))
        addSheet(mesh, first, dropped);
    }
  }
  const std::vector<geometry::Patch> labels = labelsOfGroups(mesh, groups);
  for (std::size_t g = 0; g < labels.size(); ++g)
    for (const std::uint32_t t : groups[g])
      if (drop[t] == 0) mesh.label[t] = labels[g];
  dropped.triangles = geometry::dropTriangles(mesh, [&](std::size_t t) { return drop[t] != 0; });
  return dropped;
}

}  // namespace tessera::preprocess::surface
