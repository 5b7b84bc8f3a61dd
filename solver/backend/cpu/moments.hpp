// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of moments on the CPU: two copies, TBB over tiles. Traffic per node: 10 reads and
// 10 writes instead of 19 each with populations; of mixed moments 28 bytes each. Nodes at openings
// and at walls other than halfway ones at rest are stepped after their tiles
// (domain/separate_nodes.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/cpu/moment_tile.hpp"
#include "solver/backend/cpu/moment_walls.hpp"
#include "solver/backend/cpu/scheme.hpp"
#include "solver/backend/scheme_backend.hpp"
#include "solver/boundary/moment_openings.hpp"
#include "solver/boundary/separate_node.hpp"
#include "solver/domain/separate_nodes.hpp"

namespace tessera::solver::backend {

template <model::VariantModel Variant>
class CpuMoments final : public CpuScheme<Variant, typename model::MomentFormat<Variant>::Word,
                                          CpuMomentWalls<Variant>> {
  using Format = model::MomentFormat<Variant>;
  using Base = CpuScheme<Variant, typename Format::Word, CpuMomentWalls<Variant>>;
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Equilibrium = typename Variant::Equilibrium;
  using Order = model::MomentsByValue<Format>;
  using View = model::MomentView<Order>;
  using Node = model::MomentNode<Lattice, View>;
  static constexpr std::uint64_t perSlot = Order::tileWords;

 public:
  CpuMoments(const Cpu&, domain::Domain domain, const model::Relaxation& relaxation)
      : CpuMoments(
            boundary::takeOpenings(domain.links, domain.stencils.nodes, domain.copies, Lattice::q),
            domain, relaxation) {}

  void applyBoundaries(const Pass& pass, Cpu::Queue) { fillBoundaries(pass.first, true); }
  void stepTiles(const Pass&, const PassPart& part, Cpu::Queue) {
    forced_ ? stepPart<true>(part) : stepPart<false>(part);
  }
  void completeTiles(const Pass&, TileRange tiles, Cpu::Queue) {
    forced_ ? stepSeparateNodes<true>(tiles) : stepSeparateNodes<false>(tiles);
  }

  // With the boundary values of selected step 0.
  void sampleLinks(std::span<boundary::LinkSample> samples) {
    rebuildOpenings();
    openings_.template sample<Variant>(small_.data(), parameters_, samples);
  }
  // Forces of the step that follows, selected step 0.
  void sampleForces(bool keep) {
    if (forces_.needReflected()) fillBoundaries(0, false);
    forces_.sum(boundary::ExchangedMoments<Variant, View>{view(), walls_.view()}, openings_.ramp(0),
                keep);
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

  CpuMoments(boundary::MomentOpenings nodes, domain::Domain& domain,
             const model::Relaxation& relaxation)
      : CpuMoments(nodes, boundary::takeWalls(std::move(domain.walls), nodes), domain, relaxation) {
  }
  CpuMoments(boundary::MomentOpenings& nodes, boundary::MomentWalls walls, domain::Domain& domain,
             const model::Relaxation& relaxation)
      : CpuMoments(nodes, domain::separateNodes(domain, nodes, walls, 0), walls, domain,
                   relaxation) {}
  // The border is complete when separate nodes are, which all tiles may hold.
  CpuMoments(boundary::MomentOpenings& nodes, domain::SeparateNodes separate,
             boundary::MomentWalls& walls, domain::Domain& domain,
             const model::Relaxation& relaxation)
      : Base(std::move(domain), CpuMomentWalls<Variant>(std::move(walls)), relaxation,
             separate.atBoundaries.size() == 0 ? domain.borderTiles : domain.tiles, perSlot),
        openingNodes_(std::move(nodes)),
        separate_(std::move(separate)),
        places_(separate_.atBoundaries.places()),
        small_(model::populationIndex<Lattice>(openingNodes_.smallSlots, 0, 0)) {}

  [[nodiscard]] View view() const {
    return {state_.now(), domain_.neighbourTable.data(), domain_.masks.data()};
  }
  [[nodiscard]] boundary::SmallState<Real> small() {
    return {small_.data(), openingNodes_.smallSlots / 2};
  }
  [[nodiscard]] boundary::StateMoments<Order> now() const { return {state_.now()}; }
  [[nodiscard]] boundary::SeparateView<Variant> separateView() {
    return {separate_.known.view(), separate_.nodes.data(),     small(),
            walls_.view().values,   walls_.plan().nodes.data(), walls_.plan().mass.near.data(),
            walls_.shares()};
  }
  // Calls body(slot, local, sums of gathered populations) for each separate node in a range of
  // tiles.
  template <class Body>
  void forSeparateNodes(TileRange tiles, const Body& body) {
    const boundary::SeparateView<Variant> separate = separateView();
    parallelIndices(places_.size(), 64, [&](std::size_t k) {
      const std::uint32_t slot = places_[k] >> 6U;
      const auto local = static_cast<int>(places_[k] & 63U);
      if (slot < tiles.first || slot >= tiles.end) return;
      body(slot, local,
           boundary::sumsOfSeparateNode<Variant>(view(), now(), separate, slot, local));
    });
  }

  void rebuildOpenings() {
    parallelIndices(openingNodes_.nodes.size(), 1, [&](std::size_t k) {
      boundary::rebuildOpeningNode<Lattice>(view(), openingNodes_.nodes[k],
                                            static_cast<std::uint32_t>(k), small());
    });
  }
  // Populations that enter and that are reflected in a selected step. commit: the step follows.
  void fillBoundaries(std::uint64_t step, bool commit) {
    for (const boundary::NodeCopy& copy : openingNodes_.copies)
      boundary::copyNode<Order>(copy, state_.now());
    rebuildOpenings();
    openings_.template apply<Variant>(step, small_.data(), parameters_, commit);
    walls_.reflect(now(), small(), Real(openings_.ramp(step)));
  }

  template <bool forced>
  void stepPart(const PassPart& part) {
    tiles_.forPart(part, [&](const TileSpan& range) {
      MomentsAround<Format> moments;
      MomentTile<Lattice, Real> tile;
      alignas(64) WordsOfTile<Format> stored;
      for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
        const NeighbourMoments<Real> around = moments.of(state_.now(), neighbours(slot));
        const TileAhead<Lattice, Format> ahead(
            state_.now(), neighbours(std::min(slot + tilesAhead, domain_.tiles - 1)));
        rebuildArrivals(around, masks(slot), ahead, tile);
        collideTile<Variant, forced, Real, Format>(around[13], relaxation_, tile, stored);
        streamLines(state_.next() + slot * perSlot, stored, sizeof(stored));
      }
      fenceStreams();
    });
  }
  template <bool forced>
  void stepSeparateNodes(TileRange tiles) {
    forSeparateNodes(tiles,
                     [&](std::uint32_t slot, int local, const model::MomentSums<Real>& sums) {
                       typename Format::Word words[Format::words];
                       model::collideToWords<Format, Equilibrium, forced>(sums, relaxation_, words);
                       Order::store(words, state_.next() + model::momentTile<Order>(slot), local);
                     });
  }

  model::MomentRelaxation<Real> relaxation_{model::momentRelaxation<Lattice, Format>(parameters_)};
  boundary::MomentOpenings openingNodes_;
  domain::SeparateNodes separate_;
  std::vector<std::uint32_t> places_;  // of those that are stepped
  std::vector<Real> small_;            // scratch populations of these nodes
};

template <model::VariantModel Variant>
PartialSample CpuMoments<Variant>::sampleTile(std::uint32_t slot) const {
  const Real half[3] = {-parameters_.halfForce[0], -parameters_.halfForce[1],
                        -parameters_.halfForce[2]};
  PartialSample sample;
  double energy = 0.0;
  for (int l = 0; l < 64; ++l) {
    const Node node(view(), slot, l);
    if (!node.isSolid())
      energy += addNode(model::macroscopicOf<Equilibrium, true>(node.stored(), half), sample);
  }
  addEnergy(energy, sample);
  return sample;
}

template <model::VariantModel Variant>
void CpuMoments<Variant>::sampleFields(std::uint32_t first, std::uint32_t count,
                                       std::span<float> values) {
  fillBoundaries(0, false);
  std::fill(values.begin(), values.end(), 0.0F);  // solid nodes
  const auto put = [&](std::uint32_t slot, int l, const model::MomentSums<Real>& sums) {
    float* target = &values[static_cast<std::size_t>(slot - first) * observedValues * 64];
    model::observeSums<Lattice, Equilibrium>(sums, parameters_, [&](auto e, Real value) {
      target[64 * e + l] = static_cast<float>(value);
    });
  };
  parallelIndices(count, 1, [&](std::size_t k) {
    const std::uint32_t slot = first + static_cast<std::uint32_t>(k);
    for (int l = 0; l < 64; ++l) {
      const Node node(view(), slot, l);
      if (!node.isSolid()) put(slot, l, boundary::sumsOfNode(node));
    }
  });
  forSeparateNodes({first, first + count}, put);
}

template <model::VariantModel Variant>
using CpuMomentsBackend = SchemeBackend<Cpu, CpuMoments<Variant>>;

}  // namespace tessera::solver::backend
