// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU loop: TBB over tiles, vectors over the 64 nodes of a tile. A tile's populations are first
// pulled into a small array in cache (arrivals.hpp); the step of solver/step.hpp runs there on
// vectors of nodes, while what the next tile pulls is on its way; then the whole tile is written
// past the caches, so that nothing is read to be overwritten: 2 q numbers of traffic a node, not 3
// q. Tiles stay with the threads that touched them first, as far as TBB can.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "solver/backend/aligned.hpp"
#include "solver/backend/arrivals.hpp"
#include "solver/backend/backend.hpp"
#include "solver/backend/cpu_copy.hpp"
#include "solver/backend/cpu_halo.hpp"
#include "solver/backend/cpu_outlets.hpp"
#include "solver/backend/cpu_vectors.hpp"
#include "solver/backend/cpu_walls.hpp"
#include "solver/backend/prefetch.hpp"
#include "solver/backend/sample.hpp"
#include "solver/backend/saved_state.hpp"
#include "solver/state/stored_values.hpp"
#include "solver/step.hpp"

namespace tessera {

// The vector of nodes l .. l + width - 1 of a tile, which lie in the cache.
template <VariantModel Variant>
struct ArrivedNodes {
  using Precision = typename Variant::Precision;
  using Value = typename Vector<typename Variant::Real>::type;
  Arrivals<Variant>& arrivals;
  int l;

  template <int i>
  TESSERA_ANY Value gather() const {
    return loadVector<Precision>(&arrivals.f[i][l]);
  }
  template <int i>
  TESSERA_ANY void scatter(const Value& value) const {
    storeVector<Precision>(value, &arrivals.f[i][l]);
  }
};

// A tile on its way from the cache to memory; none when `from` is null.
template <class Variant>
struct LeavingTile {
  const Arrivals<Variant>* from = nullptr;
  typename Variant::Storage* to = nullptr;

  // Share k of `shares`, in whole cache lines.
  template <int shares>
  TESSERA_ANY void send(int k) const {
    constexpr std::size_t bytes = sizeof(Arrivals<Variant>);
    constexpr std::size_t each = (bytes / 64 + shares - 1) / shares * 64;
    const std::size_t first = std::min(bytes, static_cast<std::size_t>(k) * each);
    if (from == nullptr) return;
    streamLines(reinterpret_cast<char*>(to) + first, reinterpret_cast<const char*>(from) + first,
                std::min(each, bytes - first));
  }
};

template <VariantModel Variant>
class CpuBackend final : public Backend {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;

 public:
  CpuBackend(Domain domain, const Relaxation& relaxation)
      : domain_(std::move(domain)),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(stepParameters<Variant>(relaxation)),
        outlets_(domain_),
        halo_(domain_.halo, *domain_.ranks),
        walls_(std::move(domain_.walls)),
        now_(stateSize(), [this](const auto& zero) { this->touch(zero); }),
        next_(stateSize(), [this](const auto& zero) { this->touch(zero); }) {}

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      const auto ofStep = coefficients.subspan(k * domain_.coefficients, domain_.coefficients);
      fillGhosts(ofStep, true);
      walls_.apply(now_.data(), rampOf(ofStep));
      step(0, domain_.borderTiles, border_);
      halo_.start(next_.data());
      step(domain_.borderTiles, domain_.tiles, interior_);
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
    constexpr std::uint64_t perSlot = populationIndex<Lattice>(1, 0, 0);
    std::vector<double> values(std::min(count, domain_.slots - first) * perSlot);
    widenValues(now_.data() + first * perSlot, values);
    return values;
  }
  void setState(std::span<const double> populations, std::uint32_t first) override {
    storeValues(populations, now_.data() + populationIndex<Lattice>(first, 0, 0));
    walls_.setMemory({});
  }
  void setNoise() override {
    storeNoise(populationIndex<Lattice>(domain_.tiles, 0, 0), now_.data());
    walls_.setMemory({});
  }
  std::span<const std::byte> savedState() override {
    return saved_.take(now_.data(), savedBytes());
  }
  void restoreState(std::span<const std::byte> saved) override {
    std::memcpy(now_.data(), saved.data(), savedBytes());
    walls_.setMemory({});
  }
  void takeHalo() override {
    halo_.start(now_.data());
    halo_.finish(now_.data());
  }
  std::vector<double> wallMemory() override { return walls_.memory(); }
  void setWallMemory(std::span<const double> memory) override { walls_.setMemory(memory); }

  double copyBandwidth() override {
    return tileCopyBandwidth(next_.data(), now_.data(), populationIndex<Lattice>(1, 0, 0),
                             domain_.tiles, [this](const auto& body) { this->forTiles(body); });
  }

 private:
  void sampleLinks(std::span<const double> coefficients, std::vector<LinkSample>& samples) {
    samples.resize(domain_.sampledLinks);
    const OpeningValues values =
        outlets_.template solve<Variant>(coefficients, now_.data(), parameters_, false);
    tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
      incomingPopulation<Variant>(domain_.links.data(), k, now_.data(), parameters_, values,
                                  &samples[k]);
    });
  }
  PartialSample sampleNodes();

  [[nodiscard]] std::uint64_t stateSize() const {
    return populationIndex<Lattice>(domain_.slots, 0, 0);
  }

  [[nodiscard]] std::uint64_t savedBytes() const {
    return populationIndex<Lattice>(domain_.tiles, 0, 0) * sizeof(Storage);
  }

  // 1 where nothing is driven.
  [[nodiscard]] Real rampOf(std::span<const double> coefficients) const {
    return coefficients.empty() ? Real(1) : Real(coefficients[domain_.rampCoefficient]);
  }
  // commit: a step follows.
  void fillGhosts(std::span<const double> coefficients, bool commit) {
    Storage* state = now_.data();
    const OpeningValues values =
        outlets_.template solve<Variant>(coefficients, state, parameters_, commit);
    for (const PopulationCopy& copy : domain_.copies) state[copy.to] = state[copy.from];
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, domain_.links.size(), 512),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t k = range.begin(); k < range.end(); ++k) {
                          const IncomingLink& link = domain_.links[k];
                          state[link.target] = Storage(incomingPopulation<Variant>(
                              domain_.links.data(), k, state, parameters_, values, nullptr));
                        }
                      });
  }

  // Pulls the populations of the tile in a slot, walls mended; returns its masks or null. Compiled
  // once: it is long.
  __attribute__((noinline)) const std::uint32_t* arrive(std::uint32_t slot,
                                                        Arrivals<Variant>& arrivals) const {
    const std::int32_t* row = &domain_.rows[static_cast<std::size_t>(slot) * rowLength];
    if constexpr (Variant::Placement::inRows) {
      Surroundings<Variant> around;
      withRowAxes(domain_.rowAxes, [&](auto axes) {
        findSurroundings<Variant, decltype(axes)>(now_.data(), row, around);
      });
      forEach<Lattice::q>([&](auto i) { pullShifted<Variant, i>(around, arrivals.f[i]); });
    } else {
      const NeighbourTiles<Variant> neighbours = neighboursOf<Variant>(now_.data(), row);
      using Shape = TileShape<Lattice>;
      forEach<Lattice::q>([&](auto i) {
        forEach<Shape::y * Shape::z>([&](auto r) { pullRow<Variant, i, r>(neighbours, arrivals); });
      });
    }
    if (row[maskColumn] < 0) return nullptr;
    const std::uint32_t* masks = &domain_.masks[static_cast<std::size_t>(row[maskColumn]) * 64];
    mendWalls<Variant>(now_.data() + populationIndex<Lattice>(slot, 0, 0), masks, arrivals);
    return masks;
  }

  [[nodiscard]] NeighbourTiles<Variant> aroundNext(std::uint32_t slot) const {
    const std::size_t next = std::min(slot + 1, domain_.tiles - 1);
    return neighboursOf<Variant>(now_.data(), &domain_.rows[next * rowLength]);
  }

  // Calls body(slots) for ranges of tiles, the same ones on the same thread in every call unless
  // one is late.
  template <class Body>
  void forTiles(const Body& body) {
    forTiles(0, domain_.borderTiles, border_, body);
    forTiles(domain_.borderTiles, domain_.tiles, interior_, body);
  }
  template <class Body>
  static void forTiles(std::uint32_t first, std::uint32_t end, tbb::affinity_partitioner& partition,
                       const Body& body) {
    if (first < end)
      tbb::parallel_for(tbb::blocked_range<std::uint32_t>(first, end, 32), body, partition);
  }
  template <class Zero>
  void touch(const Zero& zero) {
    constexpr std::uint64_t tile = populationIndex<Lattice>(1, 0, 0);
    forTiles([&](const tbb::blocked_range<std::uint32_t>& range) {
      zero(range.begin() * tile, range.size() * tile);
    });
    zero(domain_.tiles * tile, (domain_.slots - domain_.tiles) * tile);
  }

  void step(std::uint32_t first, std::uint32_t end, tbb::affinity_partitioner& partition) {
    forced_ ? stepTiles<true>(first, end, partition) : stepTiles<false>(first, end, partition);
  }

  // While one tile is worked on, the one before it leaves and the one after it is asked for, a
  // share for each vector of nodes.
  template <bool forced>
  void stepTiles(std::uint32_t first, std::uint32_t end, tbb::affinity_partitioner& partition) {
    const auto parameters = inUnitsOfStorage<Variant>(parameters_);
    constexpr int vectors = 64 / Vector<Real>::width;
    forTiles(first, end, partition, [&](const tbb::blocked_range<std::uint32_t>& range) {
      Arrivals<Variant> tiles[2];
      LeavingTile<Variant> leaving;
      for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
        Arrivals<Variant>& tile = tiles[slot & 1U];
        arrive(slot, tile);
        const NeighbourTiles<Variant> ahead = aroundNext(slot);
        for (int k = 0; k < vectors; ++k) {
          leaving.template send<vectors>(k);
          if constexpr (!Variant::Placement::inRows) prefetchSources<Variant, vectors>(ahead, k);
          tessera::step<Variant, forced>(ArrivedNodes<Variant>{tile, k * Vector<Real>::width},
                                         parameters);
        }
        leaving = {&tile, next_.data() + populationIndex<Lattice>(slot, 0, 0)};
      }
      leaving.template send<1>(0);
      fenceStreams();
    });
  }

  Domain domain_;
  bool forced_;
  StepParameters<Real> parameters_;
  CpuOutlets outlets_;
  CpuHalo<Storage> halo_;
  tbb::affinity_partitioner border_;
  tbb::affinity_partitioner interior_;
  CpuWalls<Variant> walls_;
  AlignedArray<Storage> now_;
  AlignedArray<Storage> next_;
  std::vector<float> observed_;  // by observeAll
  SavedState saved_;
  Look look_;
};

template <class Variant>
PartialSample CpuBackend<Variant>::sampleNodes() {
  std::vector<PartialSample> perTile(domain_.tiles);
  tbb::parallel_for(std::uint32_t{0}, domain_.tiles, [&](std::uint32_t slot) {
    const std::int32_t maskIndex =
        domain_.rows[static_cast<std::size_t>(slot) * rowLength + maskColumn];
    const Real half[3] = {-parameters_.halfForce[0], -parameters_.halfForce[1],
                          -parameters_.halfForce[2]};
    constexpr Real unit = Real(1) / Variant::Precision::scale;
    PartialSample sample;
    double energy = 0.0;
    const Storage* own = now_.data() + populationIndex<Lattice>(slot, 0, 0);
    for (int l = 0; l < 64; l += Vector<Real>::width) {
      using Value = typename Vector<Real>::type;
      Value f[Lattice::q];
      forEach<Lattice::q>(
          [&](auto i) { f[i] = loadVector<typename Variant::Precision>(own + 64 * i + l) * unit; });
      const auto n = macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
      for (int lane = 0; lane < Vector<Real>::width; ++lane) {
        const auto node = static_cast<std::size_t>(l + lane);
        if (maskIndex >= 0 &&
            (domain_.masks[static_cast<std::size_t>(maskIndex) * 64 + node] >> solidBit & 1U) != 0)
          continue;
        energy += addNode(Macroscopic<Real>{n.r[lane],
                                            {n.m[0][lane], n.m[1][lane], n.m[2][lane]},
                                            {n.u[0][lane], n.u[1][lane], n.u[2][lane]}},
                          sample);
      }
    }
    addEnergy(energy, sample);
    perTile[slot] = sample;
  });
  PartialSample total;
  for (const PartialSample& sample : perTile) addSample(sample, total);
  return total;
}

// Of the state onto the copy that the next step overwrites: the same pages, spread over the same
// threads, as a step reads and writes. A median of five, each of at least 64 MB.
template <class Variant>
void CpuBackend<Variant>::observeTiles(std::span<const double> coefficients, std::uint32_t first,
                                       std::uint32_t count, std::vector<float>& values) {
  fillGhosts(coefficients, false);
  walls_.show(now_.data(), rampOf(coefficients));
  const auto parameters = inUnitsOfStorage<Variant>(parameters_);
  values.resize(static_cast<std::size_t>(count) * observedValues * 64);
  tbb::parallel_for(std::uint32_t{0}, count, [&](std::uint32_t k) {
    Arrivals<Variant> arrivals;
    arrive(first + k, arrivals);
    float* target = values.data() + static_cast<std::size_t>(k) * observedValues * 64;
    for (int l = 0; l < 64; l += Vector<Real>::width) {
      const ArrivedNodes<Variant> nodes{arrivals, l};
      observe<Variant, true>(nodes, parameters, [&](auto e, const auto& value) {
        for (int lane = 0; lane < Vector<Real>::width; ++lane)
          target[64 * e + l + lane] = static_cast<float>(value[lane]);
      });
    }
  });
  walls_.restore(now_.data());
}

}  // namespace tessera
