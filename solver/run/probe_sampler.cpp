// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/probe_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "solver/case/reference_point.hpp"

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

// Values of a node next to a probe, from the rank that steps it.
struct SampledCorner {
  std::uint32_t probe = 0;
  std::uint32_t corner = 0;
  double weight = 0.0;
  double value[4] = {0.0, 0.0, 0.0, 0.0};  // r, u
};

}  // namespace

ProbeSampler::ProbeSampler(const Setup& setup, const tiler::TiledGeometry& geometry)
    : probes_(setup.run.probes.size()), ranks_(setup.ranks) {
  if (probes_ == 0) return;
  const std::vector<std::uint32_t> slotOfTile = slotsByTile(setup, geometry);
  for (std::uint32_t probe = 0; probe < probes_; ++probe)
    addCorners(setup, geometry, slotOfTile, probe);
  std::stable_sort(corners_.begin(), corners_.end(),
                   [](const Corner& a, const Corner& b) { return a.slot < b.slot; });
  for (const Corner& corner : corners_)
    if (slots_.empty() || slots_.back() != corner.slot) slots_.push_back(corner.slot);
  calls_ = static_cast<std::uint32_t>(comm::largestOf(*ranks_, static_cast<double>(slots_.size())));
}

void ProbeSampler::addCorners(const Setup& setup, const tiler::TiledGeometry& geometry,
                              std::span<const std::uint32_t> slotOfTile, std::uint32_t probe) {
  Double3 at = geometry.frame.toLattice(setup.run.probes[probe].at);
  if (geometry.dimensions == 2) at[2] = 0.0;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    Int3 node{};
    double weight = 1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double below = std::floor(at[a]), above = at[a] - below;
      const bool up = (corner >> a & 1U) != 0;
      node[a] = static_cast<int>(below) + (up ? 1 : 0);
      weight *= up ? above : 1.0 - above;
    }
    if (!(weight > 0.0)) continue;
    const auto index = cases::fluidNode(geometry, node);
    if (!index) continue;
    const std::uint32_t slot = slotOfTile[*index / tiler::tileNodes];
    if (slot == notOwned) continue;
    corners_.push_back(
        {probe, corner, slot, static_cast<std::uint32_t>(*index % tiler::tileNodes), weight});
  }
}

std::vector<ProbeSample> ProbeSampler::sample(backend::Sampler& sampler,
                                              std::span<const double> openings) {
  if (probes_ == 0) return {};
  std::vector<SampledCorner> mine;
  auto next = corners_.begin();
  for (std::uint32_t call = 0; call < calls_; ++call) {
    // A rank without a further one samples one again, for the others' sake.
    const bool further = call < slots_.size();
    const std::uint32_t slot = further ? slots_[call] : slots_.empty() ? 0 : slots_.front();
    sampler.sampleTiles(openings, slot, 1, values_);
    for (; further && next != corners_.end() && next->slot == slot; ++next) {
      SampledCorner& sampled =
          mine.emplace_back(SampledCorner{next->probe, next->corner, next->weight, {}});
      for (std::size_t e = 0; e < 4; ++e)
        sampled.value[e] = static_cast<double>(values_[tiler::tileNodes * e + next->local]);
    }
  }
  std::vector<SampledCorner> all =
      stage::gatherValues<SampledCorner>(*ranks_, std::span<const SampledCorner>(mine));
  std::sort(all.begin(), all.end(), [](const SampledCorner& a, const SampledCorner& b) {
    return a.probe != b.probe ? a.probe < b.probe : a.corner < b.corner;
  });
  std::vector<ProbeSample> samples(probes_);
  std::vector<double> weight(probes_, 0.0);
  for (const SampledCorner& corner : all) {
    samples[corner.probe].r += corner.weight * corner.value[0];
    for (std::size_t a = 0; a < 3; ++a)
      samples[corner.probe].velocity[a] += corner.weight * corner.value[a + 1];
    weight[corner.probe] += corner.weight;
  }
  for (std::size_t k = 0; k < probes_; ++k) {
    if (!(weight[k] > 0.0)) continue;  // checkProbes() refuses such
    samples[k].r /= weight[k];
    samples[k].velocity = (1.0 / weight[k]) * samples[k].velocity;
  }
  return samples;
}

}  // namespace tessera::solver::run
