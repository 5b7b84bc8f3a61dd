// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/mesh_integrals.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/lattice/bit_lattice.hpp"

namespace tessera {
namespace {

using std::size_t;

constexpr int halfDirections = restDirection;  // one of each pair of opposite directions
constexpr Double3 blockSides{BitLattice::blockNodes - 1, BitLattice::blockRows - 1,
                             BitLattice::blockPlanes - 1};

struct Sums {
  Double3 projected{};
  double area = 0.0, links = 0.0, openingLinks = 0.0, openingReach = 0.0, inward = 0.0,
         outward = 0.0, block = 0.0;
  Sums& operator+=(const Sums& more) {
    projected = projected + more.projected;
    area += more.area;
    links += more.links;
    openingLinks += more.openingLinks;
    openingReach += more.openingReach;
    inward += more.inward;
    outward += more.outward;
    block += more.block;
    return *this;
  }
};

template <class Add>
Sums sumOver(size_t count, Add add) {
  using Range = tbb::blocked_range<size_t>;
  return tbb::parallel_deterministic_reduce(
      Range(0, count, 1 << 12), Sums{},
      [&](const Range& range, Sums sums) {
        for (size_t k = range.begin(); k < range.end(); ++k) add(k, sums);
        return sums;
      },
      [](Sums left, const Sums& right) { return left += right; });
}

double along(const Double3& vector, int direction) {
  const Int3 step = directionStep(direction);
  return vector[0] * step[0] + vector[1] * step[1] + vector[2] * step[2];
}

// Of a box with sides 2 half, centred: how far it reaches along a unit normal.
double reach(const Double3& half, const Double3& normal) {
  return half[0] * std::abs(normal[0]) + half[1] * std::abs(normal[1]) +
         half[2] * std::abs(normal[2]);
}

// Two triangles that meet on an edge.
struct Edge {
  double length = 0.0;      // nodes
  double angle = 0.0;       // between the normals; negative where the edge is reflex
  Double3 left{}, right{};  // unit normals
};

// Between two slabs on an edge, in parts of its length: the kite that both reaches span.
double kite(double one, double other, double angle) {
  const double difference = one - other;
  return 0.5 * (one * one + other * other) * std::tan(0.5 * angle) -
         0.5 * difference * difference / std::sin(angle);
}

// The kite where the slabs meet with a corner; where they part, what the box sweeps between them,
// by smaller kites.
double bend(const Edge& edge, const Double3& half, bool swept) {
  const double angle = std::abs(edge.angle);
  if (angle < 1e-6) return 0.0;
  constexpr double step = std::numbers::pi / 18;
  const int steps = swept || angle > 3.0 ? static_cast<int>(std::ceil(angle / step)) : 1;
  double sum = 0.0;
  double before = reach(half, edge.left);
  for (int k = 1; k <= steps; ++k) {
    const double part = static_cast<double>(k) / steps;
    const Double3 normal =
        1.0 / std::sin(angle) *
        (std::sin((1.0 - part) * angle) * edge.left + std::sin(part * angle) * edge.right);
    const double now = reach(half, k == steps ? edge.right : normal);
    sum += kite(before, now, angle / steps);
    before = now;
  }
  return edge.angle > 0.0 ? edge.length * sum : -edge.length * sum;
}

// Links across a corner that begin outside of the fluid or come back into it. Across the edge the
// link is a step along each of the two triangles; a triangle of half their parallelogram is lost,
// for the link and for its opposite.
double lostLinks(const Edge& edge) {
  constexpr double sharpest = 0.3;  // sine; below that the steps are longer than triangles
  const double angle = std::abs(edge.angle);
  if (angle < 1e-6) return 0.0;
  const double sine = std::max(std::sin(angle), angle > 1.0 ? sharpest : 0.0);
  double lost = 0.0;
  for (int n = 0; n < halfDirections; ++n) {
    const double steps = along(edge.left, n) * along(edge.right, n);
    if (steps < 0.0) lost -= steps / sine;
  }
  return edge.length * lost;
}

class Integrator {
 public:
  Integrator(const TriangleMesh& mesh, const Frame& frame)
      : mesh_(mesh), frame_(frame), scale_(1.0 / frame.spacing) {}

  void addTriangle(size_t t, Sums& sums) const {
    const Double3 area = 0.5 * scale_ * scale_ * areaOf(t);
    sums.area += length(area);
    for (size_t a = 0; a < 3; ++a) sums.projected[a] += std::abs(area[a]);
    double links = 0.0;
    for (int n = 0; n < halfDirections; ++n) links += std::abs(along(area, n));
    sums.links += links;
    if (mesh_.label.empty() || !isOpening(mesh_.label[t])) return;
    sums.openingLinks += links;
    sums.openingReach += std::abs(area[0]) + std::abs(area[1]) + std::abs(area[2]);
  }
  void addEdge(std::uint32_t half, std::uint32_t twin, Sums& sums) const {
    const auto edge = between(half, twin);
    if (!edge) return;
    const Double3 cube{1.0, 1.0, 1.0};
    sums.inward += bend(*edge, cube, edge->angle < 0.0);
    sums.outward += bend(*edge, cube, edge->angle > 0.0);
    sums.block += bend(*edge, 0.5 * blockSides, edge->angle > 0.0);
    sums.links -= lostLinks(*edge);
  }

 private:
  [[nodiscard]] std::optional<Edge> between(std::uint32_t half, std::uint32_t twin) const {
    const Double3 one = areaOf(half / 3), other = areaOf(twin / 3);
    const double sizes = length(one) * length(other);
    if (!(sizes > 0.0)) return std::nullopt;
    Edge edge;
    edge.left = 1.0 / length(one) * one;
    edge.right = 1.0 / length(other) * other;
    const Double3 run =
        inFrame(mesh_.vertex[toVertex(mesh_, half)] - mesh_.vertex[fromVertex(mesh_, half)]);
    const Double3 turn = cross(edge.left, edge.right);
    edge.length = scale_ * length(run);
    edge.angle = std::atan2(length(turn), dot(edge.left, edge.right));
    if (dot(turn, run) < 0.0) edge.angle = -edge.angle;
    return edge;
  }

  [[nodiscard]] Double3 inFrame(const Double3& v) const {
    return {dot(frame_.axis[0], v), dot(frame_.axis[1], v), dot(frame_.axis[2], v)};
  }
  [[nodiscard]] Double3 areaOf(size_t t) const { return inFrame(areaVector(mesh_, t)); }

  const TriangleMesh& mesh_;
  const Frame& frame_;
  double scale_;
};

// chi / 2 of the vertices, edges and triangles that are used.
double ballsOf(const TriangleMesh& mesh, const EdgeTable& edges) {
  std::vector<char> used(mesh.vertex.size(), 0);
  for (const Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t) used[v] = 1;
  const auto vertices = static_cast<double>(std::count(used.begin(), used.end(), 1));
  return 0.5 * (vertices - static_cast<double>(censusOf(mesh, edges).edges) +
                static_cast<double>(mesh.triangle.size()));
}

}  // namespace

MeshIntegrals integrate(const TriangleMesh& mesh, double volume, const Frame& frame, Edges with) {
  std::vector<std::uint32_t> twin;
  MeshIntegrals result;
  if (with == Edges::Yes) {
    const EdgeTable edges = edgesOf(mesh);
    twin = twinsOf(mesh, edges);
    result.parts = ballsOf(mesh, edges);
  }
  const Integrator integrator(mesh, frame);
  const Sums sums = sumOver(mesh.triangle.size(), [&](size_t t, Sums& sum) {
    integrator.addTriangle(t, sum);
    if (twin.empty()) return;
    for (auto half = static_cast<std::uint32_t>(3 * t); half < 3 * t + 3; ++half)
      if (twin[half] != noHalfEdge && half < twin[half]) integrator.addEdge(half, twin[half], sum);
  });
  result.volume = volume / std::pow(frame.spacing, 3);
  result.area = sums.area;
  result.projected = sums.projected;
  result.links = sums.links;
  result.openingLinks = sums.openingLinks;
  result.openingReach = sums.openingReach;
  result.bendInward = sums.inward;
  result.bendOutward = sums.outward;
  result.bendBlock = sums.block;
  return result;
}

double MeshIntegrals::grown(double side) const {
  const double half = 0.5 * side;
  return volume + half * (projected[0] + projected[1] + projected[2]) + half * half * bendOutward +
         side * side * side * parts;
}

double MeshIntegrals::shrunk(double side) const {
  // Once all of it is gone the polynomial may rise again.
  double least = volume;
  constexpr int steps = 32;
  for (int k = 1; k <= steps; ++k) {
    const double s = side * k / steps;
    const double half = 0.5 * s;
    least = std::min(least, volume - half * (projected[0] + projected[1] + projected[2]) +
                                half * half * bendInward - s * s * s * parts);
  }
  return std::max(0.0, least);
}

double MeshIntegrals::grownByBlock() const {
  return volume + 0.5 * dot(blockSides, projected) + bendBlock +
         blockSides[0] * blockSides[1] * blockSides[2] * parts;
}

}  // namespace tessera
