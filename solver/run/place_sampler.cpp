// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/place_sampler.hpp"

#include <algorithm>
#include <tuple>

#include "solver/case/reference_point.hpp"
#include "tiler/plane_section.hpp"

namespace tessera::solver::run {

namespace {

constexpr std::uint32_t notOwned = ~std::uint32_t{0};

std::vector<std::uint32_t> slotsByTile(const Setup& setup, const tiler::TiledGeometry& geometry) {
  std::vector<std::uint32_t> slotOfTile(geometry.tiles(), notOwned);
  const auto tileOfSlot = setup.tiles.tileOfSlot();
  for (std::uint32_t slot = 0; slot < setup.order.tiles; ++slot)
    slotOfTile[tileOfSlot[slot]] = slot;
  return slotOfTile;
}

// Trilinear weights of the fluid nodes around a point, not scaled to sum to 1: tiles of the rank's
// geometry, owned or not.
std::vector<WeightedNode> nodesAround(const Double3& point, const tiler::TiledGeometry& geometry) {
  Double3 at = geometry.frame.toLattice(point);
  if (geometry.dimensions == 2) at[2] = 0.0;
  std::vector<WeightedNode> nodes;
  tiler::forNodesAround(at, [&](const Int3& node, double weight) {
    if (const auto index = cases::fluidNode(geometry, node))
      nodes.push_back({static_cast<std::uint32_t>(*index / tiler::tileNodes),
                       static_cast<std::uint32_t>(*index % tiler::tileNodes), weight, weight});
  });
  return nodes;
}

// Parts of means from the nodes of one tile.
struct TileSums {
  std::uint32_t place = 0;
  std::uint32_t fileTile = 0;
  double pressureWeight = 0.0;
  double value[4] = {0.0, 0.0, 0.0, 0.0};  // r, u
};

}  // namespace

PlaceSampler::PlaceSampler(const Setup& setup, const tiler::TiledGeometry& geometry)
    : places_(setup.run.probes.size() + setup.run.stations.size()), ranks_(setup.ranks) {
  if (places_ == 0) return;
  const std::vector<std::uint32_t> slotOfTile = slotsByTile(setup, geometry);
  std::uint32_t place = 0;
  const auto add = [&](const std::vector<WeightedNode>& nodes) {
    for (const WeightedNode& node : nodes)
      if (slotOfTile[node.tile] != notOwned)
        nodes_.push_back({slotOfTile[node.tile], place, setup.part.inFile(node.tile), node.local,
                          node.pressure, node.velocity});
    ++place;
  };
  for (const cases::Probe& probe : setup.run.probes) add(nodesAround(probe.at, geometry));
  for (const cases::Station& station : setup.run.stations) {
    const SectionNodes section = sectionNodes(station, geometry, setup.part, *ranks_);
    areas_.push_back(section.area);
    add(section.nodes);
  }
  std::stable_sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) {
    return std::tie(a.slot, a.place, a.local) < std::tie(b.slot, b.place, b.local);
  });
  planRanges();
}

void PlaceSampler::planRanges() {
  constexpr std::uint32_t gap = 4, longest = 256;  // slots
  for (const Node& node : nodes_) {
    if (!ranges_.empty()) {
      Range& last = ranges_.back();
      const std::uint32_t count = node.slot + 1 - last.first;
      if (count <= longest && node.slot <= last.first + last.count + gap) {
        last.count = count;
        continue;
      }
    }
    ranges_.push_back({node.slot, 1});
  }
  calls_ =
      static_cast<std::uint32_t>(comm::largestOf(*ranks_, static_cast<double>(ranges_.size())));
}

std::vector<PlaceSample> PlaceSampler::sample(backend::Sampler& sampler,
                                              std::span<const double> openings) {
  if (places_ == 0) return {};
  std::vector<TileSums> mine;
  auto next = nodes_.begin();
  for (std::uint32_t call = 0; call < calls_; ++call) {
    // A rank without a further one samples one again, for the others' sake.
    const bool further = call < ranges_.size();
    const Range range = further ? ranges_[call] : Range{};
    sampler.sampleTiles(openings, range.first, range.count, values_);
    for (; further && next != nodes_.end() && next->slot < range.first + range.count; ++next) {
      if (mine.empty() || mine.back().place != next->place ||
          mine.back().fileTile != next->fileTile)
        mine.push_back({next->place, next->fileTile});
      TileSums& sums = mine.back();
      const float* const tile =
          &values_[std::size_t{next->slot - range.first} * backend::observedPerSlot];
      sums.pressureWeight += next->pressure;
      sums.value[0] += next->pressure * static_cast<double>(tile[next->local]);
      for (std::size_t e = 1; e < 4; ++e)
        sums.value[e] +=
            next->velocity * static_cast<double>(tile[tiler::tileNodes * e + next->local]);
    }
  }
  std::vector<TileSums> all =
      stage::gatherValues<TileSums>(*ranks_, std::span<const TileSums>(mine));
  std::sort(all.begin(), all.end(), [](const TileSums& a, const TileSums& b) {
    return std::tie(a.place, a.fileTile) < std::tie(b.place, b.fileTile);
  });
  std::vector<PlaceSample> samples(places_);
  std::vector<double> weight(places_, 0.0);
  for (const TileSums& sums : all) {
    samples[sums.place].r += sums.value[0];
    for (std::size_t a = 0; a < 3; ++a) samples[sums.place].velocity[a] += sums.value[a + 1];
    weight[sums.place] += sums.pressureWeight;
  }
  for (std::size_t k = 0; k < places_; ++k) {
    if (!(weight[k] > 0.0)) continue;  // checkProbes() refuses such
    samples[k].r /= weight[k];
    samples[k].velocity = (1.0 / weight[k]) * samples[k].velocity;
  }
  return samples;
}

}  // namespace tessera::solver::run
