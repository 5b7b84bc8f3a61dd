// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/trial.hpp"

#include <array>

#include "pipelines/stage/error.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/bench/trial_cpu.hpp"
#include "solver/bench/trial_types.hpp"

namespace tessera::solver::bench {

using model::D3Q19;
using model::F16;
using model::F32;
using model::F64;
using tiles::TileOrder;

namespace {

template <class Lattice, class Precision>
constexpr TrialMaker onCuda() {
#ifdef TESSERA_HAS_GPU
  return &makeCudaTrial<Lattice, Precision>;
#else
  return nullptr;
#endif
}

template <class Lattice, class Precision>
std::unique_ptr<TrialState> onCpu(const TileOrder& order) {
  return std::make_unique<CpuTrial<TrialVariant<Lattice, Precision>>>(order);
}

template <class Lattice, class Precision>
constexpr Trial trial(const char* operation, const char* layouts, TrialMaker cpu) {
  return {operation,     layouts,
          Precision::id, sizeof(typename Precision::Storage),
          cpu,           onCuda<Lattice, Precision>()};
}

constexpr const char* own = "read-write";
constexpr const char* moved = "propagation";

constexpr std::array<Trial, 10> table{
    {trial<D3Q19InPlace, F64>(own, plainLayout, &onCpu<D3Q19InPlace, F64>),
     trial<D3Q19InPlace, F32>(own, plainLayout, &onCpu<D3Q19InPlace, F32>),
     trial<D3Q19InPlace, F16>(own, plainLayout, &onCpu<D3Q19InPlace, F16>),
     trial<D3Q19, F64>(moved, plainLayout, &onCpu<D3Q19, F64>),
     trial<D3Q19, F32>(moved, plainLayout, &onCpu<D3Q19, F32>),
     trial<D3Q19, F16>(moved, plainLayout, &onCpu<D3Q19, F16>),
     trial<D3Q19ZigzagLayout, F64>(moved, "XYZ + zigzagNE", nullptr),
     trial<D3Q19YxzLayout, F64>(moved, "XYZ + YXZ", nullptr),
     trial<D3Q19PaperLayouts, F64>(moved, "XYZ + YXZ + zigzagNE", nullptr),
     trial<D3Q19PaperLayouts, F32>(moved, "XYZ + YXZ + zigzagNE", nullptr)}};

}  // namespace

std::span<const Trial> trials() {
  return table;
}

TileOrder orderForTrials(const tiler::TiledGeometry& geometry) {
  const TileOrder order =
      geometry.dimensions == 3 ? tiles::orderTiles(geometry, D3Q19::c) : TileOrder{};
  if (order.tiles == 0 || geometry.isShifted() || order.ghosts != 0 || !order.copies.empty())
    stage::fail(
        stage::ExitCode::Usage,
        "layouts, propagation and read-write are measured in closed geometries of three "
        "dimensions with the aligned tiling; use one without openings whose periodic axes are "
        "filled by whole tiles");
  return order;
}

bool trialOnCuda(const std::string& backend) {
  const bool there =
      backend != "cpu" && table[0].makeCuda != nullptr && backend::findDevice().has_value();
  if (backend == "cuda" && !there)
    stage::fail(stage::ExitCode::NoResource,
                "no CUDA device was found for this measurement; measure on cpu");
  return there;
}

}  // namespace tessera::solver::bench
