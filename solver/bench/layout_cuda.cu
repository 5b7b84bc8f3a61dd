// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA step with other layouts of populations in a tile: the same kernel with another address
// function.
#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/populations_kernels.cuh"
#include "solver/bench/layout_types.hpp"

namespace tessera::solver::bench {

using tiles::TileOrder;

namespace {

template <model::VariantModel Variant>
LayoutResult runOnCuda(const TileOrder& order, const LayoutRequest& request) {
  using Storage = typename Variant::Storage;
  const auto parameters = model::stepParameters<Variant>({request.tau, 3.0 / 16.0, {}, {}});
  const std::vector<Storage> start = laidOut<Variant>(request.populations, order.tiles);
  backend::DeviceArray<Storage> now(start);
  backend::DeviceArray<Storage> next(start);
  const backend::DeviceArray<std::int32_t> rows(order.neighbourTable);
  const backend::DeviceArray<std::uint32_t> masks(order.masks);
  const backend::DeviceTimer timer;
  LayoutResult result;
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    result.seconds.push_back(timer.seconds([&] {
      for (std::uint64_t k = 0; k < request.steps; ++k) {
        const backend::DeviceDomain<Storage> domain{now.data(), next.data(), rows.data(),
                                                    masks.data(), order.tiles};
        backend::launchKernel(&backend::stepKernel<Variant, false, model::AlignedTiling>,
                              {(order.tiles + backend::tilesPerBlock - 1) / backend::tilesPerBlock,
                               backend::blockThreads},
                              backend::defaultStream, domain, parameters);
        now.swap(next);
      }
    }));
    if (repeat > 0) continue;
    std::vector<Storage> host;
    now.download(host, now.size());
    result.populations = inXyz<Variant>(host, order.tiles);
  }
  return result;
}

}  // namespace

LayoutResult runXyzF64OnCuda(const TileOrder& order, const LayoutRequest& request) {
  return runOnCuda<LayoutVariant<model::D3Q19, model::F64>>(order, request);
}
LayoutResult runXyzF32OnCuda(const TileOrder& order, const LayoutRequest& request) {
  return runOnCuda<LayoutVariant<model::D3Q19, model::F32>>(order, request);
}
LayoutResult runPaperF64OnCuda(const TileOrder& order, const LayoutRequest& request) {
  return runOnCuda<LayoutVariant<D3Q19PaperLayouts, model::F64>>(order, request);
}
LayoutResult runPaperF32OnCuda(const TileOrder& order, const LayoutRequest& request) {
  return runOnCuda<LayoutVariant<D3Q19PaperLayouts, model::F32>>(order, request);
}

}  // namespace tessera::solver::bench
