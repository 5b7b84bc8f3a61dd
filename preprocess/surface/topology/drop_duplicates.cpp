// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/drop_duplicates.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

constexpr std::uint32_t noSheet = ~std::uint32_t{0};

std::uint32_t tipOf(const TriangleMesh& mesh, std::uint32_t half) {
  return mesh.triangle[half / 3][(half % 3 + 2) % 3];
}

// Triangles that have an edge and the tip in common with another one, ascending.
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
            if (ends.size() > 16) {  // left to the sort
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

// Triangles with the same vertices, more than one.
using Alike = std::vector<std::uint32_t>;

std::vector<Alike> groupAlike(const TriangleMesh& mesh,
                              const std::vector<std::uint32_t>& triangles) {
  std::vector<std::pair<stage::Triangle, std::uint32_t>> keyed;
  for (const std::uint32_t t : triangles) {
    stage::Triangle key = mesh.triangle[t];
    std::sort(key.begin(), key.end());
    keyed.emplace_back(key, t);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<Alike> groups;
  for (std::size_t i = 0; i < keyed.size();) {
    std::size_t j = i;
    while (j < keyed.size() && keyed[j].first == keyed[i].first) ++j;
    if (j - i > 1) {
      Alike& group = groups.emplace_back();
      for (; i < j; ++i) group.push_back(keyed[i].second);
    }
    i = j;
  }
  return groups;
}

bool isEven(const stage::Triangle& c) {
  return ((c[0] > c[1]) + (c[0] > c[2]) + (c[1] > c[2])) % 2 == 0;
}

// Groups that cancel, joined where they share an edge.
struct Sheets {
  std::vector<std::uint32_t> ofTriangle;  // its group, or noSheet
  std::vector<std::uint32_t> parent;      // by group
  std::uint32_t root(std::uint32_t group) {
    while (parent[group] != group) group = parent[group] = parent[parent[group]];
    return group;
  }
};

// How the edges of a sheet meet the triangles that are in no sheet.
struct Rim {
  std::uint64_t gaps = 0;    // edges with one of them: the sheet is the other half of the wall
  std::uint64_t others = 0;  // edges with more of them
  std::uint64_t free = 0;    // edges of one group of the sheet and nothing else
};

std::vector<Rim> rimsOf(const TriangleMesh& mesh, const EdgeTable& edges, Sheets& sheets) {
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
          sheets.parent[sheets.root(group)] = sheets.root(first);
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
  std::vector<Rim> rims(sheets.parent.size());
  for (const auto& [group, rim] : seen) {
    Rim& sum = rims[sheets.root(group)];
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

// Marks all of a group but one that is wound as most of them; false where none are most.
bool keepMajority(const TriangleMesh& mesh, const Alike& group, std::vector<std::uint8_t>& drop) {
  const auto wound = [&](std::uint32_t t) { return isEven(mesh.triangle[t]); };
  const auto even = static_cast<std::size_t>(std::count_if(group.begin(), group.end(), wound));
  for (const std::uint32_t t : group) drop[t] = 1;
  if (2 * even == group.size()) return false;
  const bool most = 2 * even > group.size();
  drop[*std::find_if(group.begin(), group.end(),
                     [&](std::uint32_t t) { return wound(t) == most; })] = 0;
  return true;
}

}  // namespace

std::uint64_t dropDuplicates(TriangleMesh& mesh, const EdgeTable& edges) {
  const std::vector<Alike> groups = groupAlike(mesh, repeatedTriangles(mesh, edges));
  if (groups.empty()) return 0;
  Sheets sheets;
  sheets.ofTriangle.assign(mesh.triangle.size(), noSheet);
  sheets.parent.resize(groups.size());
  std::iota(sheets.parent.begin(), sheets.parent.end(), 0U);
  std::vector<std::uint8_t> drop(mesh.triangle.size(), 0);
  std::size_t inSheets = 0;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    if (keepMajority(mesh, groups[g], drop)) continue;
    for (const std::uint32_t t : groups[g]) sheets.ofTriangle[t] = g;
    inSheets += groups[g].size();
  }
  if (inSheets > 0) {
    const bool nothingElse = inSheets == mesh.triangle.size();
    const std::vector<Rim> rims = rimsOf(mesh, edges, sheets);
    for (std::uint32_t g = 0; g < groups.size(); ++g)
      if (sheets.ofTriangle[groups[g].front()] == g && isKept(rims[sheets.root(g)], nothingElse))
        drop[groups[g].front()] = 0;
  }
  return geometry::dropTriangles(mesh, [&](std::size_t t) { return drop[t] != 0; });
}

}  // namespace tessera::preprocess::surface
