// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA backend of one variant: memory, launches, copies back.
#pragma once

#include <algorithm>
#include <cmath>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_beside.cuh"
#include "solver/backend/cuda_copy.cuh"
#include "solver/backend/cuda_graphs.cuh"
#include "solver/backend/cuda_halo.cuh"
#include "solver/backend/cuda_kernels.cuh"
#include "solver/backend/cuda_look.cuh"
#include "solver/backend/cuda_memory.cuh"
#include "solver/backend/cuda_outlets.cuh"
#include "solver/backend/cuda_pairs.cuh"
#include "solver/backend/cuda_state.cuh"
#include "solver/backend/cuda_walls.cuh"

namespace tessera {

template <VariantModel Variant>
class CudaBackend final : public Backend {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;

 public:
  CudaBackend(const Domain& domain, const Relaxation& relaxation)
      : tiles_(domain.tiles),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(stepParameters<Variant>(relaxation)),
        rowAxes_(domain.rowAxes),
        rows_(domain.rows),
        masks_(domain.masks),
        links_(domain.links),
        copies_(domain.copies),
        others_(deviceRanks(*domain.ranks)),
        outlets_(domain, others_.get()),
        walls_(domain.walls),
        rampCoefficient_(domain.rampCoefficient),
        state_(domain, populationIndex<Lattice>(1, 0, 0)),
        borderTiles_(domain.borderTiles),
        sampledLinks_(static_cast<std::uint32_t>(domain.sampledLinks)),
        halo_(domain.halo, others_.get()),
        together_(!state_.oneCopy() && halo_.alone()),
        look_(domain.tiles, domain.sampledLinks) {
    const bool beside = together_.repeats() && copies_.size() == 0 && !walls_.any() &&
                        populationsWinBeside<Storage>(tiles_);
    if (beside) firstOpen_ = firstOpenTile(domain, populationIndex<Lattice>(1, 0, 0));
  }

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    if (driven()) outlets_.load(coefficients, stream());
    together_.go(
        steps, walls_.fresh(), [this] { return state_.now(); },
        [this](std::uint64_t first, std::uint64_t count) {
          if (driven()) outlets_.begin(first, count, stream());
        },
        [this](std::uint64_t count) { launchSteps(count); });
    halo_.letWaitForWhole();
  }
  void finish() override { checkCuda(cudaDeviceSynchronize(), "step"); }

  void beginLook(std::span<const double> coefficients) override {
    look_.begin(
        stream(), outlets_.reference(),
        [this](cudaStream_t beside) {
          sampleNodesKernel<Variant><<<look_.blocks(), blockThreads, 0, beside>>>(
              view(), parameters_, look_.tilesOfBlock(), look_.partial());
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
  void setState(std::span<const double> populations, std::uint32_t first) override {
    state_.set(populations, first);
    walls_.setMemory({});
  }
  void setNoise() override {
    state_.setNoise();
    walls_.setMemory({});
  }
  std::span<const std::byte> savedState() override { return state_.save(tiles_, saved_); }
  void restoreState(std::span<const std::byte> saved) override {
    state_.restore(saved);
    walls_.setMemory({});
  }
  void takeHalo() override { halo_.exchange(state_.now()); }
  std::vector<double> wallMemory() override { return walls_.memory(); }
  void setWallMemory(std::span<const double> memory) override { walls_.setMemory(memory); }

  double copyBandwidth() override { return cudaCopyBandwidth(); }

 private:
  static unsigned blocks(std::uint32_t items, std::uint32_t perBlock) {
    return (items + perBlock - 1) / perBlock;
  }
  void sampleLinks(std::span<const double> coefficients) {
    if (sampledLinks_ == 0 && !outlets_.coupled()) return;
    outlets_.load(coefficients, stream());
    outlets_.begin(0, 1, stream());
    const OpeningValues values = openingValues(0, false, stream());
    if (sampledLinks_ == 0) return;
    sampleLinksKernel<Variant><<<blocks(sampledLinks_, blockThreads), blockThreads, 0, stream()>>>(
        state_.now(), links_.data(), sampledLinks_, parameters_, values, look_.links());
    checkCuda(cudaGetLastError(), "sampling of openings");
  }
  // Whether a step has anything that changes with time.
  [[nodiscard]] bool driven() const {
    return links_.size() != 0 || walls_.any() || outlets_.coupled();
  }
  [[nodiscard]] cudaStream_t stream() const { return together_.stream(); }
  void launchSteps(std::uint64_t count) {
    if (firstOpen_ < tiles_) return launchBeside(count);
    const bool whole = driven() || copies_.size() != 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      if (whole) halo_.letWaitForWhole();
      fillGhosts(k, true, stream());
      walls_.apply(state_.now(), rampOf(k), stream());
      stepAll();
      state_.advance();
    }
  }
  void stepAll() {
    const auto inChunks = [this](const auto& launched) {
      state_.forChunks(
          stream(),
          [this](std::uint32_t first, std::uint32_t tiles, cudaStream_t stream) {
            step(first, tiles, stream);
          },
          launched);
    };
    if (halo_.alone())
      inChunks([](std::uint32_t) {});
    else if (state_.oneCopy())
      halo_.stepOneCopy(state_, borderTiles_, inChunks, [](cudaStream_t) {});
    else
      stepBorder();
  }
  void stepBorder() {
    halo_.stepAtOnce(
        state_, [this](cudaStream_t stream) { step(0, borderTiles_, stream); },
        [this] { step(borderTiles_, tiles_ - borderTiles_, stream()); });
  }
  // Steps of which tiles firstOpen_ .. tiles_ - 1, and what comes in there, are launched beside the
  // rest. Both parts of a step read what both of the one before wrote.
  void launchBeside(std::uint64_t count) {
    side_.markMain(stream());
    side_.waitForMain();
    for (std::uint64_t k = 0; k < count; ++k) {
      fillGhosts(k, true, side_.get());
      if (k > 0) {
        side_.waitForMain();
        side_.letWait(stream());
      }
      step(0, firstOpen_, stream());
      side_.markMain(stream());
      step(firstOpen_, tiles_ - firstOpen_, side_.get());
      side_.mark();
      state_.advance();
    }
    side_.letWait(stream());
  }
  [[nodiscard]] DeviceDomain<Storage> view() const { return view(0, tiles_); }
  [[nodiscard]] DeviceDomain<Storage> view(std::uint32_t first, std::uint32_t end) const {
    return {state_.now(), state_.next(), rows_.data(), masks_.data(), end, first};
  }
  // Calls function with what DeviceNode takes as Axes.
  template <class Function>
  void withAxes(const Function& function) const {
    if constexpr (Variant::Placement::inRows)
      withRowAxes(rowAxes_, function);
    else
      function(OneMesh{});
  }
  // Tiles first .. first + count - 1.
  void step(std::uint32_t first, std::uint32_t count, cudaStream_t stream) {
    if (count == 0) return;
    const auto parameters = inUnitsOfStorage<Variant>(parameters_);
    if constexpr (byPairs<Variant>) {
      const auto kernel =
          forced_ ? &stepPairsKernel<Variant, true> : &stepPairsKernel<Variant, false>;
      launchInTurn(kernel, {blocks(count, blockThreads / 32), blockThreads}, stream,
                   view(first, first + count), parameters);
    } else {
      withAxes([&](auto axes) {
        using Axes = decltype(axes);
        const auto kernel =
            forced_ ? &stepKernel<Variant, true, Axes> : &stepKernel<Variant, false, Axes>;
        launchInTurn(kernel, {blocks(count, tilesPerBlock), blockThreads}, stream,
                     view(first, first + count), parameters);
      });
    }
  }
  // Of step k of those begun, in device memory; null where nothing is driven.
  [[nodiscard]] const double* rampOf(std::uint64_t k) const {
    const double* coefficients = outlets_.ofStep(k);
    return coefficients == nullptr ? nullptr : coefficients + rampCoefficient_;
  }
  // Into observed_, from its start on.
  void observe(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count) {
    outlets_.load(coefficients, stream());
    outlets_.begin(0, 1, stream());
    fillGhosts(0, false, stream());
    walls_.show(state_.now(), rampOf(0), stream());
    const std::uint64_t size = static_cast<std::uint64_t>(count) * observedValues * 64;
    if (observed_.size() < size) observed_ = DeviceArray<float>(size);
    withAxes([&](auto axes) {
      observeKernel<Variant, decltype(axes)>
          <<<blocks(count, tilesPerBlock), blockThreads, 0, stream()>>>(
              view(), inUnitsOfStorage<Variant>(parameters_), first, count, observed_.data());
    });
    checkCuda(cudaGetLastError(), "field output");
    walls_.restore(state_.now(), stream());
  }
  OpeningValues openingValues(std::uint64_t k, bool commit, cudaStream_t stream) {
    return outlets_.template solve<Variant>(k, state_.now(), links_.data(), parameters_, commit,
                                            stream);
  }
  // Of step k of those begun. commit: the step follows.
  void fillGhosts(std::uint64_t k, bool commit, cudaStream_t stream) {
    const auto copies = static_cast<std::uint32_t>(copies_.size());
    const auto links = static_cast<std::uint32_t>(links_.size());
    if (copies + links == 0 && !outlets_.coupled()) return;
    const OpeningValues values = openingValues(k, commit, stream);
    if (copies + links == 0) return;
    launchInTurn(&ghostKernel<Variant>, {blocks(copies + links, blockThreads), blockThreads},
                 stream, state_.now(), copies_.data(), copies, links_.data(), links, parameters_,
                 values);
  }

  std::uint32_t tiles_;
  bool forced_;
  StepParameters<Real> parameters_;
  std::array<int, 3> rowAxes_;
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::uint32_t> masks_;
  DeviceArray<IncomingLink> links_;
  DeviceArray<PopulationCopy> copies_;
  std::unique_ptr<DeviceRanks> others_;  // null: none
  CudaOutlets outlets_;
  CudaWalls<Variant> walls_;
  std::uint32_t rampCoefficient_;
  CudaState<Storage> state_;
  std::uint32_t borderTiles_;
  std::uint32_t sampledLinks_;
  CudaHalo<Storage> halo_;
  StepsTogether together_;
  SideStream side_;
  std::uint32_t firstOpen_ = tiles_;  // from here on tiles are stepped in side_
  DeviceArray<float> observed_;
  CudaLook look_;
  HostCopy saved_;
  AbortedFirst abortedFirst_{others_.get()};
};

}  // namespace tessera
