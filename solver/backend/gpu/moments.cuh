// SPDX-License-Identifier: GPL-3.0-or-later
// Storage scheme of moments on a GPU. Blocks of 2x2x2 tiles are the fastest shape if most are full;
// for sparser geometries smaller ones may be faster, so three are timed on the geometry. Each gives
// the same bits. Nodes at openings are stepped separately and stored after their tiles.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/moments_kernels.cuh"
#include "solver/backend/gpu/moments_single_nodes.cuh"
#include "solver/backend/gpu/scheme.cuh"
#include "solver/backend/scheme_backend.hpp"

namespace tessera::solver::backend {

template <model::VariantModel Variant>
class GpuMoments final : public GpuScheme<Variant, typename Variant::Real, model::moment::count,
                                          HalfwayWalls, boundary::NodeCopy> {
  using Base = GpuScheme<Variant, typename Variant::Real, model::moment::count, HalfwayWalls,
                         boundary::NodeCopy>;
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  template <int x, int y, int z>
  using Shape = BlockShape<x, y, z>;
  static constexpr std::uint64_t perSlot = model::momentIndex(1, 0, 0);

 public:
  GpuMoments(Gpu& target, domain::Domain domain, const model::Relaxation& relaxation)
      : GpuMoments(
            target,
            boundary::takeOpenings(domain.links, domain.stencils.nodes, domain.copies, Lattice::q),
            domain, relaxation) {}

  // Steps the nodes at openings, whose new moments are stored at once where no tile reads there.
  void applyBoundaries(const Pass& pass, StreamHandle stream) {
    rebuildOpenings(stream);
    if (!openings_.any()) return;
    const boundary::OpeningValues values =
        openings_.template solve<Variant>(pass.first, small_.data(), parameters_, true, stream);
    if (steppedNodes() == 0) return;
    const auto kernel =
        forced_ ? &stepOpeningsKernel<Variant, true> : &stepOpeningsKernel<Variant, false>;
    launchKernel(kernel, {blocks(steppedNodes(), nodesOfOpeningBlock), nodeThreads}, stream, view(),
                 nodes_.data(), steppedNodes(), openings_.links(), values, small(), parameters_,
                 state_.inPlace() ? nullptr : state_.next(), results_.data());
  }
  void stepTiles(const Pass&, const PassPart& part, StreamHandle stream) {
    if (part.first == part.end) return;
    if (shape_ == domain::BlockTiles{2, 2, 2})
      launch<Shape<2, 2, 2>>(part, stream);
    else if (shape_ == domain::BlockTiles{2, 2, 1})
      launch<Shape<2, 2, 1>>(part, stream);
    else
      launch<Shape<2, 1, 1>>(part, stream);
  }
  // Stores the nodes at openings after an in-place update.
  void completeTiles(const Pass&, TileRange tiles, StreamHandle stream) {
    if (!state_.inPlace()) return;
    forOpeningNodes(&putOpeningsKernel<Real>, stream, results_.data(), nodes_.data(),
                    steppedNodes(), tiles.first, tiles.end, state_.next());
  }

  // One partial sample per block of `tilesOfBlock` tiles.
  void sampleNodes(std::uint32_t tilesOfBlock, unsigned blocks, PartialSample* partial,
                   StreamHandle stream) {
    launchKernel(&sampleMomentsKernel<Variant>, {blocks, nodeThreads}, stream, view(), parameters_,
                 tiles_, tilesOfBlock, partial);
  }
  // With the boundary values of selected step 0.
  void sampleLinks(boundary::LinkSample* samples) {
    const StreamHandle stream = target_.main();
    rebuildOpenings(stream);
    openings_.template sample<Variant>(small_.data(), parameters_, samples, stream);
  }
  void sampleForces(bool keep) {
    forces_.sum(boundary::ExchangedMoments<Lattice, Real>{view()}, nullptr, keep, target_.main());
  }
  void sampleFields(std::uint32_t first, std::uint32_t count, float* fields) {
    const StreamHandle stream = target_.main();
    fillOpenings(stream);
    launchKernel(&observeMomentsKernel<Variant>, {blocks(count, nodeThreads / 64), nodeThreads},
                 stream, view(), parameters_, first, count, fields);
    forOpeningNodes(&observeOpeningsKernel<Variant>, stream, view(), nodes_.data(), steppedNodes(),
                    small(), parameters_, first, count, fields);
  }

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

  // domain: its links lie in the scratch populations of `nodes`.
  GpuMoments(Gpu& target, const boundary::MomentOpenings& nodes, const domain::Domain& domain,
             const model::Relaxation& relaxation)
      : Base(target, domain, nodes.copies, {}, relaxation, perSlot),
        smallSlots_(nodes.smallSlots),
        nodes_(nodes.nodes),
        stepped_(static_cast<std::uint32_t>(nodes.stepped)),
        stencilOf_(nodes.stencilOf),
        small_(model::populationIndex<Lattice>(nodes.smallSlots, 0, 0)),
        results_(state_.inPlace() ? nodes.stepped * model::moment::count : 0),
        processors_(processorCount()) {
    markSteppedNodes(nodes, domain);
    if (target_.recordsGraphs() && copies_.size() == 0 && nodes_.size() != 0)
      target_.overlap(Overlap::OpeningNodes);
    chooseShape(domain);
  }
  // Masks by slot; nodes at openings are marked, in masks of their own where a tile had none.
  void markSteppedNodes(const boundary::MomentOpenings& nodes, const domain::Domain& domain) {
    std::vector<std::int32_t> of(domain.tiles);
    for (std::size_t s = 0; s < of.size(); ++s)
      of[s] = domain.neighbourTable[s * model::neighbourStride + model::maskEntry];
    std::vector<std::uint32_t> masks(domain.masks.begin(), domain.masks.end());
    for (std::size_t k = 0; k < nodes.stepped; ++k) {
      const boundary::OpeningNodeLocation& node = nodes.nodes[k];
      if (node.slot >= domain.tiles) continue;
      if (of[node.slot] < 0) {
        of[node.slot] = static_cast<std::int32_t>(masks.size() / 64);
        masks.resize(masks.size() + 64);
      }
      masks[static_cast<std::size_t>(of[node.slot]) * 64 + node.local] |= std::uint32_t{1}
                                                                          << model::separateBit;
    }
    maskOf_ = DeviceArray<std::int32_t>(of);
    masks_ = DeviceArray<std::uint32_t>(masks);
  }
  [[nodiscard]] model::MomentView<Real> view() const {
    return {state_.now(), rows_.data(), masks_.data()};
  }
  [[nodiscard]] boundary::SmallState<Real> small() const {
    return {small_.data(), smallSlots_ / 2};
  }
  [[nodiscard]] std::uint32_t nodeCount() const {
    return static_cast<std::uint32_t>(nodes_.size());
  }
  // Nodes at openings; nodeCount() also counts those of the stencils.
  [[nodiscard]] std::uint32_t steppedNodes() const { return stepped_; }
  // Launches a kernel with a thread for each node at an opening.
  template <class Kernel, class... Arguments>
  void forOpeningNodes(Kernel kernel, StreamHandle stream, const Arguments&... arguments) {
    if (steppedNodes() != 0)
      launchKernel(kernel, {blocks(steppedNodes(), nodeThreads), nodeThreads}, stream,
                   arguments...);
  }

  void rebuildOpenings(StreamHandle stream) {
    const std::uint32_t copies = copyCount();
    if (copies + nodeCount() == 0) return;
    launchKernel(&rebuildOpeningsKernel<Variant>,
                 {blocks(copies + nodeCount(), nodeThreads), nodeThreads}, stream, view(),
                 state_.now(), copies_.data(), copies, nodes_.data(), nodeCount(),
                 stencilOf_.data(), small(), parameters_, openings_.stencilValues());
  }
  // Populations gathered at opening nodes in selected step 0, for sampling.
  void fillOpenings(StreamHandle stream) {
    rebuildOpenings(stream);
    const std::uint32_t links = openings_.linkCount();
    if (!openings_.any()) return;
    const boundary::OpeningValues values =
        openings_.template solve<Variant>(0, small_.data(), parameters_, false, stream);
    if (links == 0) return;
    launchKernel(&fillOpeningsKernel<Variant>, {blocks(links, nodeThreads), nodeThreads}, stream,
                 small_.data(), openings_.links(), links, parameters_, values);
  }

  // Steps a range of blocks of the table.
  template <class S>
  void launch(const PassPart& part, StreamHandle stream) {
    constexpr std::size_t shared = sizeof(Real) * (Lattice::q - 1) * S::nodes;
    const auto kernel =
        forced_ ? &momentKernel<Variant, S, true> : &momentKernel<Variant, S, false>;
    allowSharedMemory(kernel, shared);
    // Two thirds of the blocks that are on the device at a time.
    const auto ahead =
        static_cast<std::uint32_t>(processors_ * blocksPerProcessor<S, Real> * 2 / 3);
    const DeviceMoments<Real> moments{state_.now(),  state_.next(), table_.data(), maskOf_.data(),
                                      masks_.data(), part.first,    blocks_,       ahead};
    launchDependent(kernel, {part.end - part.first, S::nodes, shared}, stream, moments,
                    parameters_);
  }

  void chooseShape(const domain::Domain& domain) {
    double best = 0.0;
    domain::BlockTiles fastest{};
    for (const domain::BlockTiles& shape :
         {domain::BlockTiles{2, 2, 2}, domain::BlockTiles{2, 2, 1}, domain::BlockTiles{2, 1, 1}}) {
      take(domain, shape, false);
      const double seconds = timeSteps();
      if (fastest[0] != 0 && seconds >= best) continue;
      best = seconds;
      fastest = shape;
    }
    take(domain, fastest, target_.ranks() != nullptr);
    state_.clear();
  }
  // exchanges: parts begin with the border.
  void take(const domain::Domain& domain, const domain::BlockTiles& shape, bool exchanges) {
    if (shape_ != shape) {
      const std::vector<std::int32_t> table = domain::blockTable(domain, shape);
      shape_ = shape;
      table_ = DeviceArray<std::int32_t>();
      table_ = DeviceArray<std::int32_t>(table);
      firstSlots_ = domain::firstSlots(table, shape);
      blocks_ = static_cast<std::uint32_t>(firstSlots_.size());
    }
    parts_ = partsOf(domain, exchanges);
  }
  [[nodiscard]] std::vector<PassPart> partsOf(const domain::Domain& domain, bool exchanges) const {
    if (state_.inPlace())
      return windowParts(domain, blocks_, exchanges,
                         [this](std::uint32_t block) { return firstSlots_[block]; });
    if (!exchanges) return {{0, blocks_}};
    const auto border =
        std::lower_bound(firstSlots_.begin(), firstSlots_.end(), domain.borderTiles);
    return haloParts(domain, blocks_, static_cast<std::uint32_t>(border - firstSlots_.begin()));
  }
  double timeSteps() {
    constexpr int steps = 10;
    const DeviceTimer timer;
    stepAllTiles();
    return timer.seconds([&] {
      for (int k = 0; k < steps; ++k) stepAllTiles();
    });
  }
  void stepAllTiles() {
    for (const PassPart& part : parts_) {
      stepTiles(Pass{}, part, target_.begin(part));
      target_.end(part);
    }
  }

  std::uint32_t smallSlots_;
  DeviceArray<std::int32_t> maskOf_;
  DeviceArray<boundary::OpeningNodeLocation> nodes_;
  std::uint32_t stepped_;
  DeviceArray<std::int32_t> stencilOf_;  // MomentOpenings'
  DeviceArray<Real> small_;              // scratch populations of these nodes
  DeviceArray<Real> results_;  // moments of these nodes after the step, of an in-place update
  int processors_;
  domain::BlockTiles shape_{};
  DeviceArray<std::int32_t> table_;  // of blocks of this shape
  std::uint32_t blocks_ = 0;
  std::vector<std::uint32_t> firstSlots_;  // lowest slot of each block
};

template <model::VariantModel Variant>
using GpuMomentsBackend = SchemeBackend<Gpu, GpuMoments<Variant>>;

}  // namespace tessera::solver::backend
