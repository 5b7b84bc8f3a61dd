// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/refine_surface.hpp"

#include <algorithm>
#include <unordered_map>

namespace tessera {

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

 private:
  TriangleMesh& mesh_;
  double longest_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

// The pieces of one triangle; middle[e] lies on the edge from corner e to corner e + 1.
void divide(const Triangle& corner, const Triangle& middle, std::vector<Triangle>& pieces) {
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
  // Turned so that the first edge is the only divided one, or the last the only whole one.
  std::size_t first = 0;
  while (whole == 2 ? middle[first] == undivided : middle[(first + 2) % 3] != undivided) ++first;
  const std::uint32_t a = corner[first], b = corner[(first + 1) % 3], c = corner[(first + 2) % 3];
  const std::uint32_t ab = middle[first], bc = middle[(first + 1) % 3];
  if (whole == 2) {
    pieces.push_back({a, ab, c});
    pieces.push_back({ab, b, c});
  } else {
    pieces.push_back({ab, b, bc});
    pieces.push_back({a, ab, bc});
    pieces.push_back({a, bc, c});
  }
}

}  // namespace

TriangleMesh refineSurface(TriangleMesh mesh, double longestEdge) {
  for (bool divided = true; divided;) {
    Middles middles(mesh, longestEdge);
    std::vector<Triangle> triangles;
    std::vector<Patch> labels;
    triangles.reserve(mesh.triangle.size());
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
      const Triangle& corner = mesh.triangle[t];
      divide(corner,
             {middles.of(corner[0], corner[1]), middles.of(corner[1], corner[2]),
              middles.of(corner[2], corner[0])},
             triangles);
      labels.resize(triangles.size(), mesh.label[t]);
    }
    divided = triangles.size() != mesh.triangle.size();
    mesh.triangle = std::move(triangles);
    mesh.label = std::move(labels);
  }
  return mesh;
}

}  // namespace tessera
