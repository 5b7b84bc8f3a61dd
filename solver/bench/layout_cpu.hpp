// SPDX-License-Identifier: GPL-3.0-or-later
// CPU step node by node, for layouts that the vectorised step does not support.
#pragma once

#include <tbb/parallel_for.h>

#include <chrono>

#include "solver/bench/layout_types.hpp"

namespace tessera::solver::bench {

template <class Variant>
struct PlainNode {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Value = typename Variant::Real;
  const Storage* now;
  Storage* next;
  const std::int32_t* row;  // neighbour table entries of the tile
  std::uint32_t mask;
  std::uint32_t slot;
  int local;

  template <int i>
  [[nodiscard]] Value gather() const {
    constexpr auto c = Lattice::c[i];
    if constexpr (i == 0) {
      return Value(now[model::populationIndex<Lattice>(slot, 0, local)]);
    } else {
      constexpr int out = model::opposite(i);
      if ((mask >> model::linkBit<Lattice>(out) & 1U) != 0)
        return Value(now[model::populationIndex<Lattice>(slot, out, local)]);
      const int x = (local & 3) - c[0];
      const int y = (local >> 2 & 3) - c[1];
      const int z = (local >> 4) - c[2];
      const auto from =
          static_cast<std::uint32_t>(row[13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2)]);
      return Value(
          now[model::populationIndex<Lattice>(from, i, (x & 3) | (y & 3) << 2 | (z & 3) << 4)]);
    }
  }
  template <int i>
  void scatter(Value value) const {
    next[model::populationIndex<Lattice>(slot, i, local)] = Storage(value);
  }
};

template <class Variant>
void stepTile(const tiles::TileOrder& order, std::uint32_t slot,
              const model::StepParameters<typename Variant::Real>& parameters,
              const typename Variant::Storage* now, typename Variant::Storage* next) {
  const std::int32_t* row =
      &order.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride];
  const std::uint32_t* masks =
      row[model::maskEntry] < 0
          ? nullptr
          : &order.masks[static_cast<std::size_t>(row[model::maskEntry]) * tiler::tileNodes];
  for (int l = 0; l < tiler::tileNodes; ++l) {
    const std::uint32_t mask = masks == nullptr ? 0 : masks[l];
    if ((mask >> model::solidBit & 1U) != 0) continue;
    model::step<Variant, false>(PlainNode<Variant>{now, next, row, mask, slot, l}, parameters);
  }
}

template <class Variant>
LayoutResult runOnCpu(const tiles::TileOrder& order, const LayoutRequest& request) {
  const auto parameters = model::stepParameters<Variant>({request.tau, 3.0 / 16.0, {}, {}});
  std::vector<typename Variant::Storage> now = laidOut<Variant>(request.populations, order.tiles);
  std::vector<typename Variant::Storage> next = now;
  LayoutResult result;
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t k = 0; k < request.steps; ++k) {
      tbb::parallel_for(std::uint32_t{0}, order.tiles, [&](std::uint32_t slot) {
        stepTile<Variant>(order, slot, parameters, now.data(), next.data());
      });
      now.swap(next);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    result.seconds.push_back(spent.count());
    if (repeat == 0) result.populations = inXyz<Variant>(now, order.tiles);
  }
  return result;
}

}  // namespace tessera::solver::bench
