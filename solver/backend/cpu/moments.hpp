// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of moments on the CPU: two copies, TBB over tiles. Traffic per node: 10 reads and
// 10 writes, where populations have 19 of each. Nodes at openings are stepped by themselves, from a
// scratch copy of their populations, once their tiles have been stepped.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/cpu/halo.hpp"
#include "solver/backend/cpu/memory.hpp"
#include "solver/backend/cpu/moment_tile.hpp"
#include "solver/backend/cpu/openings.hpp"
#include "solver/backend/cpu/target.hpp"
#include "solver/backend/scheme_backend.hpp"
#include "solver/boundary/moment_openings.hpp"

namespace tessera {

template <VariantModel Variant>
class CpuMoments {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Equilibrium = typename Variant::Equilibrium;
  using Node = MomentNode<Lattice, Real>;
  static constexpr std::uint64_t perSlot = momentIndex(1, 0, 0);

 public:
  using Halo = CpuHalo<Real>;
  static constexpr std::uint64_t stepsPerPass = 1;

  CpuMoments(const Cpu&, Domain domain, const Relaxation& relaxation)
      : domain_(std::move(domain)),
        openingNodes_(takeOpenings(domain_.links, domain_.copies, Lattice::q)),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(stepParameters<Variant>(relaxation)),
        openings_(domain_),
        small_(populationIndex<Lattice>(openingNodes_.smallSlots, 0, 0)),
        // The border is complete when nodes at openings are, which all tiles may hold.
        tiles_(openingNodes_.nodes.empty() ? domain_.borderTiles : domain_.tiles, domain_.tiles),
        state_(tiles_, domain_.slots, perSlot) {}

  [[nodiscard]] std::uint32_t tiles() const { return domain_.tiles; }
  [[nodiscard]] const auto& parts() const { return tiles_.parts(); }
  CpuState<Real>& state() { return state_; }
  CpuOpenings& openings() { return openings_; }
  HalfwayWalls& walls() { return walls_; }

  [[nodiscard]] bool hasBoundaries() const { return true; }
  [[nodiscard]] bool isDriven() const { return true; }
  [[nodiscard]] bool firstPassDiffers() const { return false; }
  void loadValues(std::span<const double> values, Cpu::Queue) { openings_.load(values); }
  void selectValues(std::uint64_t first, std::uint64_t, Cpu::Queue) { openings_.select(first); }

  void applyBoundaries(const Pass& pass, Cpu::Queue) { fillOpenings(pass.first, true); }
  void stepTiles(const Pass&, const Part& part, Cpu::Queue) {
    forced_ ? stepPart<true>(part) : stepPart<false>(part);
  }
  void completeTiles(const Pass&, TileRange tiles, Cpu::Queue) {
    forced_ ? stepOpeningNodes<true>(tiles) : stepOpeningNodes<false>(tiles);
  }
  void advanceState(const Pass&) { state_.advance(); }

  void sampleLinks(std::span<const double> coefficients, std::span<LinkSample> samples) {
    openings_.load(coefficients);
    openings_.select(0);
    rebuildOpenings();
    openings_.template sample<Variant>(small_.data(), parameters_, samples);
  }
  [[nodiscard]] PartialSample sampleTile(std::uint32_t slot) const;
  void sampleFields(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count,
                    std::span<float> values);

 private:
  [[nodiscard]] MomentView<Real> view() const {
    return {state_.now(), domain_.rows.data(), domain_.masks.data()};
  }
  [[nodiscard]] SmallState<Real> small() { return {small_.data(), openingNodes_.smallSlots / 2}; }
  // Calls body(place, sums of what arrives) for each opening node in a range of tiles.
  template <class Body>
  void forOpeningNodes(TileRange tiles, const Body& body) {
    tbb::parallel_for(std::size_t{0}, openingNodes_.nodes.size(), [&](std::size_t k) {
      const OpeningNodePlace& place = openingNodes_.nodes[k];
      if (place.slot < tiles.first || place.slot >= tiles.end) return;
      body(place,
           sumsOfOpeningNode<Lattice>(view(), place, static_cast<std::uint32_t>(k), small()));
    });
  }

  void rebuildOpenings() {
    tbb::parallel_for(std::size_t{0}, openingNodes_.nodes.size(), [&](std::size_t k) {
      rebuildOpeningNode<Lattice>(view(), openingNodes_.nodes[k], static_cast<std::uint32_t>(k),
                                  small());
    });
  }
  // Populations that arrive at opening nodes in a selected step. commit: the step follows.
  void fillOpenings(std::uint64_t step, bool commit) {
    for (const NodeCopy& copy : openingNodes_.copies) copyNode(copy, state_.now());
    rebuildOpenings();
    openings_.template apply<Variant>(step, small_.data(), parameters_, commit);
  }

  template <bool forced>
  void stepPart(const Part& part) {
    tiles_.forPart(part, [&](const TileSpan& range) {
      MomentTile<Lattice, Real> tile;
      for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
        const std::int32_t* row = &domain_.rows[static_cast<std::size_t>(slot) * rowLength];
        const std::uint32_t* masks =
            row[maskColumn] < 0 ? nullptr
                                : &domain_.masks[static_cast<std::size_t>(row[maskColumn]) * 64];
        rebuildArrivals<Lattice>(state_.now(), slot, row, masks, tile);
        collideTile<Variant, forced>(state_.now() + slot * perSlot, parameters_, tile);
        streamLines(state_.next() + slot * perSlot, tile.stored, sizeof(tile.stored));
      }
      fenceStreams();
    });
  }
  template <bool forced>
  void stepOpeningNodes(TileRange tiles) {
    forOpeningNodes(tiles, [&](const OpeningNodePlace& place, const MomentSums<Real>& sums) {
      Real stored[moment::count];
      collideMoments<Equilibrium, forced>(sums, parameters_, stored);
      for (int m = 0; m < moment::count; ++m)
        state_.next()[momentIndex(place.slot, m, place.local)] = stored[m];
    });
  }

  Domain domain_;
  MomentOpenings openingNodes_;
  bool forced_;
  StepParameters<Real> parameters_;
  CpuOpenings openings_;
  HalfwayWalls walls_;
  std::vector<Real> small_;
  CpuTiles tiles_;
  CpuState<Real> state_;
};

template <VariantModel Variant>
PartialSample CpuMoments<Variant>::sampleTile(std::uint32_t slot) const {
  const Real half[3] = {-parameters_.halfForce[0], -parameters_.halfForce[1],
                        -parameters_.halfForce[2]};
  PartialSample sample;
  double energy = 0.0;
  for (int l = 0; l < 64; ++l) {
    const Node node(view(), slot, l);
    if (!node.isSolid())
      energy += addNode(macroscopicOf<Equilibrium, true>(node.stored(), half), sample);
  }
  addEnergy(energy, sample);
  return sample;
}

template <VariantModel Variant>
void CpuMoments<Variant>::sampleFields(std::span<const double> coefficients, std::uint32_t first,
                                       std::uint32_t count, std::span<float> values) {
  openings_.load(coefficients);
  openings_.select(0);
  fillOpenings(0, false);
  std::fill(values.begin(), values.end(), 0.0F);  // solid nodes
  const auto put = [&](std::uint32_t slot, int l, const MomentSums<Real>& sums) {
    float* target = &values[static_cast<std::size_t>(slot - first) * observedValues * 64];
    observeSums<Equilibrium>(sums, parameters_, [&](auto e, Real value) {
      target[64 * e + l] = static_cast<float>(value);
    });
  };
  tbb::parallel_for(first, first + count, [&](std::uint32_t slot) {
    for (int l = 0; l < 64; ++l) {
      const Node node(view(), slot, l);
      if (!node.isSolid()) put(slot, l, sumsOfNode(node));
    }
  });
  forOpeningNodes({first, first + count},
                  [&](const OpeningNodePlace& place, const MomentSums<Real>& sums) {
                    put(place.slot, place.local, sums);
                  });
}

template <VariantModel Variant>
using CpuMomentsBackend = SchemeBackend<Cpu, CpuMoments<Variant>>;

}  // namespace tessera
