// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of populations on a GPU: two copies or an in-place update, one or two nodes per
// thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/backend/gpu/pairs.cuh"
#include "solver/backend/gpu/populations_kernels.cuh"
#include "solver/backend/gpu/scheme.cuh"
#include "solver/backend/gpu/walls.cuh"
#include "solver/backend/scheme_backend.hpp"

namespace tessera::solver::backend {

// The first slot behind which lies all that links of openings read or write; tiles where there are
// none, or where it would be most of them.
inline std::uint32_t firstOpeningTile(const domain::Domain& domain, std::uint64_t perSlot) {
  std::uint64_t first = domain.tiles;
  for (const boundary::IncomingLink& link : domain.links)
    first = std::min({first, link.node / perSlot, link.target / perSlot});
  for (const std::uint64_t source : domain.sources) first = std::min(first, source / perSlot);
  for (const std::uint64_t node : domain.stencils.nodes) first = std::min(first, node / perSlot);
  return first < domain.tiles / 2 ? domain.tiles : static_cast<std::uint32_t>(first);
}

// The first slot behind which lie all tiles that gather what openings and walls write.
inline std::uint32_t firstBoundaryTile(const domain::Domain& domain, std::uint64_t perSlot) {
  std::uint64_t first = domain.tiles;
  for (const boundary::IncomingLink& link : domain.links)
    first = std::min(first, link.node / perSlot);
  for (const boundary::WallLink& link : domain.walls.links)
    first = std::min<std::uint64_t>(first, link.slot);
  for (const boundary::PopulationPair& pair : domain.walls.mirrored)
    first = std::min({first, pair.a / perSlot, pair.b / perSlot});
  return static_cast<std::uint32_t>(first);
}

template <model::VariantModel Variant>
class GpuPopulations final : public GpuScheme<Variant, typename Variant::Storage, 1,
                                              GpuWalls<Variant>, boundary::PopulationCopy> {
  using Base =
      GpuScheme<Variant, typename Variant::Storage, 1, GpuWalls<Variant>, boundary::PopulationCopy>;
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;
  static constexpr std::uint64_t perSlot = model::populationIndex<Lattice>(1, 0, 0);

 public:
  GpuPopulations(Gpu& target, const domain::Domain& domain, const model::Relaxation& relaxation)
      : Base(target, domain, domain.copies, GpuWalls<Variant>(domain.walls), relaxation, perSlot),
        shiftAxes_(domain.shiftAxes) {
    parts_ = partsOf(domain);
    if (parts_.back().lane == Lane::Boundaries)
      target_.overlap(walls_.any() ? Overlap::BoundaryTiles : Overlap::OpeningTiles);
  }

  void applyBoundaries(const Pass& pass, StreamHandle stream) {
    fillGhosts(pass.first, true, stream);
    walls_.apply(state_.now(), openings_.ramp(pass.first), stream);
  }
  void stepTiles(const Pass&, const PassPart& part, StreamHandle stream);
  void completeTiles(const Pass&, TileRange, StreamHandle) {}

  // One partial sample per block of `tilesOfBlock` tiles.
  void sampleNodes(std::uint32_t tilesOfBlock, unsigned blocks, PartialSample* partial,
                   StreamHandle stream) {
    launchKernel(&sampleNodesKernel<Variant>, {blocks, blockThreads}, stream, view(0, tiles_),
                 parameters_, tilesOfBlock, partial);
  }
  // With the boundary values of selected step 0.
  void sampleLinks(boundary::LinkSample* samples) {
    const StreamHandle stream = target_.main();
    openings_.template findStencilNodes<Variant>(state_.now(), parameters_, stream);
    openings_.template sample<Variant>(state_.now(), parameters_, samples, stream);
  }
  // Forces of the step that follows, selected step 0.
  void sampleForces(bool keep) {
    const StreamHandle stream = target_.main();
    const double* ramp = openings_.ramp(0);
    if (forces_.needReflected()) {
      fillGhosts(0, false, stream);
      walls_.reflect(state_.now(), ramp, stream);
    }
    forces_.sum(boundary::ExchangedPopulations<Variant>{state_.now(), walls_.view()}, ramp, keep,
                stream);
  }
  void sampleFields(std::uint32_t first, std::uint32_t count, float* fields);

 private:
  using Base::blocks;
  using Base::copies_;
  using Base::copyCount;
  using Base::forced_;
  using Base::forces_;
  using Base::masks_;
  using Base::openings_;
  using Base::parameters_;
  using Base::parts_;
  using Base::rows_;
  using Base::state_;
  using Base::target_;
  using Base::tiles_;
  using Base::walls_;

  [[nodiscard]] std::vector<PassPart> partsOf(const domain::Domain& domain) const {
    const bool exchanges = target_.ranks() != nullptr;
    if (state_.inPlace()) return windowParts(domain, exchanges);
    if (exchanges) return haloParts(domain);
    std::uint32_t first = tiles_;
    if (copies_.size() == 0 && walls_.any())
      first = firstBoundaryTile(domain, perSlot);
    else if (copies_.size() == 0)
      first = firstOpeningTile(domain, perSlot);
    if (first == 0 || first == tiles_) return {{0, tiles_}};
    return {{0, first}, {first, tiles_, Lane::Boundaries}};
  }
  [[nodiscard]] DeviceDomain<Storage> view(std::uint32_t first, std::uint32_t end) const {
    return {state_.now(), state_.next(), rows_.data(), masks_.data(), end, first};
  }
  // Calls function with the Axes of DeviceNode.
  template <class Function>
  void withAxes(const Function& function) const {
    if constexpr (Variant::Tiling::isShifted)
      model::withShiftAxes(shiftAxes_, function);
    else
      function(model::AlignedTiling{});
  }
  // Ghosts of selected step k. commit: the step follows.
  void fillGhosts(std::uint64_t k, bool commit, StreamHandle stream) {
    const std::uint32_t copies = copyCount();
    const std::uint32_t links = openings_.linkCount();
    if (copies + links == 0 && !openings_.coupled()) return;
    openings_.template findStencilNodes<Variant>(state_.now(), parameters_, stream);
    const boundary::OpeningValues values =
        openings_.template solve<Variant>(k, state_.now(), parameters_, commit, stream);
    if (copies + links == 0) return;
    launchDependent(
        &ghostKernel<Variant>,
        {blocks(wholeTeams(copies) + openings_.fillThreads(), blockThreads), blockThreads}, stream,
        state_.now(), copies_.data(), copies, openings_.links(), links, parameters_, values);
  }

  std::array<int, 3> shiftAxes_;
};

template <model::VariantModel Variant>
void GpuPopulations<Variant>::stepTiles(const Pass&, const PassPart& part, StreamHandle stream) {
  if (part.first == part.end) return;
  const std::uint32_t count = part.end - part.first;
  const auto parameters = model::inUnitsOfStorage<Variant>(parameters_);
  if constexpr (byPairs<Variant>) {
    const auto kernel =
        forced_ ? &stepPairsKernel<Variant, true> : &stepPairsKernel<Variant, false>;
    launchDependent(kernel, {blocks(count, blockThreads / teamLanes), blockThreads}, stream,
                    view(part.first, part.end), parameters);
  } else {
    withAxes([&](auto axes) {
      using Axes = decltype(axes);
      const auto kernel =
          forced_ ? &stepKernel<Variant, true, Axes> : &stepKernel<Variant, false, Axes>;
      launchDependent(kernel, {blocks(count, tilesPerBlock), blockThreads}, stream,
                      view(part.first, part.end), parameters);
    });
  }
}

template <model::VariantModel Variant>
void GpuPopulations<Variant>::sampleFields(std::uint32_t first, std::uint32_t count,
                                           float* fields) {
  const StreamHandle stream = target_.main();
  fillGhosts(0, false, stream);
  walls_.show(state_.now(), openings_.ramp(0), stream);
  withAxes([&](auto axes) {
    launchKernel(&observeKernel<Variant, decltype(axes)>,
                 {blocks(count, tilesPerBlock), blockThreads}, stream, view(0, tiles_),
                 model::inUnitsOfStorage<Variant>(parameters_), first, count, fields);
  });
  walls_.exchange(state_.now(), stream);
}

template <model::VariantModel Variant>
using GpuPopulationsBackend = SchemeBackend<Gpu, GpuPopulations<Variant>>;

}  // namespace tessera::solver::backend
