// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/net_links.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess::mesher {
namespace {

using std::size_t;
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

// Edges between a wall's quad and a cap's.
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

// Calls visit(from, to) for every neighbour "to" that "from" is smoothed by.
template <class Visit>
void forEachLink(const LabelNet& net, const std::vector<std::uint8_t>& kind,
                 const std::vector<Edge>& rim, const Visit& visit) {
  for (const LabelNet::Quad& quad : net.quad) {
    if (quad.side != LabelNet::wall) continue;
    // The other quad of an edge runs along it the other way, so each neighbour is met once.
    for (size_t k = 0; k < 4; ++k)
      if (kind[quad.vertex[k]] == inWall) visit(quad.vertex[k], quad.vertex[(k + 1) % 4]);
  }
  for (const auto& [a, b] : rim) {
    visit(a, b);
    visit(b, a);
  }
}

// From a cell to one that touches it, across the end of a periodic axis too.
Int3 stepBetween(const LabelNet& net, std::uint32_t from, std::uint32_t to) {
  Int3 step;
  for (size_t a = 0; a < 3; ++a) {
    step[a] = net.cell[to][a] - net.cell[from][a];
    if (step[a] > 1) step[a] -= net.size[a];
    if (step[a] < -1) step[a] += net.size[a];
  }
  return step;
}

// Groups the vertices of quads that share some.
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
  // Roots are the lowest of their part, so they are numbered before the others ask.
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
  links.middle.resize(net.cell.size());
  std::vector<std::uint32_t> next(links.start.begin(), links.start.end() - 1);
  forEachLink(net, kind, rim, [&](std::uint32_t from, std::uint32_t to) {
    links.to[next[from]++] = to;
    const Int3 step = stepBetween(net, from, to);
    const auto degree = static_cast<float>(links.start[from + 1] - links.start[from]);
    for (size_t a = 0; a < 3; ++a) links.middle[from][a] += static_cast<float>(step[a]) / degree;
  });
  return links;
}

NetParts partsOfNet(const LabelNet& net) {
  return groupVertices(net, [](const LabelNet::Quad&) { return true; });
}

NetParts capsOfNet(const LabelNet& net) {
  return groupVertices(net, [](const LabelNet::Quad& quad) { return quad.side != LabelNet::wall; });
}

}  // namespace tessera::preprocess::mesher
