// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/openings.hpp"

#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>
#include <span>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/geometry/opening_names.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::surface {

using geometry::Opening;
using geometry::Patch;
using geometry::TriangleMesh;

namespace {

Opening measure(const TriangleMesh& mesh, const Cap& cap) {
  Opening opening;
  opening.name = cap.name;
  Double3 sum{};
  for (const std::uint32_t t : cap.triangle) sum = sum + 0.5 * geometry::areaVector(mesh, t);
  opening.area = length(sum);
  opening.normal = (1.0 / opening.area) * sum;
  opening.radius = std::sqrt(opening.area / std::numbers::pi);
  for (const std::uint32_t t : cap.triangle) {
    const double share = 0.5 * dot(geometry::areaVector(mesh, t), opening.normal) / opening.area;
    for (const std::uint32_t v : mesh.triangle[t])
      opening.centre = opening.centre + (share / 3.0) * mesh.vertex[v];
  }
  return opening;
}

// Groups of triangles that share vertices.
std::vector<Cap> connectedParts(const TriangleMesh& mesh,
                                const std::vector<std::uint32_t>& triangles) {
  geometry::DisjointSets<> joined(mesh.vertex.size());
  for (const std::uint32_t t : triangles)
    for (const std::uint32_t v : mesh.triangle[t]) joined.join(v, mesh.triangle[t][0]);
  std::vector<Cap> parts;
  std::vector<std::uint32_t> partOf(mesh.vertex.size(), 0);  // of a root, 1-based
  for (const std::uint32_t t : triangles) {
    std::uint32_t& part = partOf[joined.root(mesh.triangle[t][0])];
    if (part == 0) {
      parts.emplace_back();
      part = static_cast<std::uint32_t>(parts.size());
    }
    parts[part - 1].triangle.push_back(t);
  }
  return parts;
}

// Orders by centre z, then y, then x; positions closer than step to their predecessor count as
// equal, so that rounding does not decide.
void orderByPosition(const std::vector<Opening>& openings, std::span<std::size_t> group,
                     double step) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto position = [&](std::size_t k) { return openings[k].centre[axis]; };
    std::vector<std::size_t> along(group.begin(), group.end());
    std::sort(along.begin(), along.end(),
              [&](std::size_t a, std::size_t b) { return position(a) < position(b); });
    std::map<std::size_t, int> rank;
    for (std::size_t i = 0; i < along.size(); ++i) {
      const bool further = i > 0 && position(along[i]) - position(along[i - 1]) > step;
      rank[along[i]] = i == 0 ? 0 : rank[along[i - 1]] + (further ? 1 : 0);
    }
    // Stable sort: the axis sorted last, z, has precedence.
    std::stable_sort(group.begin(), group.end(),
                     [&](std::size_t a, std::size_t b) { return rank.at(a) < rank.at(b); });
  }
}

// names: all numbered.
void orderByNumber(const std::vector<Opening>& openings, std::vector<std::size_t>& order) {
  const auto number = [&](std::size_t k) {
    return geometry::numberedName(openings[k].name)->number;
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return number(a) < number(b); });
}

}  // namespace

std::vector<Cap> capsOnSide(const TriangleMesh& mesh, const geometry::Bounds& bounds,
                            const Side& side, double tolerance) {
  const auto axis = static_cast<std::size_t>(side.axis);
  const double plane = side.high ? bounds.high[axis] : bounds.low[axis];
  std::vector<std::uint32_t> inPlane;
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    if (std::all_of(mesh.triangle[t].begin(), mesh.triangle[t].end(), [&](std::uint32_t v) {
          return std::abs(mesh.vertex[v][axis] - plane) <= tolerance;
        }))
      inPlane.push_back(t);
  std::vector<Cap> caps = connectedParts(mesh, inPlane);
  std::erase_if(caps, [&](const Cap& cap) { return !(measure(mesh, cap).area > 0.0); });
  if (caps.empty())
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--faces {}: the surface has no triangles in that plane of its "
                            "bounding box; omit that face.",
                            side.name()));
  for (std::size_t k = 0; k < caps.size(); ++k) {
    caps[k].name = side.name() + (caps.size() > 1 ? std::to_string(k + 1) : "");
    caps[k].origin = CapOrigin::Side;
  }
  return caps;
}

std::string describeOrigin(CapOrigin origin) {
  switch (origin) {
    case CapOrigin::Loop:
      return "open loop";
    case CapOrigin::FlatCap:
      return "flat cap";
    case CapOrigin::Face:
      return "face";
    case CapOrigin::Side:
      return "side of the box";
    case CapOrigin::Cut:
      return "cut";
    case CapOrigin::Requested:
      return "--open";
  }
  return "";
}

LabelledOpenings labelOpenings(TriangleMesh& mesh, const std::vector<Cap>& caps) {
  if (mesh.label.empty()) mesh.label.assign(mesh.triangle.size(), Patch{0});
  LabelledOpenings found;
  std::vector<const Cap*> taken;
  for (const Cap& cap : caps) {
    const bool shared = std::any_of(cap.triangle.begin(), cap.triangle.end(), [&](std::uint32_t t) {
      return geometry::isOpening(mesh.label[t]);
    });
    if (shared) continue;
    for (const std::uint32_t t : cap.triangle) mesh.label[t] = geometry::openingBit;
    found.opening.push_back(measure(mesh, cap));
    taken.push_back(&cap);
  }
  for (const std::size_t before : orderOpenings(found.opening)) {
    const Cap& cap = *taken[before];
    found.origin.push_back(cap.origin);
    found.cap.push_back(static_cast<std::size_t>(&cap - caps.data()));
    const Patch patch = geometry::openingPatch(static_cast<int>(found.origin.size()));
    for (const std::uint32_t t : cap.triangle) mesh.label[t] = patch;
  }
  return found;
}

std::vector<std::string> labelWalls(TriangleMesh& mesh, const std::vector<std::string>& faceName,
                                    std::span<Patch> sheets) {
  if (faceName.empty()) return {"wall"};
  std::vector<Patch> labelOf(faceName.size(), geometry::openingBit);
  for (const Patch label : mesh.label)
    if (!geometry::isOpening(label)) labelOf[label] = 0;
  for (const Patch label : sheets) labelOf[label] = 0;
  std::vector<std::string> names;
  for (std::size_t face = 0; face < faceName.size(); ++face) {
    if (geometry::isOpening(labelOf[face])) continue;
    labelOf[face] = static_cast<Patch>(names.size());
    names.push_back(faceName[face]);
  }
  for (Patch& label : mesh.label)
    if (!geometry::isOpening(label)) label = labelOf[label];
  for (Patch& label : sheets) label = labelOf[label];
  if (names.empty()) names.emplace_back("wall");
  return names;
}

std::vector<std::size_t> orderOpenings(std::vector<Opening>& openings) {
  std::vector<std::size_t> order(openings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return openings[a].area > openings[b].area;
  });
  for (std::size_t first = 0; first < order.size();) {
    const Opening& largest = openings[order[first]];
    std::size_t last = first + 1;
    while (last < order.size() && openings[order[last]].area >= 0.99 * largest.area) ++last;
    orderByPosition(openings, {order.data() + first, last - first}, 1e-3 * largest.radius);
    first = last;
  }
  if (geometry::areNumbered(openings)) orderByNumber(openings, order);
  std::vector<Opening> sorted;
  std::unordered_set<std::string> taken;
  for (const std::size_t k : order) {
    Opening& opening = sorted.emplace_back(std::move(openings[k]));
    opening.id = static_cast<int>(sorted.size());
    if (opening.name.empty()) opening.name = fmt::format("opening{}", opening.id);
    opening.name = read::takeName(taken, opening.name);
  }
  openings = std::move(sorted);
  return order;
}

}  // namespace tessera::preprocess::surface
