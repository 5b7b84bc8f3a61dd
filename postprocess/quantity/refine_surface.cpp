// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/refine_surface.hpp"

#include <algorithm>
#include <unordered_map>

namespace tessera::postprocess::quantity {

using preprocess::geometry::TriangleMesh;
using stage::Triangle;

namespace {

constexpr std::uint32_t undivided = ~std::uint32_t{0};

// Middles of the long edges, made on first sight.
class Middles {
 public:
  Middles(TriangleMesh& mesh, double longestEdge) : mesh_(mesh), longest_(longestEdge) {}

  std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    if (!(length(mesh_.vertex[a] - mesh_.vertex[b]) > longest_)) return undivided;
    const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32U | std::max(a, b);
    const auto [place, fresh] =
        known_.try_emplace(key, static_cast<std::uint32_t>(mesh_.vertex.size()));
    if (fresh) mesh_.vertex.push_back(0.5 * (mesh_.vertex[a] + mesh_.vertex[b]));
    return place->second;
  }

  // Halved until short: the vertices from a to b, both included.
  std::vector<std::uint32_t> chain(std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> vertices{a};
    extend(vertices, b);
    return vertices;
  }

  [[nodiscard]] double distance(std::uint32_t a, std::uint32_t b) const {
    return length(mesh_.vertex[a] - mesh_.vertex[b]);
  }

 private:
  void extend(std::vector<std::uint32_t>& vertices, std::uint32_t b) {
    const std::uint32_t middle = of(vertices.back(), b);
    if (middle == undivided) {
      vertices.push_back(b);
      return;
    }
    extend(vertices, middle);
    extend(vertices, b);
  }

  TriangleMesh& mesh_;
  double longest_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

// A triangle with long edges on both sides of its first corner: rungs between the two. Quartering
// would make 3^n slivers of n halvings where these are 2 * 2^n.
void divideSliver(const Triangle& corner, Middles& middles, std::vector<Triangle>& pieces) {
  const std::vector<std::uint32_t> left = middles.chain(corner[0], corner[1]);
  const std::vector<std::uint32_t> right = middles.chain(corner[0], corner[2]);
  pieces.push_back({corner[0], left[1], right[1]});
  std::size_t l = 1, r = 1;
  while (l + 1 < left.size() || r + 1 < right.size()) {
    const bool leftNext = r + 1 == right.size() ||
                          (l + 1 < left.size() && middles.distance(left[l + 1], right[r]) <=
                                                      middles.distance(left[l], right[r + 1]));
    if (leftNext) {
      pieces.push_back({left[l], left[l + 1], right[r]});
      ++l;
    } else {
      pieces.push_back({left[l], right[r + 1], right[r]});
      ++r;
    }
  }
}

// A triangle whose first edge alone is long: a fan from the corner opposite.
void divideFan(const Triangle& corner, Middles& middles, std::vector<Triangle>& pieces) {
  const std::vector<std::uint32_t> edge = middles.chain(corner[0], corner[1]);
  for (std::size_t k = 1; k < edge.size(); ++k) pieces.push_back({edge[k - 1], edge[k], corner[2]});
}

void divide(const Triangle& corner, Middles& middles, std::vector<Triangle>& pieces) {
  const Triangle middle{middles.of(corner[0], corner[1]), middles.of(corner[1], corner[2]),
                        middles.of(corner[2], corner[0])};
  const auto whole = static_cast<std::size_t>(std::count(middle.begin(), middle.end(), undivided));
  if (whole == 3) {
    pieces.push_back(corner);
    return;
  }
  if (whole == 0) {
    for (std::size_t e = 0; e < 3; ++e)
      pieces.push_back({corner[e], middle[e], middle[(e + 2) % 3]});
    pieces.push_back(middle);
    return;
  }
  // Turned so that the first edge is the only divided one, or the second the only whole one.
  std::size_t first = 0;
  while (whole == 2 ? middle[first] == undivided : middle[(first + 1) % 3] != undivided) ++first;
  const Triangle turned{corner[first], corner[(first + 1) % 3], corner[(first + 2) % 3]};
  if (whole == 2)
    divideFan(turned, middles, pieces);
  else
    divideSliver(turned, middles, pieces);
}

}  // namespace

TriangleMesh refineSurface(TriangleMesh mesh, double longestEdge) {
  Middles middles(mesh, longestEdge);
  for (bool divided = true; divided;) {
    std::vector<Triangle> triangles;
    std::vector<preprocess::geometry::Patch> labels;
    triangles.reserve(mesh.triangle.size());
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
      divide(mesh.triangle[t], middles, triangles);
      labels.resize(triangles.size(), mesh.label[t]);
    }
    divided = triangles.size() != mesh.triangle.size();
    mesh.triangle = std::move(triangles);
    mesh.label = std::move(labels);
  }
  return mesh;
}

}  // namespace tessera::postprocess::quantity
