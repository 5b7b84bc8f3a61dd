// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/orient.hpp"

#include <algorithm>
#include <numbers>

namespace tessera {
namespace {

// Which triangles to turn, found by walking from neighbour to neighbour.
std::vector<char> unlikeTheirSeed(const TriangleMesh& mesh,
                                  const std::vector<std::uint32_t>& twin) {
  std::vector<char> seen(mesh.triangle.size(), 0);
  std::vector<char> turn(mesh.triangle.size(), 0);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t seed = 0; seed < mesh.triangle.size(); ++seed) {
    if (seen[seed]) continue;
    seen[seed] = 1;
    stack.push_back(seed);
    std::vector<std::uint32_t> part;
    while (!stack.empty()) {
      const std::uint32_t t = stack.back();
      stack.pop_back();
      part.push_back(t);
      for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half) {
        const std::uint32_t other = twin[half];
        if (other == noHalfEdge || seen[other / 3]) continue;
        const bool alike = runsUp(mesh, half) != runsUp(mesh, other);
        turn[other / 3] = alike ? turn[t] : static_cast<char>(!turn[t]);
        seen[other / 3] = 1;
        stack.push_back(other / 3);
      }
    }
    // The majority keeps its winding.
    const auto turned = std::count_if(part.begin(), part.end(), [&](auto t) { return turn[t]; });
    if (2 * static_cast<std::size_t>(turned) > part.size())
      for (const std::uint32_t t : part) turn[t] = static_cast<char>(!turn[t]);
  }
  return turn;
}

// How often a part winds around a point (Van Oosterom & Strackee 1983).
double windingAround(const TriangleMesh& mesh, const Parts& parts, std::size_t part,
                     const Double3& point) {
  double angle = 0.0;
  for (std::size_t k = 0; k < mesh.triangle.size(); ++k) {
    if (parts.ofTriangle[k] != part) continue;
    const Triangle& t = mesh.triangle[k];
    const Double3 a = mesh.vertex[t[0]] - point, b = mesh.vertex[t[1]] - point,
                  c = mesh.vertex[t[2]] - point;
    const double la = length(a), lb = length(b), lc = length(c);
    angle += 2.0 * std::atan2(dot(a, cross(b, c)),
                              la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4.0 * std::numbers::pi);
}

constexpr std::size_t noPart = ~std::size_t{0};

bool holds(const Part& outer, const Part& inner) {
  for (std::size_t c = 0; c < 3; ++c)
    if (inner.low[c] <= outer.low[c] || inner.high[c] >= outer.high[c]) return false;
  return true;
}

// The first part that a part lies in and that is wound against it; noPart: none.
std::size_t bodyAround(const TriangleMesh& mesh, const Parts& parts, const Part& inner) {
  for (std::size_t k = 0; k < parts.part.size(); ++k) {
    const Part& outer = parts.part[k];
    if ((outer.volume > 0.0) != (inner.volume > 0.0) && holds(outer, inner) &&
        std::abs(windingAround(mesh, parts, k, mesh.vertex[inner.vertex])) > 0.5)
      return k;
  }
  return noPart;
}

}  // namespace

std::uint64_t windAlike(TriangleMesh& mesh, const EdgeTable& edges) {
  if (censusOf(mesh, edges).alike == 0) return 0;
  const std::vector<char> turn = unlikeTheirSeed(mesh, twinsOf(mesh, edges));
  std::uint64_t turned = 0;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    if (turn[t]) {
      std::swap(mesh.triangle[t][1], mesh.triangle[t][2]);
      ++turned;
    }
  return turned;
}

OutwardTurn turnOutward(TriangleMesh& mesh, const Parts& parts) {
  OutwardTurn result;
  std::vector<char> turn(parts.part.size(), 0);
  for (std::size_t k = 0; k < parts.part.size(); ++k) {
    const Part& part = parts.part[k];
    const bool cavity = bodyAround(mesh, parts, part) != noPart;
    result.cavities += cavity ? 1U : 0U;
    const bool turned = (part.volume < 0.0) != cavity;
    result.turned += turned ? 1U : 0U;
    turn[k] = turned ? 1 : 0;
  }
  if (result.turned > 0)
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
      if (turn[parts.ofTriangle[t]]) std::swap(mesh.triangle[t][1], mesh.triangle[t][2]);
  return result;
}

}  // namespace tessera
