// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of populations on the CPU: two copies, TBB over tiles, the step of
// solver/model/step.hpp on vectors over the 64 nodes of a pulled tile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/cpu/pulled_tile.hpp"
#include "solver/backend/cpu/scheme.hpp"
#include "solver/backend/cpu/walls.hpp"
#include "solver/backend/scheme_backend.hpp"
#include "solver/model/step.hpp"

namespace tessera::solver::backend {

template <model::VariantModel Variant>
class CpuPopulations final
    : public CpuScheme<Variant, typename Variant::Storage, CpuWalls<Variant>> {
  using Base = CpuScheme<Variant, typename Variant::Storage, CpuWalls<Variant>>;
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;
  using Tile = PulledTile<Variant>;
  static constexpr std::uint64_t perSlot = model::populationIndex<Lattice>(1, 0, 0);
  static constexpr int width = Vector<Real>::width;

 public:
  CpuPopulations(const Cpu&, domain::Domain domain, const model::Relaxation& relaxation)
      : CpuPopulations(domain, relaxation) {}

  void applyBoundaries(const Pass& pass, Cpu::Queue) {
    fillGhosts(pass.first, true);
    walls_.apply(state_.now(), Real(openings_.ramp(pass.first)));
  }
  void stepTiles(const Pass&, const PassPart& part, Cpu::Queue) {
    forced_ ? stepPart<true>(part) : stepPart<false>(part);
  }
  void completeTiles(const Pass&, TileRange, Cpu::Queue) {}

  // With the boundary values of selected step 0.
  void sampleLinks(std::span<boundary::LinkSample> samples) {
    openings_.template sample<Variant>(state_.now(), parameters_, samples);
  }
  // Of the step that follows, selected step 0.
  void sampleForces(bool keep) {
    const Real ramp = Real(openings_.ramp(0));
    if (forces_.needReflected()) {
      fillGhosts(0, false);
      walls_.reflect(state_.now(), ramp);
    }
    forces_.sum(boundary::ExchangedPopulations<Variant>{state_.now(), walls_.view()}, ramp, keep);
  }
  [[nodiscard]] PartialSample sampleTile(std::uint32_t slot) const;
  void sampleFields(std::uint32_t first, std::uint32_t count, std::span<float> values);

 private:
  using Base::domain_;
  using Base::forced_;
  using Base::forces_;
  using Base::masks;
  using Base::neighbours;
  using Base::openings_;
  using Base::parameters_;
  using Base::state_;
  using Base::tiles_;
  using Base::walls_;

  CpuPopulations(domain::Domain& domain, const model::Relaxation& relaxation)
      : Base(std::move(domain), CpuWalls<Variant>(std::move(domain.walls)), relaxation,
             domain.borderTiles, perSlot) {}

  // Ghosts of a selected step. commit: the step follows.
  void fillGhosts(std::uint64_t step, bool commit) {
    Storage* state = state_.now();
    for (const boundary::PopulationCopy& copy : domain_.copies) state[copy.to] = state[copy.from];
    openings_.template apply<Variant>(step, state, parameters_, commit);
  }

  // Gathers the populations of a tile, bounce-back applied. Not inlined: it is long.
  __attribute__((noinline)) void pull(std::uint32_t slot, Tile& tile) const {
    if constexpr (Variant::Tiling::isShifted) {
      Surroundings<Variant> around;
      model::withShiftAxes(domain_.shiftAxes, [&](auto axes) {
        findSurroundings<Variant, decltype(axes)>(state_.now(), neighbours(slot), around);
      });
      model::forEach<Lattice::q>([&](auto i) { pullShifted<Variant, i>(around, tile.f[i]); });
    } else {
      const NeighbourTiles<Variant> around = neighboursOf<Variant>(state_.now(), neighbours(slot));
      using Shape = model::TileShape<Lattice>;
      model::forEach<Lattice::q>([&](auto i) {
        model::forEach<Shape::y * Shape::z>([&](auto r) { pullRow<Variant, i, r>(around, tile); });
      });
    }
    if (const std::uint32_t* wall = masks(slot))
      bounceBack<Variant>(state_.now() + slot * perSlot, wall, tile);
  }

  // While one tile is stepped, the one before it is streamed out and a later one prefetched,
  // a share for each vector of nodes.
  template <bool forced>
  void stepPart(const PassPart& part) {
    const auto parameters = model::inUnitsOfStorage<Variant>(parameters_);
    constexpr int vectors = 64 / width;
    tiles_.forPart(part, [&](const TileSpan& range) {
      Tile tiles[2];
      LeavingTile<Variant> leaving;
      for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
        Tile& tile = tiles[slot & 1U];
        pull(slot, tile);
        const NeighbourTiles<Variant> ahead = neighboursOf<Variant>(
            state_.now(), neighbours(std::min(slot + tilesAhead, domain_.tiles - 1)));
        for (int k = 0; k < vectors; ++k) {
          leaving.template send<vectors>(k);
          if constexpr (!Variant::Tiling::isShifted) prefetchSources<Variant, vectors>(ahead, k);
          tessera::solver::model::step<Variant, forced>(PulledNodes<Variant>{tile, k * width},
                                                        parameters);
        }
        leaving = {&tile, state_.next() + slot * perSlot};
      }
      leaving.template send<1>(0);
      fenceStreams();
    });
  }
};

template <model::VariantModel Variant>
PartialSample CpuPopulations<Variant>::sampleTile(std::uint32_t slot) const {
  using Value = typename Vector<Real>::type;
  const Real half[3] = {-parameters_.halfForce[0], -parameters_.halfForce[1],
                        -parameters_.halfForce[2]};
  constexpr Real unit = Real(1) / Variant::Precision::scale;
  const std::uint32_t* wall = masks(slot);
  const Storage* own = state_.now() + slot * perSlot;
  PartialSample sample;
  double energy = 0.0;
  for (int l = 0; l < 64; l += width) {
    Value f[Lattice::q];
    model::forEach<Lattice::q>(
        [&](auto i) { f[i] = loadVector<typename Variant::Precision>(own + 64 * i + l) * unit; });
    const auto n = model::macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
    for (int lane = 0; lane < width; ++lane) {
      if (wall != nullptr && (wall[l + lane] >> model::solidBit & 1U) != 0) continue;
      energy += addNode(model::Macroscopic<Real>{n.r[lane],
                                                 {n.m[0][lane], n.m[1][lane], n.m[2][lane]},
                                                 {n.u[0][lane], n.u[1][lane], n.u[2][lane]}},
                        sample);
    }
  }
  addEnergy(energy, sample);
  return sample;
}

template <model::VariantModel Variant>
void CpuPopulations<Variant>::sampleFields(std::uint32_t first, std::uint32_t count,
                                           std::span<float> values) {
  fillGhosts(0, false);
  walls_.show(state_.now(), Real(openings_.ramp(0)));
  const auto parameters = model::inUnitsOfStorage<Variant>(parameters_);
  parallelIndices(count, 1, [&](std::size_t k) {
    Tile tile;
    pull(first + static_cast<std::uint32_t>(k), tile);
    float* target = values.data() + k * observedValues * 64;
    for (int l = 0; l < 64; l += width)
      model::observe<Variant, true>(PulledNodes<Variant>{tile, l}, parameters,
                                    [&](auto e, const auto& value) {
                                      for (int lane = 0; lane < width; ++lane)
                                        target[64 * e + l + lane] = static_cast<float>(value[lane]);
                                    });
  });
  walls_.exchange(state_.now());
}

template <model::VariantModel Variant>
using CpuPopulationsBackend = SchemeBackend<Cpu, CpuPopulations<Variant>>;

}  // namespace tessera::solver::backend
