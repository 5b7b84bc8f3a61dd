// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/moment_openings.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace tessera::solver::boundary {

namespace {

struct IndexedPopulation {
  std::uint32_t slot;
  int direction;
  std::uint8_t local;
  IndexedPopulation(std::uint64_t index, int q)
      : slot(static_cast<std::uint32_t>(index / 64U / static_cast<unsigned>(q))),
        direction(static_cast<int>(index / 64U % static_cast<unsigned>(q))),
        local(static_cast<std::uint8_t>(index % 64U)) {}
};

std::uint64_t smallIndex(std::uint32_t slot, int direction, std::size_t k, int q) {
  return ((slot + k / 64U) * static_cast<unsigned>(q) + static_cast<unsigned>(direction)) * 64U +
         k % 64U;
}

std::vector<NodeCopy> nodeCopies(std::span<const PopulationCopy> copies, int q) {
  std::vector<NodeCopy> nodes;
  for (const PopulationCopy& copy : copies) {
    const IndexedPopulation from(copy.from, q);
    const IndexedPopulation to(copy.to, q);
    nodes.push_back({from.slot, to.slot, from.local, to.local});
  }
  const auto target = [](const NodeCopy& c) { return std::tuple(c.toSlot, c.toLocal); };
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](const NodeCopy& a, const NodeCopy& b) { return target(a) < target(b); });
  nodes.erase(
      std::unique(nodes.begin(), nodes.end(),
                  [&](const NodeCopy& a, const NodeCopy& b) { return target(a) == target(b); }),
      nodes.end());
  return nodes;
}

}  // namespace

MomentOpenings takeOpenings(std::vector<IncomingLink>& links,
                            std::vector<std::uint64_t>& stencilNodes,
                            std::span<const PopulationCopy> copies, int q) {
  MomentOpenings out;
  std::vector<std::size_t> nodeOf(links.size());
  std::uint64_t last = 0;
  for (std::size_t k = 0; k < links.size(); ++k) {  // links of one node are neighbours
    const IncomingLink& link = links[k];
    const IndexedPopulation node(link.node, q);
    if (out.nodes.empty() || link.node != last)
      out.nodes.push_back({node.slot, node.local, 0, 0, static_cast<std::uint32_t>(k)});
    last = link.node;
    nodeOf[k] = out.nodes.size() - 1;
    out.nodes.back().incoming |= std::uint32_t{1} << IndexedPopulation(link.target, q).direction;
    ++out.nodes.back().links;
  }
  out.stepped = out.nodes.size();
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (std::size_t k = 0; k < links.size(); ++k) known.emplace(links[k].node, nodeOf[k]);
  out.stencilOf.assign(out.nodes.size(), -1);
  for (std::uint64_t& node : stencilNodes) {
    const auto [found, added] = known.emplace(node, out.nodes.size());
    const IndexedPopulation place(node, q);
    if (added) out.nodes.push_back({place.slot, place.local, 0, 0, 0});
    out.stencilOf.resize(out.nodes.size(), -1);
    out.stencilOf[found->second] = static_cast<std::int32_t>(&node - stencilNodes.data());
    node = smallIndex(0, 0, found->second, q);
  }
  const auto half = static_cast<std::uint32_t>((out.nodes.size() + 63) / 64);
  out.smallSlots = 2 * half;
  for (std::size_t k = 0; k < links.size(); ++k) {
    IncomingLink& link = links[k];
    const int arriving = IndexedPopulation(link.target, q).direction;
    link.node = smallIndex(0, 0, nodeOf[k], q);
    link.target = smallIndex(half, arriving, nodeOf[k], q);
  }
  out.copies = nodeCopies(copies, q);
  return out;
}

}  // namespace tessera::solver::boundary
