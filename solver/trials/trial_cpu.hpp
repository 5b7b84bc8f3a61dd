// SPDX-License-Identifier: GPL-3.0-or-later
// The loop of backend/cpu.hpp with nothing done to a tile between its arrival and its leaving.
#pragma once

#include "solver/backend/cpu.hpp"
#include "solver/noise.hpp"
#include "solver/trials/trial.hpp"
#include "solver/trials/trial_types.hpp"

namespace tessera {

template <class Variant>
class CpuTrial final : public TrialState {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  static constexpr std::uint64_t tile = populationIndex<Lattice>(1, 0, 0);

 public:
  explicit CpuTrial(const TileOrder& order)
      : order_(order),
        now_(order.tiles * tile, [this](const auto& zero) { this->touch(zero); }),
        next_(order.tiles * tile, [this](const auto& zero) { this->touch(zero); }) {}

  void advance(std::uint64_t steps) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      forTiles([&](const tbb::blocked_range<std::uint32_t>& range) { move(range); });
      now_.swap(next_);
    }
  }
  void finish() override {}
  void set(std::span<const double> populations) override {
    fill([&](std::uint64_t k) { return populations[k]; });
  }
  void setNoise() override { fill(noiseAt); }
  std::vector<double> get() override {
    std::vector<double> values(now_.size());
    for (std::uint64_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<double>(now_.data()[k]);
    return values;
  }
  double copyBandwidth() override {
    return tileCopyBandwidth(next_.data(), now_.data(), tile, order_.tiles,
                             [this](const auto& body) { this->forTiles(body); });
  }

 private:
  template <class Body>
  void forTiles(const Body& body) {
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, order_.tiles, 32), body, partition_);
  }
  template <class Zero>
  void touch(const Zero& zero) {
    forTiles([&](const tbb::blocked_range<std::uint32_t>& range) {
      zero(range.begin() * tile, range.size() * tile);
    });
  }
  template <class Value>
  void fill(const Value& value) {
    forTiles([&](const tbb::blocked_range<std::uint32_t>& range) {
      for (std::uint64_t k = range.begin() * tile; k < range.end() * tile; ++k)
        now_.data()[k] = Storage(value(k));
    });
  }
  [[nodiscard]] const std::int32_t* rowOf(std::uint32_t slot) const {
    return &order_.rows[static_cast<std::size_t>(slot) * rowLength];
  }
  [[nodiscard]] NeighbourTiles<Variant> around(std::uint32_t slot) const {
    return neighboursOf<Variant>(now_.data(), rowOf(slot));
  }
  void arrive(std::uint32_t slot, Arrivals<Variant>& arrivals) const {
    using Shape = TileShape<Lattice>;
    const NeighbourTiles<Variant> neighbours = around(slot);
    forEach<Lattice::q>([&](auto i) {
      forEach<Shape::y * Shape::z>([&](auto r) { pullRow<Variant, i, r>(neighbours, arrivals); });
    });
    const std::int32_t masks = rowOf(slot)[maskColumn];
    if (masks >= 0)
      mendWalls<Variant>(now_.data() + slot * tile,
                         &order_.masks[static_cast<std::size_t>(masks) * 64], arrivals);
  }
  void move(const tbb::blocked_range<std::uint32_t>& range) {
    constexpr int shares = 8;
    Arrivals<Variant> tiles[2];
    LeavingTile<Variant> leaving;
    for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
      Arrivals<Variant>& arrivals = tiles[slot & 1U];
      arrive(slot, arrivals);
      const NeighbourTiles<Variant> ahead = around(std::min(slot + 1, order_.tiles - 1));
      for (int k = 0; k < shares; ++k) {
        leaving.template send<shares>(k);
        prefetchSources<Variant, shares>(ahead, k);
      }
      leaving = {&arrivals, next_.data() + slot * tile};
    }
    leaving.template send<1>(0);
    fenceStreams();
  }

  const TileOrder& order_;
  tbb::affinity_partitioner partition_;
  AlignedArray<Storage> now_;
  AlignedArray<Storage> next_;
};

}  // namespace tessera
