// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA backend of a state of moments: memory, launches, copies back. Blocks of 2x2x2 tiles are
// the fastest shape where most are full; where geometry leaves them emptier smaller ones may win,
// so three are timed on the geometry itself. Each gives the same bits.
#pragma once

#include <algorithm>
#include <cmath>

#include "solver/backend/cuda_beside.cuh"
#include "solver/backend/cuda_copy.cuh"
#include "solver/backend/cuda_halo.cuh"
#include "solver/backend/cuda_look.cuh"
#include "solver/backend/cuda_moments_kernels.cuh"
#include "solver/backend/cuda_moments_nodes.cuh"
#include "solver/backend/cuda_outlets.cuh"
#include "solver/backend/cuda_state.cuh"

namespace tessera {

template <class Variant>
class CudaMomentsBackend final : public Backend {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  template <int x, int y, int z>
  using Shape = BlockShape<x, y, z>;

 public:
  CudaMomentsBackend(Domain domain, const Relaxation& relaxation)
      : openings_(takeOpenings(domain.links, domain.copies, Lattice::q)),
        tiles_(domain.tiles),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(stepParameters<Variant>(relaxation)),
        rows_(domain.rows),
        masks_(domain.masks),
        maskOf_(masksBySlot(domain)),
        links_(domain.links),
        nodes_(openings_.nodes),
        copies_(openings_.copies),
        others_(deviceRanks(*domain.ranks)),
        outlets_(domain, others_.get()),
        small_(populationIndex<Lattice>(openings_.smallSlots, 0, 0)),
        results_(openings_.nodes.size() * moment::count),
        state_(domain, momentIndex(1, 0, 0)),
        borderTiles_(domain.borderTiles),
        sampledLinks_(static_cast<std::uint32_t>(domain.sampledLinks)),
        halo_(domain.halo, others_.get()),
        look_(domain.tiles, domain.sampledLinks),
        together_(!state_.oneCopy() && halo_.alone()),
        beside_(momentsWinBeside<Real> && together_.repeats() && copies_.size() == 0 &&
                nodes_.size() != 0) {
    chooseShape(domain);
  }

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    const bool driven = links_.size() != 0 || outlets_.coupled();
    if (driven) outlets_.load(coefficients, stream());
    together_.go(
        steps, false, [this] { return state_.now(); },
        [&](std::uint64_t first, std::uint64_t count) {
          if (driven) outlets_.begin(first, count, stream());
        },
        [this](std::uint64_t count) { launchSteps(count); });
    halo_.letWaitForWhole();
  }
  void finish() override { checkCuda(cudaDeviceSynchronize(), "step"); }

  void beginLook(std::span<const double> coefficients) override {
    look_.begin(
        stream(), outlets_.reference(),
        [this](cudaStream_t beside) {
          sampleMomentsKernel<Variant><<<look_.blocks(), nodeThreads, 0, beside>>>(
              view(), parameters_, tiles_, look_.tilesOfBlock(), look_.partial());
        },
        [&] { sampleLinks(coefficients); });
  }
  Look endLook() override { return look_.end(); }

  OutletReport outlets() override { return outlets_.report(); }
  void setOutlets(const std::vector<OutletState>& states) override { outlets_.set(states); }

  void observeTiles(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count,
                    std::vector<float>& values) override {
    observe(coefficients, first, count);
    observed_.download(values, static_cast<std::uint64_t>(count) * observedValues * 64);
  }
  const float* observeAll(std::span<const double> coefficients) override {
    observe(coefficients, 0, tiles_);
    return observed_.data();
  }

  std::vector<double> state(std::uint32_t first, std::uint32_t count) override {
    return state_.values(first, count);
  }
  void setState(std::span<const double> values, std::uint32_t first) override {
    state_.set(values, first);
  }
  void setNoise() override { state_.setNoise(); }
  std::span<const std::byte> savedState() override { return state_.save(tiles_, saved_); }
  void restoreState(std::span<const std::byte> saved) override { state_.restore(saved); }
  void takeHalo() override { halo_.exchange(state_.now()); }
  // Walls halfway along their links remember nothing.
  std::vector<double> wallMemory() override { return {}; }
  void setWallMemory(std::span<const double>) override {}
  double copyBandwidth() override { return cudaCopyBandwidth(); }

 private:
  static unsigned blocks(std::uint32_t items, std::uint32_t perBlock) {
    return (items + perBlock - 1) / perBlock;
  }
  static std::vector<std::int32_t> masksBySlot(const Domain& domain) {
    std::vector<std::int32_t> of(domain.tiles);
    for (std::size_t s = 0; s < of.size(); ++s) of[s] = domain.rows[s * rowLength + maskColumn];
    return of;
  }
  [[nodiscard]] MomentView<Real> view() const {
    return {state_.now(), rows_.data(), masks_.data()};
  }
  [[nodiscard]] SmallState<Real> small() const { return {small_.data(), openings_.smallSlots / 2}; }
  [[nodiscard]] cudaStream_t stream() const { return together_.stream(); }
  void launchSteps(std::uint64_t count) {
    if (beside_) return launchBeside(count);
    const bool whole = nodes_.size() + links_.size() + copies_.size() != 0 || outlets_.coupled();
    for (std::uint64_t k = 0; k < count; ++k) {
      if (whole) halo_.letWaitForWhole();
      fillOpenings(k, true, stream());
      stepOpenings(stream());
      stepAll();
      state_.advance();
    }
  }
  // Nodes at openings are stepped while the tiles are; only when both have ended they are put in
  // place.
  void launchBeside(std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) {
      side_.markMain(stream());
      side_.waitForMain();
      fillOpenings(k, true, side_.get());
      stepOpenings(side_.get());
      side_.mark();
      step();
      side_.letWait(stream());
      putOpenings(0, tiles_, stream());
      state_.advance();
    }
  }
  void sampleLinks(std::span<const double> coefficients) {
    if (sampledLinks_ == 0 && !outlets_.coupled()) return;
    outlets_.load(coefficients, stream());
    outlets_.begin(0, 1, stream());
    rebuildOpenings(stream());
    const OpeningValues values = openingValues(0, false, stream());
    if (sampledLinks_ == 0) return;
    sampleSmallKernel<Variant><<<blocks(sampledLinks_, nodeThreads), nodeThreads, 0, stream()>>>(
        small_.data(), links_.data(), sampledLinks_, parameters_, values, look_.links());
    checkCuda(cudaGetLastError(), "sampling of openings");
  }
  OpeningValues openingValues(std::uint64_t k, bool commit, cudaStream_t stream) {
    return outlets_.template solve<Variant>(k, small_.data(), links_.data(), parameters_, commit,
                                            stream);
  }
  void rebuildOpenings(cudaStream_t stream) {
    const auto copies = static_cast<std::uint32_t>(copies_.size());
    const auto nodes = static_cast<std::uint32_t>(nodes_.size());
    if (copies + nodes == 0) return;
    rebuildOpeningsKernel<Lattice, Real>
        <<<blocks(copies + nodes, nodeThreads), nodeThreads, 0, stream>>>(
            view(), state_.now(), copies_.data(), copies, nodes_.data(), nodes, small());
    checkCuda(cudaGetLastError(), "openings");
  }
  // Of step k of those begun. commit: the step follows.
  void fillOpenings(std::uint64_t k, bool commit, cudaStream_t stream) {
    rebuildOpenings(stream);
    const auto links = static_cast<std::uint32_t>(links_.size());
    if (links == 0 && !outlets_.coupled()) return;
    const OpeningValues values = openingValues(k, commit, stream);
    if (links == 0) return;
    fillOpeningsKernel<Variant><<<blocks(links, nodeThreads), nodeThreads, 0, stream>>>(
        small_.data(), links_.data(), links, parameters_, values);
    checkCuda(cudaGetLastError(), "openings");
  }
  void stepOpenings(cudaStream_t stream) {
    const auto nodes = static_cast<std::uint32_t>(nodes_.size());
    if (nodes == 0) return;
    const auto kernel =
        forced_ ? &stepOpeningsKernel<Variant, true> : &stepOpeningsKernel<Variant, false>;
    kernel<<<blocks(nodes, nodeThreads), nodeThreads, 0, stream>>>(
        view(), nodes_.data(), nodes, small(), parameters_, results_.data());
    checkCuda(cudaGetLastError(), "openings");
  }
  // Of tiles first .. end - 1, which have been stepped.
  void putOpenings(std::uint32_t first, std::uint32_t end, cudaStream_t stream) {
    const auto nodes = static_cast<std::uint32_t>(nodes_.size());
    if (nodes == 0) return;
    putOpeningsKernel<Real><<<blocks(nodes, nodeThreads), nodeThreads, 0, stream>>>(
        results_.data(), nodes_.data(), nodes, first, end, state_.next());
    checkCuda(cudaGetLastError(), "openings");
  }

  // Into observed_, from its start on.
  void observe(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count) {
    outlets_.load(coefficients, stream());
    outlets_.begin(0, 1, stream());
    fillOpenings(0, false, stream());
    const std::uint64_t size = static_cast<std::uint64_t>(count) * observedValues * 64;
    if (observed_.size() < size) observed_ = DeviceArray<float>(size);
    observeMomentsKernel<Variant><<<blocks(count, nodeThreads / 64), nodeThreads, 0, stream()>>>(
        view(), parameters_, first, count, observed_.data());
    const auto nodes = static_cast<std::uint32_t>(nodes_.size());
    if (nodes != 0)
      observeOpeningsKernel<Variant><<<blocks(nodes, nodeThreads), nodeThreads, 0, stream()>>>(
          view(), nodes_.data(), nodes, small(), parameters_, first, count, observed_.data());
    checkCuda(cudaGetLastError(), "field output");
  }

  // Blocks first .. first + count - 1 of the table.
  template <class S>
  void launch(std::uint32_t first, std::uint32_t count, cudaStream_t stream) {
    constexpr std::size_t shared = sizeof(Real) * (Lattice::q - 1) * S::nodes;
    const auto kernel =
        forced_ ? &momentKernel<Variant, S, true> : &momentKernel<Variant, S, false>;
    checkCuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared)),
              "shared memory");
    // Two thirds of the blocks that are on the device at a time.
    const auto ahead =
        static_cast<std::uint32_t>(processors_ * blocksPerProcessor<S, Real> * 2 / 3);
    const DeviceMoments<Real> domain{state_.now(),
                                     state_.next(),
                                     table_.data(),
                                     maskOf_.data(),
                                     masks_.data(),
                                     first,
                                     static_cast<std::uint32_t>(blockSlots_.size()),
                                     ahead};
    launchInTurn(kernel, {count, S::nodes, shared}, stream, domain, parameters_);
  }
  void launchBlocks(std::uint32_t first, std::uint32_t count, cudaStream_t stream) {
    if (count == 0) return;
    if (shape_ == BlockTiles{2, 2, 2})
      launch<Shape<2, 2, 2>>(first, count, stream);
    else if (shape_ == BlockTiles{2, 2, 1})
      launch<Shape<2, 2, 1>>(first, count, stream);
    else
      launch<Shape<2, 1, 1>>(first, count, stream);
  }
  // launched: CudaState::forChunks.
  template <class Launched>
  void step(const Launched& launched) {
    state_.forChunks(
        blockSlots_, stream(),
        [this](std::uint32_t first, std::uint32_t count, cudaStream_t stream) {
          launchBlocks(first, count, stream);
        },
        launched);
  }
  void step() {
    step([](std::uint32_t) {});
  }

  void stepAll() {
    if (halo_.alone()) {
      step();
      return putOpenings(0, tiles_, stream());
    }
    const auto putBorder = [this](cudaStream_t border) { putOpenings(0, borderTiles_, border); };
    if (state_.oneCopy())
      halo_.stepOneCopy(
          state_, borderTiles_, [this](const auto& launched) { step(launched); }, putBorder);
    else
      stepBorderBlocks(putBorder);
    putOpenings(borderTiles_, tiles_, stream());
  }
  template <class PutBorder>
  void stepBorderBlocks(const PutBorder& putBorder) {
    const auto all = static_cast<std::uint32_t>(blockSlots_.size());
    const auto border = static_cast<std::uint32_t>(
        std::lower_bound(blockSlots_.begin(), blockSlots_.end(), borderTiles_) -
        blockSlots_.begin());
    halo_.stepAtOnce(
        state_,
        [&](cudaStream_t stream) {
          launchBlocks(0, border, stream);
          putBorder(stream);
        },
        [&] { launchBlocks(border, all - border, stream()); });
  }
  void chooseShape(const Domain& domain) {
    int device = 0;
    checkCuda(cudaGetDevice(&device), "device query");
    checkCuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device),
              "device query");
    double best = 0.0;
    BlockTiles fastest{};
    for (const BlockTiles& shape :
         {BlockTiles{2, 2, 2}, BlockTiles{2, 2, 1}, BlockTiles{2, 1, 1}}) {
      take(domain, shape);
      const double seconds = timeSteps();
      if (fastest[0] != 0 && seconds >= best) continue;
      best = seconds;
      fastest = shape;
    }
    if (shape_ != fastest) take(domain, fastest);
    state_.clear();
  }
  void take(const Domain& domain, const BlockTiles& shape) {
    const std::vector<std::int32_t> table = blockTable(domain, shape);
    shape_ = shape;
    table_ = DeviceArray<std::int32_t>();
    table_ = DeviceArray<std::int32_t>(table);
    blockSlots_ = firstSlots(table, shape);
  }
  double timeSteps() {
    constexpr int steps = 10;
    const DeviceTimer timer;
    step();
    return timer.seconds([&] {
      for (int k = 0; k < steps; ++k) step();
    });
  }

  MomentOpenings openings_;
  std::uint32_t tiles_;
  bool forced_;
  StepParameters<Real> parameters_;
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::uint32_t> masks_;
  DeviceArray<std::int32_t> maskOf_;
  DeviceArray<IncomingLink> links_;
  DeviceArray<OpeningNodePlace> nodes_;
  DeviceArray<NodeCopy> copies_;
  std::unique_ptr<DeviceRanks> others_;  // null: none
  CudaOutlets outlets_;
  DeviceArray<Real> small_;
  DeviceArray<Real> results_;
  CudaState<Real> state_;
  std::uint32_t borderTiles_;
  std::uint32_t sampledLinks_;
  CudaHalo<Real, moment::count> halo_;
  CudaLook look_;
  StepsTogether together_;
  SideStream side_;
  bool beside_;  // openings in side_
  HostCopy saved_;
  DeviceArray<float> observed_;
  BlockTiles shape_{};
  DeviceArray<std::int32_t> table_;        // of blocks of this shape
  std::vector<std::uint32_t> blockSlots_;  // the first of each block's own
  int processors_ = 0;
  AbortedFirst abortedFirst_{others_.get()};
};

}  // namespace tessera
