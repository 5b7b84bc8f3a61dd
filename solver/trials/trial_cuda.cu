// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped CUDA step of variants that do not collide.
#include "solver/trials/trial_cuda.hpp"

#include "solver/backend/cuda_copy.cuh"
#include "solver/backend/cuda_kernels.cuh"
#include "solver/layouts/layout_types.hpp"
#include "solver/noise.hpp"

namespace tessera {

namespace {

template <class Storage>
__global__ void noiseKernel(Storage* state, std::uint64_t count) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) state[k] = Storage(noiseAt(k));
}

template <class Variant>
class CudaTrial final : public TrialState {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;

 public:
  explicit CudaTrial(const TileOrder& order)
      : tiles_(order.tiles),
        parameters_(stepParameters<Variant>({})),
        now_(populationIndex<Lattice>(order.tiles, 0, 0)),
        next_(populationIndex<Lattice>(order.tiles, 0, 0)),
        rows_(order.rows),
        masks_(order.masks) {}

  void advance(std::uint64_t steps) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      const DeviceDomain<Storage> domain{now_.data(), next_.data(), rows_.data(), masks_.data(),
                                         tiles_};
      stepKernel<Variant, false, OneMesh>
          <<<(tiles_ + tilesPerBlock - 1) / tilesPerBlock, blockThreads>>>(domain, parameters_);
      now_.swap(next_);
    }
    checkCuda(cudaGetLastError(), "trial");
  }
  void finish() override { checkCuda(cudaDeviceSynchronize(), "trial"); }
  void set(std::span<const double> populations) override {
    now_.upload(laidOut<Variant>(populations, tiles_));
  }
  std::vector<double> get() override {
    std::vector<Storage> host;
    now_.download(host, now_.size());
    return inXyz<Variant>(host, tiles_);
  }
  void setNoise() override {
    noiseKernel<<<static_cast<unsigned>((now_.size() + 255) / 256), 256>>>(now_.data(),
                                                                           now_.size());
    checkCuda(cudaGetLastError(), "noise");
  }
  double copyBandwidth() override { return cudaCopyBandwidth(); }

 private:
  std::uint32_t tiles_;
  StepParameters<typename Variant::Real> parameters_;
  DeviceArray<Storage> now_;
  DeviceArray<Storage> next_;
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::uint32_t> masks_;
};

}  // namespace

template <class Lattice, class Precision>
std::unique_ptr<TrialState> makeCudaTrial(const TileOrder& order) {
  return std::make_unique<CudaTrial<TrialVariant<Lattice, Precision>>>(order);
}

#define TESSERA_TRIAL(L, P) \
  template std::unique_ptr<TrialState> makeCudaTrial<L, P>(const TileOrder&);
TESSERA_TRIAL(D3Q19InPlace, F64)
TESSERA_TRIAL(D3Q19InPlace, F32)
TESSERA_TRIAL(D3Q19InPlace, F16)
TESSERA_TRIAL(D3Q19, F64)
TESSERA_TRIAL(D3Q19, F32)
TESSERA_TRIAL(D3Q19, F16)
TESSERA_TRIAL(D3Q19ZigzagLayout, F64)
TESSERA_TRIAL(D3Q19YxzLayout, F64)
TESSERA_TRIAL(D3Q19PaperLayouts, F64)
TESSERA_TRIAL(D3Q19PaperLayouts, F32)
#undef TESSERA_TRIAL

}  // namespace tessera
