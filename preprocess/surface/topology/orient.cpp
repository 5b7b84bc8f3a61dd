// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/orient.hpp"

#include <algorithm>
#include <numeric>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

// Marks triangles to reverse for consistent orientation, by traversal of neighbours.
std::vector<char> inconsistentTriangles(const TriangleMesh& mesh,
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
        const bool consistent = runsUp(mesh, half) != runsUp(mesh, other);
        turn[other / 3] = consistent ? turn[t] : static_cast<char>(!turn[t]);
        seen[other / 3] = 1;
        stack.push_back(other / 3);
      }
    }
    // The majority keeps its orientation.
    const auto turned = std::count_if(part.begin(), part.end(), [&](auto t) { return turn[t]; });
    if (2 * static_cast<std::size_t>(turned) > part.size())
      for (const std::uint32_t t : part) turn[t] = static_cast<char>(!turn[t]);
  }
  return turn;
}

constexpr std::size_t noPart = ~std::size_t{0};

// Nesting of parts.
class Nesting {
 public:
  Nesting(const TriangleMesh& mesh, const Parts& parts) : mesh_(mesh), parts_(parts) {
    if (parts.part.size() > 1) triangles_ = trianglesByPart(parts);
  }

  // Smallest part around a part; noPart: none.
  [[nodiscard]] std::size_t around(std::size_t inner) const {
    std::size_t found = noPart;
    for (std::size_t k = 0; k < parts_.part.size(); ++k)
      if (k != inner && volume(k) > volume(inner) &&
          (found == noPart || volume(k) < volume(found)) && boxContains(k, inner) &&
          contains(k, inner))
        found = k;
    return found;
  }
  [[nodiscard]] double volume(std::size_t k) const { return std::abs(parts_.part[k].volume); }

 private:
  // With a tolerance for rounding, so that both may end in one plane.
  [[nodiscard]] bool boxContains(std::size_t outer, std::size_t inner) const {
    const Part& o = parts_.part[outer];
    const Part& i = parts_.part[inner];
    for (std::size_t c = 0; c < 3; ++c) {
      const double slack = 1e-6 * (o.high[c] - o.low[c]);
      if (i.low[c] < o.low[c] - slack || i.high[c] > o.high[c] + slack) return false;
    }
    return true;
  }
  // Majority of sample points slightly inside of some triangles' centroids; on the centroids
  // themselves rounding would decide where the parts touch.
  [[nodiscard]] bool contains(std::size_t outer, std::size_t inner) const {
    constexpr std::size_t maxSamples = 9, enough = 3;
    const std::vector<std::uint32_t>& triangles = triangles_[inner];
    const std::size_t samples = std::min(maxSamples, triangles.size());
    std::size_t tested = 0, inside = 0;
    for (; tested < samples; ++tested) {
      if (tested == enough && (inside == 0 || inside == tested)) break;
      const std::size_t order =
          samples == maxSamples ? 4 * tested % maxSamples : tested;  // far apart first
      const std::uint32_t k = triangles[order * triangles.size() / samples];
      const stage::Triangle& t = mesh_.triangle[k];
      const Double3 outward = geometry::areaVector(mesh_, k);
      const double size = std::sqrt(length(outward));
      const double depth = (parts_.part[inner].volume > 0.0 ? -0.01 : 0.01) / size;
      const Double3 middle =
          (1.0 / 3.0) * (mesh_.vertex[t[0]] + mesh_.vertex[t[1]] + mesh_.vertex[t[2]]);
      if (std::abs(geometry::windingAround(mesh_, triangles_[outer], middle + depth * outward)) >
          0.5)
        ++inside;
    }
    return 2 * inside > tested;
  }

  const TriangleMesh& mesh_;
  const Parts& parts_;
  std::vector<std::vector<std::uint32_t>> triangles_;  // of each part; empty for a single one
};

}  // namespace

std::uint64_t orientConsistently(TriangleMesh& mesh, const EdgeTable& edges) {
  if (censusOf(mesh, edges).sameDirection == 0) return 0;
  const std::vector<char> turn = inconsistentTriangles(mesh, twinsOf(mesh, edges));
  std::uint64_t turned = 0;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    if (turn[t]) {
      std::swap(mesh.triangle[t][1], mesh.triangle[t][2]);
      ++turned;
    }
  return turned;
}

OutwardTurn turnOutward(TriangleMesh& mesh, const Parts& parts) {
  const Nesting nesting(mesh, parts);
  std::vector<std::size_t> order(parts.part.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return nesting.volume(a) > nesting.volume(b);
  });
  OutwardTurn result;
  std::vector<char> turn(parts.part.size(), 0), inward(parts.part.size(), 0);
  for (const std::size_t k : order) {
    const std::size_t around = parts.part.size() > 1 ? nesting.around(k) : noPart;
    if (around != noPart) {
      const bool sameWay = (parts.part[k].volume > 0.0) == (parts.part[around].volume > 0.0);
      inward[k] = static_cast<char>(sameWay ? inward[around] : !inward[around]);
      if (sameWay) result.coveredPart.push_back(k);
    }
    result.cavities += inward[k] ? 1U : 0U;
    turn[k] = static_cast<char>((parts.part[k].volume < 0.0) != (inward[k] != 0));
    result.turned += turn[k] ? 1U : 0U;
  }
  result.covered = result.coveredPart.size();
  if (result.turned > 0)
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
      if (turn[parts.ofTriangle[t]]) std::swap(mesh.triangle[t][1], mesh.triangle[t][2]);
  return result;
}

}  // namespace tessera::preprocess::surface
