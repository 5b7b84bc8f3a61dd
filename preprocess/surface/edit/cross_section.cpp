// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/edit/cross_section.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {
namespace {

// Splits triangles at the plane; one new vertex per crossed edge.
class Splitter {
 public:
  Splitter(SplitMesh& split, const CutPlane& plane) : split_(split), plane_(plane) {}

  void add(const stage::Triangle& t, std::uint32_t origin) {
    std::size_t lone = 3, on = 3;  // corner alone on its side; corner on the plane
    for (std::size_t c = 0; c < 3; ++c) {
      const int here = side(t[c]), next = side(t[(c + 1) % 3]), last = side(t[(c + 2) % 3]);
      if (here == 0 && next * last < 0) on = c;
      if (here * next < 0 && here * last < 0) lone = c;
    }
    if (on < 3) {
      const std::uint32_t a = t[on], b = t[(on + 1) % 3], c = t[(on + 2) % 3];
      const std::uint32_t middle = crossingOf(b, c);
      emit({a, b, middle}, origin);
      emit({a, middle, c}, origin);
    } else if (lone < 3) {
      const std::uint32_t a = t[lone], b = t[(lone + 1) % 3], c = t[(lone + 2) % 3];
      const std::uint32_t ab = crossingOf(a, b), ca = crossingOf(c, a);
      emit({a, ab, ca}, origin);
      emit({ab, b, c}, origin);
      emit({ab, c, ca}, origin);
    } else {
      emit(t, origin);
    }
  }

 private:
  [[nodiscard]] int side(std::uint32_t v) const { return split_.side[v]; }
  [[nodiscard]] double height(const Double3& p) const {
    return dot(p - plane_.point, plane_.normal);
  }
  std::uint32_t crossingOf(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t low = std::min(a, b), high = std::max(a, b);
    const std::uint64_t key = (std::uint64_t{low} << 32U) | high;
    const auto next = static_cast<std::uint32_t>(split_.mesh.vertex.size());
    const auto [at, isNew] = made_.try_emplace(key, next);
    if (!isNew) return at->second;
    const Double3 p = split_.mesh.vertex[low], q = split_.mesh.vertex[high];
    const double share = height(p) / (height(p) - height(q));
    Double3 point = p + share * (q - p);
    point = point - height(point) * plane_.normal;
    split_.mesh.vertex.push_back(point);
    split_.side.push_back(0);
    return next;
  }
  void emit(const stage::Triangle& t, std::uint32_t origin) {
    split_.mesh.triangle.push_back(t);
    split_.origin.push_back(origin);
  }

  SplitMesh& split_;
  const CutPlane& plane_;
  std::unordered_map<std::uint64_t, std::uint32_t> made_;
};

std::vector<VertexPair> edgesInPlane(const SplitMesh& split) {
  const EdgeTable edges = edgesOf(split.mesh);
  std::vector<VertexPair> found;
  for (std::uint32_t v = 0; v < split.mesh.vertex.size(); ++v) {
    if (split.side[v] != 0) continue;
    edges.forEdgesOf(v, [&](std::uint32_t low, std::uint32_t high, auto ends) {
      if (split.side[high] != 0) return;
      const auto before = std::count_if(ends.begin(), ends.end(), [&](const EdgeTable::End& end) {
        return split.sideOf(end.half / 3) < 0;
      });
      if (before > 0 && static_cast<std::size_t>(before) < ends.size())
        found.push_back({low, high});
      else if (before == 1 && ends.size() == 1)
        found.push_back({low, high});  // rim of the surface in the plane
    });
  }
  return found;
}

double distanceTo(const Double3& point, const Double3& a, const Double3& b) {
  const Double3 along = b - a;
  const double size = dot(along, along);
  const double t = size > 0.0 ? std::clamp(dot(point - a, along) / size, 0.0, 1.0) : 0.0;
  return length(point - (a + t * along));
}

// Even-odd rule: whether an odd number of the curve's edges crosses a half-line from the point.
bool contains(const SplitMesh& split, const PlaneCurve& curve, const PlaneAxes& axes,
              const Double3& point) {
  if (!curve.isClosed) return false;
  bool inside = false;
  for (const auto& [i, j] : curve.edge) {
    const Double3 a = split.mesh.vertex[i] - point, b = split.mesh.vertex[j] - point;
    const double av = dot(a, axes.v), bv = dot(b, axes.v);
    if ((av > 0.0) == (bv > 0.0)) continue;
    const double au = dot(a, axes.u), bu = dot(b, axes.u);
    if (au + (bu - au) * av / (av - bv) > 0.0) inside = !inside;
  }
  return inside;
}

}  // namespace

int SplitMesh::sideOf(std::size_t t) const {
  int low = 0, high = 0;
  for (const std::uint32_t v : mesh.triangle[t]) {
    low = std::min<int>(low, side[v]);
    high = std::max<int>(high, side[v]);
  }
  return low < 0 ? -1 : high;
}

SplitMesh splitAt(const geometry::TriangleMesh& mesh, const CutPlane& plane, double tolerance) {
  SplitMesh split;
  split.mesh.vertex = mesh.vertex;
  split.side.reserve(mesh.vertex.size());
  for (const Double3& p : mesh.vertex) {
    const double height = dot(p - plane.point, plane.normal);
    split.side.push_back(
        static_cast<signed char>((height > tolerance ? 1 : 0) - (height < -tolerance ? 1 : 0)));
  }
  Splitter splitter(split, plane);
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    splitter.add(mesh.triangle[t], static_cast<std::uint32_t>(t));
  return split;
}

std::vector<PlaneCurve> curvesOf(const SplitMesh& split) {
  const std::vector<VertexPair> edges = edgesInPlane(split);
  geometry::DisjointSets<> joined(split.mesh.vertex.size());
  std::unordered_map<std::uint32_t, int> degree;
  for (const auto& edge : edges) {
    joined.join(edge[0], edge[1]);
    for (const std::uint32_t v : edge) ++degree[v];
  }
  std::map<std::uint32_t, PlaneCurve> curves;  // by lowest vertex
  for (const auto& edge : edges) {
    PlaneCurve& curve = curves[joined.root(edge[0])];
    curve.edge.push_back(edge);
    for (const std::uint32_t v : edge) curve.isClosed = curve.isClosed && degree[v] % 2 == 0;
  }
  std::vector<PlaneCurve> list;
  for (auto& [vertex, curve] : curves) list.push_back(std::move(curve));
  return list;
}

CrossSection nearestSection(const SplitMesh& split, const std::vector<PlaneCurve>& curves,
                            const CutPlane& plane) {
  const PlaneAxes axes(plane.normal);
  const std::vector<Double3>& vertex = split.mesh.vertex;
  const std::size_t count = curves.size();
  std::size_t nearest = 0;
  double distance = 1e300;
  for (std::size_t k = 0; k < count; ++k)
    for (const auto& [a, b] : curves[k].edge) {
      const double toEdge = distanceTo(plane.point, vertex[a], vertex[b]);
      if (toEdge < distance) nearest = k;
      distance = std::min(distance, toEdge);
    }
  const auto liesIn = [&](std::size_t inner, std::size_t outer) {
    return inner != outer && contains(split, curves[outer], axes, vertex[curves[inner].edge[0][0]]);
  };
  const auto depthOf = [&](std::size_t k) {
    std::size_t depth = 0;
    for (std::size_t other = 0; other < count; ++other) depth += liesIn(k, other) ? 1 : 0;
    return depth;
  };
  std::size_t outermost = nearest;
  if (const std::size_t depth = depthOf(nearest); depth % 2 == 1)
    for (std::size_t k = 0; k < count; ++k)
      if (liesIn(nearest, k) && depthOf(k) + 1 == depth) outermost = k;
  CrossSection section;
  section.curve.push_back(curves[outermost]);
  if (!curves[outermost].isClosed) return section;
  for (std::size_t k = 0; k < count; ++k)
    if (liesIn(k, outermost) && depthOf(k) == depthOf(outermost) + 1)
      section.curve.push_back(curves[k]);
  for (const auto& [a, b] : curves[outermost].edge)
    section.perimeter += length(vertex[b] - vertex[a]);
  const auto around = std::count_if(
      section.curve.begin(), section.curve.end(),
      [&](const PlaneCurve& curve) { return contains(split, curve, axes, plane.point); });
  section.distance = around == 1 ? 0.0 : distance;
  return section;
}

}  // namespace tessera::preprocess::surface
