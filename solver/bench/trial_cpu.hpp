// SPDX-License-Identifier: GPL-3.0-or-later
// Traversal of backend/cpu/populations.hpp without collision: tiles are pulled and streamed.
#pragma once

#include "solver/backend/cpu/memory.hpp"
#include "solver/backend/cpu/pulled_tile.hpp"
#include "solver/bench/trial.hpp"
#include "solver/bench/trial_types.hpp"

namespace tessera::solver::bench {

template <class Variant>
class CpuTrial final : public TrialState {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Tile = backend::PulledTile<Variant>;
  static constexpr std::uint64_t perSlot = model::populationIndex<Lattice>(1, 0, 0);

 public:
  explicit CpuTrial(const tiles::TileOrder& order)
      : order_(order), tiles_(0, order.tiles), state_(tiles_, order.tiles, perSlot) {}

  void advance(std::uint64_t steps) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      tiles_.forAll([&](const backend::TileSpan& range) { move(range); });
      state_.advance();
    }
  }
  void finish() override {}
  void set(std::span<const double> populations) override { state_.set(populations, 0); }
  void setNoise() override { state_.setRandom(); }
  std::vector<double> get() override { return state_.values(0, order_.tiles); }
  double copyBandwidth() override { return state_.copyBandwidth(); }

 private:
  [[nodiscard]] const std::int32_t* neighbours(std::uint32_t slot) const {
    return &order_.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride];
  }
  [[nodiscard]] backend::NeighbourTiles<Variant> around(std::uint32_t slot) const {
    return backend::neighboursOf<Variant>(state_.now(), neighbours(slot));
  }
  void pull(std::uint32_t slot, Tile& tile) const {
    using Shape = model::TileShape<Lattice>;
    const backend::NeighbourTiles<Variant> tilesAround = around(slot);
    model::forEach<Lattice::q>([&](auto i) {
      model::forEach<Shape::y * Shape::z>(
          [&](auto r) { backend::pullRow<Variant, i, r>(tilesAround, tile); });
    });
    const std::int32_t masks = neighbours(slot)[model::maskEntry];
    if (masks >= 0)
      backend::bounceBack<Variant>(state_.now() + slot * perSlot,
                                   &order_.masks[static_cast<std::size_t>(masks) * 64], tile);
  }
  void move(const backend::TileSpan& range) {
    constexpr int shares = 8;
    Tile tiles[2];
    backend::LeavingTile<Variant> leaving;
    for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
      Tile& tile = tiles[slot & 1U];
      pull(slot, tile);
      const backend::NeighbourTiles<Variant> ahead =
          around(std::min(slot + backend::tilesAhead, order_.tiles - 1));
      for (int k = 0; k < shares; ++k) {
        leaving.template send<shares>(k);
        backend::prefetchSources<Variant, shares>(ahead, k);
      }
      leaving = {&tile, state_.next() + slot * perSlot};
    }
    leaving.template send<1>(0);
    backend::fenceStreams();
  }

  const tiles::TileOrder& order_;
  backend::CpuTiles tiles_;
  backend::CpuState<Storage> state_;
};

}  // namespace tessera::solver::bench
