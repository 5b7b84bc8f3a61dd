// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/label_net.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {

namespace {

using std::size_t;

// Voxel labels, solid outside of the image, wrapped on periodic axes. Sample 0 is the voxel below
// the low side, on a periodic axis the first voxel.
struct LabelSamples {
  using Value = std::uint8_t;
  const geometry::BitLattice& fluid;
  std::array<bool, 3> periodic;
  Int3 first{};  // voxel of sample (0, 0, 0)
  Int3 cells{};

  LabelSamples(const geometry::BitLattice& labels, const std::array<bool, 3>& axes)
      : fluid(labels), periodic(axes), cells(labels.size) {
    for (size_t a = 0; a < 3; ++a) {
      first[a] = periodic[a] ? 0 : -1;
      cells[a] += periodic[a] ? 0 : 1;
    }
  }
  static bool isInside(Value value) { return value != 0; }
  [[nodiscard]] Value sample(const Int3& at) const {
    Int3 voxel = at + first;
    return geometry::wrapInto(fluid.size, periodic, voxel) &&
           fluid.at(voxel[0], voxel[1], voxel[2]);
  }
  [[nodiscard]] bool reaches(const Int3&) const { return true; }
};

// Quad around an edge, with the side of the image or the ends of periodic axes on which it lies.
LabelNet::Quad quadOf(const LabelSamples& samples, const CrossedEdge& edge, const NetQuad& vertex) {
  LabelNet::Quad quad{.vertex = vertex};
  const auto along = static_cast<size_t>(edge.axis);
  const int lower = samples.first[along] + edge.cell[along];  // voxel at the edge's start
  const bool leavesHigh = lower == samples.fluid.size[along] - 1;
  if (!samples.periodic[along] && (lower == -1 || leavesHigh))
    quad.side = static_cast<std::uint8_t>(2 * edge.axis + (leavesHigh ? 1 : 0));
  // At the end of a periodic axis the quad belongs to the fluid's side.
  const bool isSeenLow = samples.periodic[along] && leavesHigh && !edge.isInside;
  for (unsigned k = 0; k < 4; ++k) {
    const Int3 around = edge.cell + stepAround(edge, k);
    unsigned low = isSeenLow ? 1U << edge.axis : 0U;
    for (size_t a = 0; a < 3; ++a)
      if (around[a] < 0) low |= 1U << a;
    quad.low = static_cast<std::uint16_t>(quad.low | low << (3 * k));
  }
  return quad;
}

}  // namespace

LabelNet labelNet(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic) {
  const LabelSamples samples(fluid, periodic);
  const Int3& cells = samples.cells;
  SurfaceNet surface({1, 1, cells[2]}, {cells[0], cells[1], 1}, periodic);
  surface.findBlocks(samples);
  surface.findCells(samples, [](const auto&...) {});
  const std::uint64_t vertices = surface.numberVertices();
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    stage::fail(stage::ExitCode::NoResource,
                fmt::format("the image's surface would have {} vertices, more than 32 bits count; "
                            "cut out a part of the image.",
                            vertices));
  const std::vector<NetBlock>& layers = surface.blocks();
  std::vector<std::vector<LabelNet::Quad>> quads(layers.size());
  stage::parallelFor(layers.size(), [&](size_t k) {
    surface.forEachQuad(layers[k], [&](const CrossedEdge& edge, const NetQuad& vertex) {
      quads[k].push_back(quadOf(samples, edge, vertex));
    });
  });
  LabelNet net;
  net.size = fluid.size;
  net.periodic = periodic;
  for (size_t k = 0; k < layers.size(); ++k) {
    surface.forEachCell(layers[k], [&](const Int3& at, const NetCell& cell) {
      net.cell.insert(net.cell.end(), cellCurveTable()[cell.curves].count, at + samples.first);
    });
    net.quad.insert(net.quad.end(), quads[k].begin(), quads[k].end());
    quads[k] = {};
  }
  net.offset.resize(net.cell.size());
  return net;
}

namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // the lower vertex first

constexpr std::uint8_t inWall = 1;
constexpr std::uint8_t inCap = 2;
constexpr std::uint8_t onRim = inWall | inCap;

std::vector<std::uint8_t> kindOfVertices(const LabelNet& net) {
  std::vector<std::uint8_t> kind(net.cell.size(), 0);
  for (const LabelNet::Quad& quad : net.quad)
    for (const std::uint32_t v : quad.vertex)
      kind[v] |= quad.side == LabelNet::wall ? inWall : inCap;
  return kind;
}

// Edges between wall quads and cap quads.
std::vector<Edge> rimEdges(const LabelNet& net, const std::vector<std::uint8_t>& kind) {
  std::array<std::vector<Edge>, 2> edges;  // of walls, of caps
  for (const LabelNet::Quad& quad : net.quad)
    for (size_t k = 0; k < 4; ++k) {
      const std::uint32_t from = quad.vertex[k];
      const std::uint32_t to = quad.vertex[(k + 1) % 4];
      if (kind[from] == onRim && kind[to] == onRim)
        edges[quad.side == LabelNet::wall ? 0 : 1].push_back(std::minmax(from, to));
    }
  for (std::vector<Edge>& list : edges) std::sort(list.begin(), list.end());
  std::vector<Edge> both;
  std::set_intersection(edges[0].begin(), edges[0].end(), edges[1].begin(), edges[1].end(),
                        std::back_inserter(both));
  return both;
}

// visit(from, to) for every neighbour "to" in the smoothing stencil of "from".
template <class Visit>
void forEachLink(const LabelNet& net, const std::vector<std::uint8_t>& kind,
                 const std::vector<Edge>& rim, const Visit& visit) {
  for (const LabelNet::Quad& quad : net.quad) {
    if (quad.side != LabelNet::wall) continue;
    // The other quad of an edge traverses it in the opposite direction: each neighbour occurs once.
    for (size_t k = 0; k < 4; ++k)
      if (kind[quad.vertex[k]] == inWall) visit(quad.vertex[k], quad.vertex[(k + 1) % 4]);
  }
  for (const auto& [a, b] : rim) {
    visit(a, b);
    visit(b, a);
  }
}

// Step from a cell to an adjacent one, also across the end of a periodic axis.
Int3 stepBetween(const LabelNet& net, std::uint32_t from, std::uint32_t to) {
  Int3 step;
  for (size_t a = 0; a < 3; ++a) {
    step[a] = net.cell[to][a] - net.cell[from][a];
    if (step[a] > 1) step[a] -= net.size[a];
    if (step[a] < -1) step[a] += net.size[a];
  }
  return step;
}

// Connected components of the vertices over the chosen quads.
template <class Counts>
NetParts groupVertices(const LabelNet& net, const Counts& counts) {
  constexpr std::uint32_t unnumbered = 0;
  NetParts parts;
  parts.of.assign(net.cell.size(), NetParts::none);
  geometry::DisjointSets<> sets(net.cell.size());
  for (const LabelNet::Quad& quad : net.quad) {
    if (!counts(quad)) continue;
    for (const std::uint32_t v : quad.vertex) {
      parts.of[v] = unnumbered;
      sets.join(quad.vertex[0], v);
    }
  }
  // Roots are the lowest vertices of their parts, so they are numbered first.
  for (std::uint32_t v = 0; v < parts.of.size(); ++v) {
    if (parts.of[v] == NetParts::none) continue;
    const std::uint32_t root = sets.root(v);
    parts.of[v] = root == v ? static_cast<std::uint32_t>(parts.count++) : parts.of[root];
  }
  return parts;
}

}  // namespace

NetLinks linksOfNet(const LabelNet& net) {
  const std::vector<std::uint8_t> kind = kindOfVertices(net);
  const std::vector<Edge> rim = rimEdges(net, kind);
  if (4 * net.quad.size() > ~std::uint32_t{0})
    stage::fail(
        stage::ExitCode::NoResource,
        "the image's surface has more edges than 32 bits count; cut out a part of the image.");
  NetLinks links;
  links.start.assign(net.cell.size() + 1, 0);
  forEachLink(net, kind, rim, [&](std::uint32_t from, std::uint32_t) { ++links.start[from + 1]; });
  std::partial_sum(links.start.begin(), links.start.end(), links.start.begin());
  links.to.resize(links.start.back());
  links.meanStep.resize(net.cell.size());
  std::vector<std::uint32_t> next(links.start.begin(), links.start.end() - 1);
  forEachLink(net, kind, rim, [&](std::uint32_t from, std::uint32_t to) {
    links.to[next[from]++] = to;
    const Int3 step = stepBetween(net, from, to);
    const auto degree = static_cast<float>(links.start[from + 1] - links.start[from]);
    for (size_t a = 0; a < 3; ++a) links.meanStep[from][a] += static_cast<float>(step[a]) / degree;
  });
  return links;
}

NetParts partsOfNet(const LabelNet& net) {
  return groupVertices(net, [](const LabelNet::Quad&) { return true; });
}

NetParts capsOfNet(const LabelNet& net) {
  return groupVertices(net, [](const LabelNet::Quad& quad) { return quad.side != LabelNet::wall; });
}

namespace {

// Vertices repeated at the low end of a periodic axis, numbered after all others.
struct NetCopies {
  std::vector<std::uint64_t> key;  // 8 * vertex + the axes' bits, ascending
  [[nodiscard]] std::uint32_t vertexOf(const LabelNet& net, const LabelNet::Quad& quad,
                                       size_t corner) const {
    const std::uint32_t vertex = quad.vertex[corner];
    const std::uint64_t low = static_cast<unsigned>(quad.low) >> (3 * corner) & 7U;
    if (low == 0) return vertex;
    const std::uint64_t required = 8 * std::uint64_t{vertex} + low;
    const auto at = std::lower_bound(key.begin(), key.end(), required);
    return static_cast<std::uint32_t>(net.cell.size() + static_cast<size_t>(at - key.begin()));
  }
};

NetCopies copiesOfNet(const LabelNet& net) {
  NetCopies copies;
  for (const LabelNet::Quad& quad : net.quad)
    for (size_t k = 0; k < 4 && quad.low != 0; ++k)
      if (const unsigned low = static_cast<unsigned>(quad.low) >> (3 * k) & 7U; low != 0)
        copies.key.push_back(8 * std::uint64_t{quad.vertex[k]} + low);
  std::sort(copies.key.begin(), copies.key.end());
  copies.key.erase(std::unique(copies.key.begin(), copies.key.end()), copies.key.end());
  return copies;
}

}  // namespace

NetMesh meshOfNet(const LabelNet& net, const Double3& voxel) {
  NetMesh result;
  const NetCopies copies = copiesOfNet(net);
  geometry::TriangleMesh& mesh = result.mesh;
  mesh.vertex.reserve(net.cell.size() + copies.key.size());
  for (std::uint32_t v = 0; v < net.cell.size(); ++v)
    mesh.vertex.push_back(scaled(net.position(v, 0), voxel));
  for (const std::uint64_t key : copies.key)
    mesh.vertex.push_back(scaled(
        net.position(static_cast<std::uint32_t>(key / 8), static_cast<unsigned>(key % 8)), voxel));
  mesh.triangle.reserve(2 * net.quad.size());
  result.side.reserve(2 * net.quad.size());
  for (const LabelNet::Quad& quad : net.quad) {
    NetQuad corner;
    std::array<Double3, 4> at;
    for (size_t k = 0; k < 4; ++k) {
      corner[k] = copies.vertexOf(net, quad, k);
      at[k] = scaled(net.position(quad, k), voxel);
    }
    for (const auto& half : halvesOf(at)) {
      mesh.triangle.push_back({corner[half[0]], corner[half[1]], corner[half[2]]});
      result.side.push_back(quad.side);
    }
  }
  mesh.label.assign(mesh.triangle.size(), geometry::Patch{0});
  return result;
}

}  // namespace tessera::preprocess::mesher
