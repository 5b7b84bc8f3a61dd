// SPDX-License-Identifier: GPL-3.0-or-later
// Percolation against a flood fill that walks the unwrapped lattice.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "preprocess/lattice/connectivity/components.hpp"

using namespace tessera;
using namespace tessera::preprocess;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;

namespace {

using Touching = std::vector<std::vector<std::uint64_t>>;

BitLattice randomLattice(const Int3& size, double porosity, unsigned seed) {
  std::mt19937 random(seed);
  BitLattice fluid(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (static_cast<double>(random()) < porosity * 4294967296.0) fluid.set(x, y, z);
  return fluid;
}

struct Flood {
  std::map<Int3, int> part;
  std::vector<std::uint64_t> nodes;         // by part
  std::vector<std::array<bool, 3>> around;  // by part
};

// Walks from a node to its neighbours, counting how often it went around each axis; a node that
// is met again with other counts closes a loop.
void fill(const BitLattice& fluid, const std::array<bool, 3>& periodic, const Int3& start,
          Neighbours neighbours, Flood& flood) {
  std::map<Int3, Int3> turns{{start, {0, 0, 0}}};
  std::vector<Int3> open{start};
  const int part = static_cast<int>(flood.nodes.size());
  flood.nodes.push_back(0);
  flood.around.push_back({false, false, false});
  flood.part[start] = part;
  while (!open.empty()) {
    const Int3 node = open.back();
    open.pop_back();
    ++flood.nodes.back();
    for (int n = 0; n < 27; ++n) {
      const bool isCorner = n % 3 != 1 && n / 3 % 3 != 1 && n / 9 != 1;
      if (isCorner && neighbours == Neighbours::Eighteen) continue;
      Int3 next = node;
      Int3 turn = turns.at(node);
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) {
        next[a] += (a == 0 ? n % 3 : a == 1 ? n / 3 % 3 : n / 9) - 1;
        const int size = fluid.size[a];
        const int around = next[a] < 0 ? -1 : next[a] >= size ? 1 : 0;
        next[a] -= around * size;
        turn[a] += around;
        inside = inside && (around == 0 || periodic[a]);
      }
      if (!inside || !fluid.at(next[0], next[1], next[2])) continue;
      const auto [known, isNew] = turns.insert({next, turn});
      for (std::size_t a = 0; a < 3; ++a)
        if (known->second[a] != turn[a]) flood.around.back()[a] = true;
      if (!isNew) continue;
      flood.part[next] = part;
      open.push_back(next);
    }
  }
}

Flood flooded(const BitLattice& fluid, const std::array<bool, 3>& periodic, Neighbours neighbours) {
  Flood flood;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x)
        if (fluid.at(x, y, z) && flood.part.count({x, y, z}) == 0)
          fill(fluid, periodic, {x, y, z}, neighbours, flood);
  return flood;
}

}  // namespace

TEST_CASE("Percolation: paths around periodic axes are those of a flood fill", "[unit]") {
  int wrapping = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Int3 size{3 + static_cast<int>(seed % 5), 2 + static_cast<int>(seed % 4),
                    1 + static_cast<int>(seed % 6)};
    const std::array<bool, 3> periodic{seed % 2 == 0, seed % 3 != 0, seed % 5 != 0};
    const BitLattice fluid = randomLattice(size, 0.15 + 0.05 * (seed % 3), seed);
    const Neighbours neighbours = seed % 4 < 3 ? Neighbours::TwentySix : Neighbours::Eighteen;
    const Flood flood = flooded(fluid, periodic, neighbours);
    const std::vector<FluidPart> found = partsOf(fluid, periodic, {}, neighbours);
    INFO("seed " << seed);
    REQUIRE(found.size() == flood.nodes.size());
    std::array<bool, 3> wraps{};
    std::uint64_t effective = 0;
    for (std::size_t k = 0; k < flood.nodes.size(); ++k) {
      bool any = false;
      for (std::size_t a = 0; a < 3; ++a) {
        wraps[a] = wraps[a] || flood.around[k][a];
        any = any || flood.around[k][a];
      }
      CHECK(found[k].nodes == flood.nodes[k]);
      CHECK(found[k].wraps == flood.around[k]);
      effective += any ? flood.nodes[k] : 0;
    }
    CHECK(wrapsOf(found) == wraps);
    wrapping += wraps[0];
    CHECK(effectiveNodes(found, 0) == effective);
  }
  CHECK(wrapping > 20);
  CHECK(wrapping < 180);
}

TEST_CASE("Percolation: paths from side to side are those of a flood fill", "[unit]") {
  const BoxFace low{0, false, 1};
  const BoxFace high{0, true, 2};
  int open = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const BitLattice fluid = randomLattice({7, 5, 4}, 0.12 + 0.04 * (seed % 3), seed);
    const std::array<bool, 3> periodic{false, seed % 2 == 0, false};
    const Neighbours neighbours = seed % 4 < 2 ? Neighbours::TwentySix : Neighbours::Eighteen;
    const Flood flood = flooded(fluid, periodic, neighbours);
    std::vector<int> touches(flood.nodes.size(), 0);  // bit 0: low, bit 1: high
    for (const auto& [node, part] : flood.part)
      touches[static_cast<std::size_t>(part)] |= (node[0] == 0 ? 1 : 0) | (node[0] == 6 ? 2 : 0);
    std::uint64_t effective = 0;
    for (std::size_t k = 0; k < touches.size(); ++k)
      effective += touches[k] == 3 ? flood.nodes[k] : 0;
    const Touching touching{nodesAtFaces(fluid, {&low, 1}), nodesAtFaces(fluid, {&high, 1})};
    const std::vector<FluidPart> found = partsOf(fluid, periodic, touching, neighbours);
    INFO("seed " << seed);
    CHECK(effectiveNodes(found, 2) == effective);
    REQUIRE(found.size() == touches.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].nodes == flood.nodes[k]);
      int openings = 0;
      for (const std::uint32_t opening : found[k].openings) openings |= 1 << opening;
      CHECK(openings == touches[k]);
    }
    open += effective > 0;
  }
  CHECK(open > 20);
  CHECK(open < 180);
}

TEST_CASE("Percolation: two openings make a part effective, none makes it dead", "[unit]") {
  // Rows along x: one through, one from each end that stops, one between, and one through above.
  BitLattice fluid({6, 9, 1});
  for (int x = 0; x < 6; ++x) fluid.set(x, 0, 0);
  for (int x = 0; x < 2; ++x) fluid.set(x, 2, 0);
  for (int x = 3; x < 6; ++x) fluid.set(x, 4, 0);
  fluid.set(2, 6, 0);
  for (int x = 0; x < 6; ++x) fluid.set(x, 8, 0);
  const std::uint64_t upper = fluid.nodeIndex(0, 8, 0);
  const std::uint64_t stops = fluid.nodeIndex(0, 2, 0);
  Touching touching{{0, stops}, {5, fluid.nodeIndex(5, 4, 0)}, {upper}, {upper + 5}};
  const std::vector<FluidPart> found = partsOf(fluid, {}, touching);
  CHECK(effectiveNodes(found, 4) == 12);
  CHECK(deadNodes(found, 4) == 1);
  touching.resize(1);
  const std::vector<FluidPart> ofOne = partsOf(fluid, {}, touching);
  CHECK(effectiveNodes(ofOne, 1) == 8);
  CHECK(deadNodes(ofOne, 1) == 10);
  const std::vector<FluidPart> around = partsOf(fluid, {true, false, false}, {});
  CHECK(effectiveNodes(around, 0) == 12);
  CHECK(deadNodes(around, 0) == 6);
}

TEST_CASE("Percolation: a diagonal channel goes around only where it comes back to itself",
          "[unit]") {
  // One node a plane, a step along x each plane: after 4 planes it is a whole box to the side.
  BitLattice helix({4, 1, 4});
  for (int k = 0; k < 4; ++k) helix.set(k, 0, k);
  CHECK(wrapsOf(partsOf(helix, {true, false, true}, {})) == std::array<bool, 3>{true, false, true});
  CHECK(wrapsOf(partsOf(helix, {false, false, true}, {})) == std::array<bool, 3>{});
  // Two turns until it closes; the plane of the seam alone is not sufficient.
  BitLattice twoTurns({4, 1, 6});
  for (int k = 0; k < 6; ++k) twoTurns.set(k < 4 ? k : 3, 0, k);
  CHECK(wrapsOf(partsOf(twoTurns, {true, false, true}, {}))[2]);
  CHECK_FALSE(wrapsOf(partsOf(twoTurns, {false, false, true}, {}))[2]);
}
