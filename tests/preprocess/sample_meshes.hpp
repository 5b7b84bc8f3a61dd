// SPDX-License-Identifier: GPL-3.0-or-later
// What every sample surface must be.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera {

using namespace tessera::preprocess::geometry;
using namespace tessera::stage;

// Every directed edge once: manifold by edges and oriented alike. Returns the number of rim edges.
inline std::size_t rimEdgesOfManifold(const TriangleMesh& mesh) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Triangle& t : mesh.triangle)
    for (std::size_t k = 0; k < 3; ++k) {
      const bool isNew = edges.emplace(t[k], t[(k + 1) % 3]).second;
      if (!isNew) FAIL("an edge is used twice in one direction");
    }
  std::size_t rim = 0;
  for (const auto& [a, b] : edges) rim += !edges.contains({b, a});
  return rim;
}

// The triangles around every vertex form one fan: no two sheets touch in a vertex.
inline bool everyVertexOneFan(const TriangleMesh& mesh) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> next(mesh.vertex.size());
  for (const Triangle& t : mesh.triangle)
    for (std::size_t k = 0; k < 3; ++k) next[t[k]][t[(k + 1) % 3]] = t[(k + 2) % 3];
  for (const auto& fan : next) {
    if (fan.empty()) continue;
    std::uint32_t from = fan.begin()->first;
    for (const auto& [a, b] : fan)  // an open fan begins where nobody arrives
      if (std::none_of(fan.begin(), fan.end(), [&](const auto& f) { return f.second == a; }))
        from = a;
    std::set<std::uint32_t> walked;
    for (auto at = fan.find(from); at != fan.end() && walked.insert(at->first).second;)
      at = fan.find(at->second);
    if (walked.size() != fan.size()) return false;
  }
  return true;
}

}  // namespace tessera
