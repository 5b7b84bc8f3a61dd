// SPDX-License-Identifier: GPL-3.0-or-later
// Storage schemes made of a structure on the CPU: the fluid nodes of a block of 64 units are
// gathered into a small array, stepped there in vectors, and stored, past the caches where all 64
// targets lie next to each other.
#pragma once

#include <cstring>
#include <type_traits>

#include "pipelines/stage/system/large_array.hpp"
#include "solver/backend/cpu/memory.hpp"
#include "solver/backend/cpu/pulled_tile.hpp"
#include "solver/backend/cpu/target.hpp"
#include "solver/comparators/structure_scheme.hpp"

namespace tessera::solver::comparators {

template <model::VariantModel Variant, Structure Plan>
class CpuStructure final : public StructureScheme<Variant, Plan, backend::Cpu::Queue> {
  using Base = StructureScheme<Variant, Plan, backend::Cpu::Queue>;
  using Base::parameters_;
  using Base::phase_;
  using Base::plan_;
  using typename Base::Lattice;
  using typename Base::Real;
  using typename Base::Storage;
  using typename Base::View;

 public:
  // nodes must outlive this.
  CpuStructure(const backend::Cpu&, const FluidNodes& nodes, const model::Relaxation& relaxation)
      : Base(nodes, relaxation),
        blocks_(0, Base::tiles()),
        view_(hostView(plan_)),
        state_(plan_.values(), Base::inPlace ? 1 : 2) {}

  [[nodiscard]] const auto& parts() const { return blocks_.parts(); }
  auto& state() { return state_; }

  void stepTiles(const backend::Pass& pass, const backend::PassPart& part, backend::Cpu::Queue) {
    Base::forSteps(pass, [&](auto phase, auto forced) {
      blocks_.forPart(part, [&](const backend::TileSpan& range) {
        for (std::uint32_t block = range.begin(); block < range.end(); ++block)
          stepBlock<phase, forced>(block * unitsOfBlock<View>);
        backend::fenceStreams();
      });
    });
  }
  void advanceState(const backend::Pass& pass) {
    if constexpr (Base::inPlace)
      phase_ = (phase_ + pass.steps) % 2;
    else
      state_.swap();
  }

  void set(std::span<const double> populations) { Base::store(populations, state_.now()); }
  [[nodiscard]] std::vector<double> get() { return Base::populations(state_.now()); }
  void setNoise() { model::storeNoise(plan_.values(), state_.now()); }
  // From one copy to the other, or from one half of the only copy to the other half.
  double copyBandwidth() {
    const auto lines = static_cast<std::uint32_t>(plan_.values() / 64 / (Base::inPlace ? 2 : 1));
    backend::CpuTiles all(0, lines);
    return backend::tileCopyBandwidth(
        Base::inPlace ? state_.now() + std::uint64_t{lines} * 64 : state_.next(), state_.now(), 64,
        lines, [&](const auto& body) { all.forAll(body); });
  }

 private:
  // One or two copies.
  class State {
   public:
    State(std::uint64_t values, int copies)
        : first_(values, everywhere(values)),
          second_(copies == 2 ? values : 0, everywhere(copies == 2 ? values : 0)),
          copies_(copies) {}
    [[nodiscard]] Storage* now() { return first_.data(); }
    [[nodiscard]] Storage* next() { return copies_ == 2 ? second_.data() : first_.data(); }
    void swap() { first_.swap(second_); }

   private:
    // Touches a range on each thread.
    static auto everywhere(std::uint64_t values) {
      return [values](const auto& zero) {
        const auto range = [&](std::size_t begin, std::size_t end) { zero(begin, end - begin); };
        backend::parallelRanges(values, std::size_t{1} << 18U, backend::RangeBody(range));
      };
    }
    stage::LargeArray<Storage> first_;
    stage::LargeArray<Storage> second_;
    int copies_;
  };

  using BlockData = typename View::BlockData;
  // Gathered fluid nodes of a block, the first `count` places of 64, and their units.
  struct Block {
    backend::PulledTile<Variant> tile;
    std::uint32_t unit[64];
    int count = 0;
  };

  template <int phase, bool forced>
  void stepBlock(std::uint32_t first) {
    constexpr std::uint32_t runs = unitsOfBlock<View> / 64;
    BlockData data[runs];
    Block block[runs];
    for (std::uint32_t r = 0; r < runs; ++r) {
      if constexpr (!std::is_empty_v<BlockData>)
        for (unsigned lane = 0; lane < 64; ++lane) view_.loadBlock(first + r * 64, lane, data[r]);
      stepRun<phase, forced>(first + r * 64, data[r], block[r]);
    }
    for (std::uint32_t r = 0; r < runs; ++r) {
      if (View::streams && block[r].count == 64)
        stream<phase>(first + r * 64, data[r], block[r]);
      else
        scatter<phase>(data[r], block[r]);
    }
  }
  // Gathers and steps 64 units.
  template <int phase, bool forced>
  void stepRun(std::uint32_t first, const BlockData& data, Block& block) {
    constexpr int width = backend::Vector<Real>::width;
    gather<phase>(first, data, block);
    const auto parameters = model::inUnitsOfStorage<Variant>(parameters_);
    for (int l = 0; l < block.count; l += width)
      model::step<Variant, forced>(backend::PulledNodes<Variant>{block.tile, l}, parameters);
  }
  template <int phase>
  void gather(std::uint32_t first, const BlockData& data, Block& block) {
    const Storage* now = state_.now();
    if constexpr (HasPlainSources<View>)
      if (gatherRuns<phase>(first, data, block)) return;
    if constexpr (HasWholeTiles<View>)
      if (view_.isWhole(data)) return gatherTile(first, data, block);
    for (std::uint32_t unit = first; unit < first + 64; ++unit) {
      const auto node = view_.template node<phase>(unit, data);
      if (!node.fluid) continue;
      model::forEach<Lattice::q>(
          [&](auto i) { block.tile.f[i][block.count] = now[node.template source<i>()]; });
      block.unit[block.count++] = unit;
    }
    // The rest of the last vector.
    constexpr int width = backend::Vector<Real>::width;
    for (int l = block.count; l % width != 0; ++l)
      model::forEach<Lattice::q>([&](auto i) { block.tile.f[i][l] = Storage{}; });
  }
  // Gathers a block of which half or more is fluid, solid nodes as zeros, in runs, with walls and
  // periodic faces applied to single nodes. False where it does not.
  template <int phase>
  bool gatherRuns(std::uint32_t first, const BlockData& data, Block& block) {
    const Storage* now = state_.now();
    const bool plain = view_.isPlain(first);
    if (!plain) {
      int fluid = 0;
      for (std::uint32_t unit = first; unit < first + 64; ++unit)
        fluid += view_.template node<phase>(unit, data).fluid ? 1 : 0;
      if (fluid < 32 || !view_.readsInside(first)) return false;
    }
    model::forEach<Lattice::q>([&](auto i) {
      std::memcpy(block.tile.f[i], now + view_.template plainSource<i>(first),
                  sizeof(block.tile.f[i]));
    });
    block.count = 64;
    for (std::uint32_t l = 0; !plain && l < 64; ++l) {
      const auto node = view_.template node<phase>(first + l, data);
      block.unit[l] = first + l;
      if (node.mask == 0 && node.fluid) continue;
      model::forEach<Lattice::q>([&](auto i) {
        block.tile.f[i][l] = node.fluid ? now[node.template source<i>()] : Storage{};
      });
    }
    return true;
  }
  // Gathers a whole tile in rows, as the step on tile populations does.
  void gatherTile(std::uint32_t first, const BlockData& data, Block& block) {
    using Shape = model::TileShape<Lattice>;
    backend::NeighbourTiles<Variant> around;
    for (std::size_t n = 0; n < 27; ++n)
      around[n] = state_.now() + View::addressOf(data.around[n], 0);
    model::forEach<Lattice::q>([&](auto i) {
      model::forEach<Shape::y * Shape::z>(
          [&](auto r) { backend::pullRow<Variant, i, r>(around, block.tile); });
    });
    block.count = 64;
    for (std::uint32_t l = 0; l < 64; ++l) block.unit[l] = first + l;
  }
  template <int phase>
  void stream(std::uint32_t first, const BlockData& data, const Block& block) {
    const auto node = view_.template node<phase>(first, data);
    model::forEach<Lattice::q>([&](auto i) {
      backend::streamLines(state_.next() + node.template target<i>(), block.tile.f[i],
                           sizeof(block.tile.f[i]));
    });
  }
  template <int phase>
  void scatter(const BlockData& data, const Block& block) {
    Storage* next = state_.next();
    if constexpr (HasWholeTiles<View>)
      if (data.around[13].run == 64 && block.count == 64) {
        std::memcpy(next + View::addressOf(data.around[13], 0), &block.tile, sizeof(block.tile));
        return;
      }
    for (int l = 0; l < block.count; ++l) {
      const auto node = view_.template node<phase>(block.unit[l], data);
      model::forEach<Lattice::q>(
          [&](auto i) { next[node.template target<i>()] = block.tile.f[i][l]; });
    }
  }

  backend::CpuTiles blocks_;
  View view_;
  State state_;
};

template <class Variant, class Plan>
using CpuComparator = DrivenComparator<backend::Cpu, CpuStructure<Variant, Plan>>;

}  // namespace tessera::solver::comparators
