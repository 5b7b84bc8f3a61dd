// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA backend of one variant: memory, launches, copies back.
#pragma once

#include <algorithm>
#include <cmath>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_copy.cuh"
#include "solver/backend/cuda_kernels.cuh"
#include "solver/backend/cuda_memory.cuh"
#include "solver/backend/cuda_outlets.cuh"
#include "solver/backend/cuda_pairs.cuh"
#include "solver/backend/cuda_state.cuh"
#include "solver/backend/cuda_walls.cuh"

namespace tessera {

template <class Variant>
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
        outlets_(domain),
        walls_(domain.walls),
        coefficientsOfStep_(domain.coefficients),
        rampCoefficient_(domain.rampCoefficient),
        state_(domain, populationIndex<Lattice>(1, 0, 0)) {}

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    outlets_.load(coefficients);
    for (std::uint64_t k = 0; k < steps; ++k) {
      fillGhosts(k, true);
      walls_.apply(state_.now(), rampOf(coefficients, k));
      state_.forChunks([this](std::uint32_t first, std::uint32_t count, cudaStream_t stream) {
        step(first, count, stream);
      });
      state_.advance();
    }
  }
  void finish() override { checkCuda(cudaDeviceSynchronize(), "step"); }

  void sampleLinks(std::span<const double> coefficients,
                   std::vector<LinkSample>& samples) override {
    const auto count = static_cast<std::uint32_t>(links_.size());
    samples.clear();
    if (count == 0) return;
    if (linkSamples_.size() == 0) linkSamples_ = DeviceArray<LinkSample>(count);
    outlets_.load(coefficients);
    const OpeningValues values = openingValues(0, false);
    sampleLinksKernel<Variant><<<blocks(count, blockThreads), blockThreads>>>(
        state_.now(), links_.data(), count, parameters_, values, linkSamples_.data());
    checkCuda(cudaGetLastError(), "sampling of openings");
    linkSamples_.download(samples, count);
  }

  OutletReport outlets() override { return outlets_.report(); }
  void setOutlets(const std::vector<OutletState>& states) override { outlets_.set(states); }

  GlobalSample sampleNodes() override {
    const unsigned count = blocks(tiles_, sampledTiles);
    if (partial_.size() == 0) partial_ = DeviceArray<GlobalSample>(count);
    sampleNodesKernel<Variant><<<count, blockThreads>>>(view(), parameters_, partial_.data());
    checkCuda(cudaGetLastError(), "sampling of nodes");
    std::vector<GlobalSample> host;
    partial_.download(host, count);
    GlobalSample total;
    for (const GlobalSample& sample : host) addSample(sample, total);
    total.speedMax = std::sqrt(total.speedMax);
    return total;
  }

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
  std::vector<double> wallMemory() override { return walls_.memory(); }
  void setWallMemory(std::span<const double> memory) override { walls_.setMemory(memory); }

  double copyBandwidth() override { return cudaCopyBandwidth(); }

 private:
  static unsigned blocks(std::uint32_t items, std::uint32_t perBlock) {
    return (items + perBlock - 1) / perBlock;
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
    const auto parameters = inUnitsOfStorage<Variant>(parameters_);
    if constexpr (byPairs<Variant>) {
      const auto kernel =
          forced_ ? &stepPairsKernel<Variant, true> : &stepPairsKernel<Variant, false>;
      kernel<<<blocks(count, blockThreads / 32), blockThreads, 0, stream>>>(
          view(first, first + count), parameters);
    } else {
      withAxes([&](auto axes) {
        using Axes = decltype(axes);
        const auto kernel =
            forced_ ? &stepKernel<Variant, true, Axes> : &stepKernel<Variant, false, Axes>;
        kernel<<<blocks(count, tilesPerBlock), blockThreads, 0, stream>>>(
            view(first, first + count), parameters);
      });
    }
    checkCuda(cudaGetLastError(), "step");
  }
  // Of step k of these; 1 where nothing is driven.
  [[nodiscard]] Real rampOf(std::span<const double> coefficients, std::uint64_t k) const {
    return coefficients.empty() ? Real(1)
                                : Real(coefficients[k * coefficientsOfStep_ + rampCoefficient_]);
  }
  // Into observed_, from its start on.
  void observe(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count) {
    outlets_.load(coefficients);
    fillGhosts(0, false);
    walls_.show(state_.now(), rampOf(coefficients, 0));
    const std::uint64_t size = static_cast<std::uint64_t>(count) * observedValues * 64;
    if (observed_.size() < size) observed_ = DeviceArray<float>(size);
    withAxes([&](auto axes) {
      observeKernel<Variant, decltype(axes)><<<blocks(count, tilesPerBlock), blockThreads>>>(
          view(), inUnitsOfStorage<Variant>(parameters_), first, count, observed_.data());
    });
    checkCuda(cudaGetLastError(), "field output");
    walls_.restore(state_.now());
  }
  OpeningValues openingValues(std::uint64_t k, bool commit) {
    return outlets_.template solve<Variant>(k, state_.now(), links_.data(), parameters_, commit);
  }
  // Of step k of those whose coefficients were loaded. commit: the step follows.
  void fillGhosts(std::uint64_t k, bool commit) {
    const auto copies = static_cast<std::uint32_t>(copies_.size());
    const auto links = static_cast<std::uint32_t>(links_.size());
    if (copies + links == 0) return;
    const OpeningValues values = openingValues(k, commit);
    ghostKernel<Variant><<<blocks(copies + links, blockThreads), blockThreads>>>(
        state_.now(), copies_.data(), copies, links_.data(), links, parameters_, values);
    checkCuda(cudaGetLastError(), "openings");
  }

  std::uint32_t tiles_;
  bool forced_;
  StepParameters<Real> parameters_;
  std::array<int, 3> rowAxes_;
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::uint32_t> masks_;
  DeviceArray<IncomingLink> links_;
  DeviceArray<PopulationCopy> copies_;
  CudaOutlets outlets_;
  CudaWalls<Variant> walls_;
  std::uint32_t coefficientsOfStep_;
  std::uint32_t rampCoefficient_;
  CudaState<Storage> state_;
  DeviceArray<float> observed_;
  DeviceArray<LinkSample> linkSamples_;
  DeviceArray<GlobalSample> partial_;
  HostCopy saved_;
};

}  // namespace tessera
