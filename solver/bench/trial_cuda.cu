// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA step of variants without collision, and a kernel that only reads and writes in place:
// two nodes per thread, one team of lanes per tile, so every load and store covers whole sectors in
// all precisions. It reads neighbour table and masks as the step does and skips pairs of solid
// nodes. Bytes per node: 38 values, 2 of the neighbour table, 4 of the mask in wall tiles; no
// flops.
#include <type_traits>

#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/pairs.cuh"
#include "solver/backend/gpu/populations_kernels.cuh"
#include "solver/bench/layout_types.hpp"
#include "solver/bench/trial_types.hpp"

namespace tessera::solver::bench {

using backend::blockThreads;
using model::D3Q19;
using model::F64;

namespace {

template <class Storage>
struct alignas(2 * sizeof(Storage)) TwoNodes {
  Storage value[2];
};

template <class Storage>
__global__ void TESSERA_LAUNCH_BOUNDS(blockThreads, sizeof(Storage) == 8 ? 5 : 8)
    readWriteKernel(const backend::DeviceDomain<Storage> domain) {
  const std::uint32_t slot =
      blockIdx.x * (blockThreads / backend::teamLanes) + threadIdx.x / backend::teamLanes;
  if (slot >= domain.tiles) return;
  const unsigned lane = threadIdx.x & (backend::teamLanes - 1U);
  const std::int32_t row =
      domain.neighbourTable[static_cast<std::uint64_t>(slot) * model::neighbourStride + lane];
  const std::int32_t maskIndex = backend::fromLane(row, model::maskEntry);
  if (maskIndex >= 0) {
    const std::uint32_t* masks =
        domain.masks + static_cast<std::uint64_t>(maskIndex) * 64U + 2U * lane;
    if ((masks[0] & masks[1] & 1U << model::solidBit) != 0) return;
  }
  using Two = TwoNodes<Storage>;
  const std::uint64_t first =
      model::populationIndex<D3Q19>(slot, 0, static_cast<int>(2U * lane)) / 2;
  const Two* from = reinterpret_cast<const Two*>(domain.now) + first;
  Two* to = reinterpret_cast<Two*>(domain.next) + first;
  Two f[D3Q19::q];
  model::forEach<D3Q19::q>([&](auto i) { f[i] = from[32 * i]; });
  model::forEach<D3Q19::q>([&](auto i) { to[32 * i] = f[i]; });
}

template <class Variant>
class CudaTrial final : public TrialState {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;

 public:
  explicit CudaTrial(const tiles::TileOrder& order)
      : tiles_(order.tiles),
        parameters_(model::stepParameters<Variant>({})),
        now_(model::populationIndex<Lattice>(order.tiles, 0, 0)),
        next_(model::populationIndex<Lattice>(order.tiles, 0, 0)),
        rows_(order.neighbourTable),
        masks_(order.masks) {}

  void advance(std::uint64_t steps) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      const backend::DeviceDomain<Storage> domain{now_.data(), next_.data(), rows_.data(),
                                                  masks_.data(), tiles_};
      launch(domain);
      now_.swap(next_);
    }
  }
  void finish() override { backend::finishGpu("trial"); }
  void set(std::span<const double> populations) override {
    now_.upload(laidOut<Variant>(populations, tiles_));
  }
  std::vector<double> get() override {
    std::vector<Storage> host;
    now_.download(host, now_.size());
    return inXyz<Variant>(host, tiles_);
  }
  void setNoise() override { backend::fillWithNoise(now_.data(), now_.size()); }
  double copyBandwidth() override { return backend::deviceCopyBandwidth(); }

 private:
  void launch(const backend::DeviceDomain<Storage>& domain) const {
    const auto blocks = [this](unsigned tiles) { return (tiles_ + tiles - 1) / tiles; };
    if constexpr (std::is_same_v<Lattice, D3Q19InPlace>)
      backend::launchKernel(&readWriteKernel<Storage>,
                            {blocks(blockThreads / backend::teamLanes), blockThreads},
                            backend::defaultStream, domain);
    else if constexpr (backend::byPairs<Variant>)
      backend::launchKernel(&backend::stepPairsKernel<Variant, false>,
                            {blocks(blockThreads / backend::teamLanes), blockThreads},
                            backend::defaultStream, domain, parameters_);
    else
      backend::launchKernel(&backend::stepKernel<Variant, false, model::AlignedTiling>,
                            {blocks(backend::tilesPerBlock), blockThreads}, backend::defaultStream,
                            domain, parameters_);
  }

  std::uint32_t tiles_;
  model::StepParameters<typename Variant::Real> parameters_;
  backend::DeviceArray<Storage> now_;
  backend::DeviceArray<Storage> next_;
  backend::DeviceArray<std::int32_t> rows_;
  backend::DeviceArray<std::uint32_t> masks_;
};

}  // namespace

template <class Lattice, class Precision>
std::unique_ptr<TrialState> makeCudaTrial(const tiles::TileOrder& order) {
  return std::make_unique<CudaTrial<TrialVariant<Lattice, Precision>>>(order);
}

#define TESSERA_TRIAL(L, P) \
  template std::unique_ptr<TrialState> makeCudaTrial<L, P>(const tiles::TileOrder&);
TESSERA_TRIAL(D3Q19InPlace, F64)
TESSERA_TRIAL(D3Q19InPlace, model::F32)
TESSERA_TRIAL(D3Q19InPlace, model::F16)
TESSERA_TRIAL(D3Q19, F64)
TESSERA_TRIAL(D3Q19, model::F32)
TESSERA_TRIAL(D3Q19, model::F16)
TESSERA_TRIAL(D3Q19ZigzagLayout, F64)
TESSERA_TRIAL(D3Q19YxzLayout, F64)
TESSERA_TRIAL(D3Q19PaperLayouts, F64)
TESSERA_TRIAL(D3Q19PaperLayouts, model::F32)
#undef TESSERA_TRIAL

}  // namespace tessera::solver::bench
