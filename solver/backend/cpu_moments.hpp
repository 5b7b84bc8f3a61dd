// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU backend of a state of moments: TBB over tiles, two copies. Traffic per node: 10 reads and
// 10 writes, where populations have 19 of each.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <cstring>

#include "solver/backend/aligned.hpp"
#include "solver/backend/cpu_copy.hpp"
#include "solver/backend/cpu_halo.hpp"
#include "solver/backend/cpu_moment_tile.hpp"
#include "solver/backend/cpu_outlets.hpp"
#include "solver/backend/sample.hpp"
#include "solver/backend/saved_state.hpp"
#include "solver/boundary/moment_openings.hpp"
#include "solver/state/stored_values.hpp"

namespace tessera {

template <class Variant>
class CpuMomentsBackend final : public Backend {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Equilibrium = typename Variant::Equilibrium;

 public:
  CpuMomentsBackend(Domain domain, const Relaxation& relaxation)
      : domain_(std::move(domain)),
        openings_(takeOpenings(domain_.links, domain_.copies, Lattice::q)),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(stepParameters<Variant>(relaxation)),
        outlets_(domain_),
        halo_(domain_.halo, *domain_.ranks),
        small_(populationIndex<Lattice>(openings_.smallSlots, 0, 0)),
        now_(momentIndex(domain_.slots, 0, 0), [this](const auto& zero) { this->touch(zero); }),
        next_(momentIndex(domain_.slots, 0, 0), [this](const auto& zero) { this->touch(zero); }) {}

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      fillOpenings(coefficients.subspan(k * domain_.coefficients, domain_.coefficients), true);
      // Nodes at openings are stepped twice, so with them the border is done when all are.
      const std::uint32_t first = openings_.nodes.empty() ? domain_.borderTiles : domain_.tiles;
      step(0, first, openings_.nodes.empty() ? border_ : interior_);
      forced_ ? stepOpenings<true>() : stepOpenings<false>();
      halo_.start(next_.data());
      step(first, domain_.tiles, interior_);
      halo_.finish(next_.data());
      now_.swap(next_);
    }
  }
  void finish() override {}

  void beginLook(std::span<const double> coefficients) override {
    const auto start = std::chrono::steady_clock::now();
    sampleLinks(coefficients, look_.links);
    look_.nodes = sampleNodes();
    look_.reference = outlets_.report().reference;
    look_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  Look endLook() override { return std::move(look_); }

  OutletReport outlets() override { return outlets_.report(); }
  void setOutlets(const std::vector<OutletState>& states) override { outlets_.set(states); }

  void observeTiles(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count,
                    std::vector<float>& values) override;
  const float* observeAll(std::span<const double> coefficients) override {
    observeTiles(coefficients, 0, domain_.tiles, observed_);
    return observed_.data();
  }

  std::vector<double> state(std::uint32_t first, std::uint32_t count) override {
    constexpr std::uint64_t perSlot = momentIndex(1, 0, 0);
    std::vector<double> values(std::min(count, domain_.slots - first) * perSlot);
    widenValues(now_.data() + first * perSlot, values);
    return values;
  }
  void setState(std::span<const double> values, std::uint32_t first) override {
    storeValues(values, now_.data() + momentIndex(first, 0, 0));
  }
  void setNoise() override { storeNoise(momentIndex(domain_.tiles, 0, 0), now_.data()); }
  std::span<const std::byte> savedState() override {
    return saved_.take(now_.data(), savedBytes());
  }
  void restoreState(std::span<const std::byte> saved) override {
    std::memcpy(now_.data(), saved.data(), savedBytes());
  }
  void takeHalo() override {
    halo_.start(now_.data());
    halo_.finish(now_.data());
  }
  // Walls halfway along their links remember nothing.
  std::vector<double> wallMemory() override { return {}; }
  void setWallMemory(std::span<const double>) override {}
  double copyBandwidth() override {
    return tileCopyBandwidth(next_.data(), now_.data(), momentIndex(1, 0, 0), domain_.tiles,
                             [this](const auto& body) { this->forTiles(body); });
  }

 private:
  void sampleLinks(std::span<const double> coefficients, std::vector<LinkSample>& samples) {
    samples.resize(domain_.sampledLinks);
    rebuildOpenings();
    const OpeningValues values =
        outlets_.template solve<Variant>(coefficients, small_.data(), parameters_, false);
    tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
      incomingPopulation<Variant>(domain_.links.data(), k, small_.data(), parameters_, values,
                                  &samples[k]);
    });
  }
  PartialSample sampleNodes();

  using Node = MomentNode<Lattice, Real>;

  [[nodiscard]] std::uint64_t savedBytes() const {
    return momentIndex(domain_.tiles, 0, 0) * sizeof(Real);
  }
  [[nodiscard]] MomentView<Real> view() const {
    return {now_.data(), domain_.rows.data(), domain_.masks.data()};
  }
  [[nodiscard]] SmallState<Real> small() { return {small_.data(), openings_.smallSlots / 2}; }
  [[nodiscard]] const std::int32_t* rowOf(std::uint32_t slot) const {
    return &domain_.rows[static_cast<std::size_t>(slot) * rowLength];
  }

  void rebuildOpenings() {
    tbb::parallel_for(std::size_t{0}, openings_.nodes.size(), [&](std::size_t k) {
      rebuildOpeningNode<Lattice>(view(), openings_.nodes[k], static_cast<std::uint32_t>(k),
                                  small());
    });
  }

  // commit: a step follows.
  void fillOpenings(std::span<const double> coefficients, bool commit) {
    for (const NodeCopy& copy : openings_.copies) copyNode(copy, now_.data());
    rebuildOpenings();
    const OpeningValues values =
        outlets_.template solve<Variant>(coefficients, small_.data(), parameters_, commit);
    tbb::parallel_for(std::size_t{0}, domain_.links.size(), [&](std::size_t k) {
      small_.data()[domain_.links[k].target] = incomingPopulation<Variant>(
          domain_.links.data(), k, small_.data(), parameters_, values, nullptr);
    });
  }

  // Calls body(slots) for ranges of tiles, on the same threads in every call unless one is late.
  template <class Body>
  void forTiles(const Body& body) {
    forTiles(0, domain_.tiles, interior_, body);
  }
  template <class Body>
  static void forTiles(std::uint32_t first, std::uint32_t end, tbb::affinity_partitioner& partition,
                       const Body& body) {
    if (first < end)
      tbb::parallel_for(tbb::blocked_range<std::uint32_t>(first, end, 32), body, partition);
  }
  template <class Zero>
  void touch(const Zero& zero) {
    constexpr std::uint64_t tile = momentIndex(1, 0, 0);
    forTiles([&](const tbb::blocked_range<std::uint32_t>& range) {
      zero(range.begin() * tile, range.size() * tile);
    });
    zero(domain_.tiles * tile, (domain_.slots - domain_.tiles) * tile);
  }

  void step(std::uint32_t first, std::uint32_t end, tbb::affinity_partitioner& partition) {
    forced_ ? stepTiles<true>(first, end, partition) : stepTiles<false>(first, end, partition);
  }

  template <bool forced>
  void stepTiles(std::uint32_t first, std::uint32_t end, tbb::affinity_partitioner& partition) {
    forTiles(first, end, partition, [&](const tbb::blocked_range<std::uint32_t>& range) {
      MomentTile<Lattice, Real> tile;
      for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
        const std::int32_t* row = rowOf(slot);
        const std::uint32_t* masks =
            row[maskColumn] < 0 ? nullptr
                                : &domain_.masks[static_cast<std::size_t>(row[maskColumn]) * 64];
        rebuildArrivals<Lattice>(now_.data(), slot, row, masks, tile);
        collideTile<Variant, forced>(now_.data() + momentIndex(slot, 0, 0), parameters_, tile);
        streamLines(next_.data() + momentIndex(slot, 0, 0), tile.stored, sizeof(tile.stored));
      }
      fenceStreams();
    });
  }

  template <bool forced>
  void stepOpenings() {
    tbb::parallel_for(std::size_t{0}, openings_.nodes.size(), [&](std::size_t k) {
      const OpeningNodePlace& place = openings_.nodes[k];
      const MomentSums<Real> sums =
          sumsOfOpeningNode<Lattice>(view(), place, static_cast<std::uint32_t>(k), small());
      Real stored[moment::count];
      collideMoments<Equilibrium, forced>(sums, parameters_, stored);
      for (int m = 0; m < moment::count; ++m)
        next_.data()[momentIndex(place.slot, m, place.local)] = stored[m];
    });
  }

  Domain domain_;
  MomentOpenings openings_;
  bool forced_;
  StepParameters<Real> parameters_;
  CpuOutlets outlets_;
  CpuHalo<Real> halo_;
  tbb::affinity_partitioner border_;
  tbb::affinity_partitioner interior_;
  std::vector<Real> small_;
  AlignedArray<Real> now_;
  AlignedArray<Real> next_;
  std::vector<float> observed_;  // by observeAll
  SavedState saved_;
  Look look_;
};

template <class Variant>
PartialSample CpuMomentsBackend<Variant>::sampleNodes() {
  const Real half[3] = {-parameters_.halfForce[0], -parameters_.halfForce[1],
                        -parameters_.halfForce[2]};
  std::vector<PartialSample> perTile(domain_.tiles);
  tbb::parallel_for(std::uint32_t{0}, domain_.tiles, [&](std::uint32_t slot) {
    PartialSample sample;
    double energy = 0.0;
    for (int l = 0; l < 64; ++l) {
      const Node node(view(), slot, l);
      if (!node.isSolid())
        energy += addNode(macroscopicOf<Equilibrium, true>(node.stored(), half), sample);
    }
    addEnergy(energy, sample);
    perTile[slot] = sample;
  });
  PartialSample total;
  for (const PartialSample& sample : perTile) addSample(sample, total);
  return total;
}

template <class Variant>
void CpuMomentsBackend<Variant>::observeTiles(std::span<const double> coefficients,
                                              std::uint32_t first, std::uint32_t count,
                                              std::vector<float>& values) {
  fillOpenings(coefficients, false);
  values.assign(static_cast<std::size_t>(count) * observedValues * 64, 0.0F);
  const auto observe = [&](std::uint32_t slot, int l, const MomentSums<Real>& sums) {
    float* target = &values[static_cast<std::size_t>(slot - first) * observedValues * 64];
    observeSums<Equilibrium>(sums, parameters_, [&](auto e, Real value) {
      target[64 * e + l] = static_cast<float>(value);
    });
  };
  tbb::parallel_for(first, first + count, [&](std::uint32_t slot) {
    for (int l = 0; l < 64; ++l) {
      const Node node(view(), slot, l);
      if (!node.isSolid()) observe(slot, l, sumsOfNode(node));
    }
  });
  for (std::size_t k = 0; k < openings_.nodes.size(); ++k) {
    const OpeningNodePlace& place = openings_.nodes[k];
    if (place.slot >= first && place.slot < first + count)
      observe(place.slot, place.local,
              sumsOfOpeningNode<Lattice>(view(), place, static_cast<std::uint32_t>(k), small()));
  }
}

}  // namespace tessera
