// SPDX-License-Identifier: GPL-3.0-or-later
// Storage schemes made of a structure on a GPU: one thread a unit. Indices are read before the
// kernel waits for the one before it (programmatic dependent launch), so that they are under way
// while it drains.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/populations_kernels.cuh"
#include "solver/backend/gpu/target.cuh"
#include "solver/comparators/structure_scheme.hpp"

namespace tessera::solver::comparators {

using backend::blockThreads;

// Node of a structure: addresses by `Node`, populations in memory.
template <class Variant, class View, class Node>
struct DeviceUnit {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Precision = typename Variant::Precision;
  using Value = typename Variant::Real;
  const Node& node;
  const Storage* now;
  Storage* next;

  __device__ __forceinline__ void gatherAll(Value (&f)[Lattice::q]) const {
    model::forEach<Lattice::q>([&](auto i) {
      f[i] = node.fluid ? Precision::widen(now[node.template source<i>()]) : Value(0);
    });
    if constexpr (View::readsBlockFirst) __syncthreads();
  }
  template <int i>
  __device__ __forceinline__ void scatter(Value value) const {
    if (!View::storesSolid && !node.fluid) return;
    next[node.template target<i>()] = Precision::narrow(value);
  }
};

// Blocks per multiprocessor: as many as leave a thread the registers for populations, and for
// indices that are needed until the populations are stored; 64-bit ones take more.
template <class Variant, class View, int phase>
constexpr int unitBlocks = [] {
  using Node = decltype(std::declval<View>().template node<phase>(0, typename View::BlockData{}));
  const bool wide = View::inPlace && sizeof(Node) > 128;
  return sizeof(typename Variant::Real) == 8 ? (wide ? 4 : 5) : (wide ? 6 : 8);
}();

template <class Variant, class View, int phase, bool forced>
__global__ void TESSERA_LAUNCH_BOUNDS(blockThreads, unitBlocks<Variant, View, phase>)
    stepUnitsKernel(const View view, const typename Variant::Storage* now,
                    typename Variant::Storage* next, std::uint32_t units,
                    const model::StepParameters<typename Variant::Real> parameters) {
  using Storage = typename Variant::Storage;
  using Data = typename View::BlockData;
  using Node = decltype(view.template node<phase>(0, Data{}));
  constexpr bool sharesData = !std::is_empty_v<Data>;
  backend::letNextBegin();
  std::uint32_t unit = blockIdx.x * blockThreads + threadIdx.x;
  // Units come in blocks of 64, whole wavefronts; where threads wait for each other, all stay.
  const bool exists = unit < units;
  if constexpr (sharesData || View::readsBlockFirst)
    unit = exists ? unit : 0;
  else if (!exists)
    return;
  // As bytes: HIP allows no variable in shared memory whose members have initial values.
  __shared__ __align__(alignof(Data)) unsigned char data[blockThreads / 64 * sizeof(Data)];
  Data& own = reinterpret_cast<Data*>(data)[threadIdx.x / 64];
  if constexpr (sharesData) {
    view.loadBlock(unit / 64 * 64, threadIdx.x % 64, own);
    __syncthreads();
  }
  Node node = view.template node<phase>(unit, own);
  node.fluid = node.fluid && exists;
  if constexpr (View::storesSolid) {
    if (!backend::sectorHasFluid<32 / sizeof(Storage)>(node.fluid)) return;
  } else if constexpr (!View::readsBlockFirst) {
    if (!node.fluid) return;
  }
  backend::waitForEarlier();
  model::step<Variant, forced>(DeviceUnit<Variant, View, Node>{node, now, next}, parameters);
}

// Node whose populations pass through shared memory, `places` of them a direction (Rinaldi et al.
// 2011).
template <class Variant, class Node, int places>
struct StagedUnit {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Precision = typename Variant::Precision;
  using Value = typename Variant::Real;
  const Node& node;
  const Storage* now;
  Storage (&stage)[Lattice::q][places];

  __device__ __forceinline__ void gatherAll(Value (&f)[Lattice::q]) const {
    model::forEach<Lattice::q>([&](auto i) {
      stage[i][threadIdx.x] = node.fluid ? now[node.template source<i>()] : Storage(0);
    });
    __syncthreads();
    model::forEach<Lattice::q>([&](auto i) { f[i] = Precision::widen(stage[i][threadIdx.x]); });
  }
  template <int i>
  __device__ __forceinline__ void scatter(Value value) const {
    stage[i][threadIdx.x] = Precision::narrow(value);
  }
};

template <class Variant, class View, bool forced>
__global__ void __launch_bounds__(blockThreads)
    stepStagedUnitsKernel(const View view, const typename Variant::Storage* now,
                          typename Variant::Storage* next, std::uint32_t units,
                          const model::StepParameters<typename Variant::Real> parameters) {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Node = decltype(view.template node<0>(0, typename View::BlockData{}));
  __shared__ Storage stage[Lattice::q][blockThreads];
  backend::letNextBegin();
  const std::uint32_t unit = blockIdx.x * blockThreads + threadIdx.x;
  const bool exists = unit < units;
  Node node = view.template node<0>(exists ? unit : 0, {});
  node.fluid = node.fluid && exists;
  const bool stored = backend::sectorHasFluid<32 / sizeof(Storage)>(node.fluid);
  backend::waitForEarlier();
  model::step<Variant, forced>(StagedUnit<Variant, Node, blockThreads>{node, now, stage},
                               parameters);
  __syncthreads();
  if (!stored) return;
  model::forEach<Lattice::q>(
      [&](auto i) { next[node.template target<i>()] = stage[i][threadIdx.x]; });
}

// One block of threads a tile that has more nodes than other blocks have threads.
template <class View>
constexpr bool largeTiles = unitsOfBlock<View> > blockThreads;

template <class Variant, class View, int phase, bool forced>
__global__ void __launch_bounds__(unitsOfBlock<View>)
    stepLargeTilesKernel(const View view, const typename Variant::Storage* now,
                         typename Variant::Storage* next,
                         const model::StepParameters<typename Variant::Real> parameters) {
  using Data = typename View::BlockData;
  using Node = decltype(view.template node<phase>(0, Data{}));
  __shared__ Data data;
  backend::letNextBegin();
  const std::uint32_t first = blockIdx.x * unitsOfBlock<View>;
  if (threadIdx.x < 64) view.loadBlock(first, threadIdx.x, data);
  __syncthreads();
  const Node node = view.template node<phase>(first + threadIdx.x, data);
  backend::waitForEarlier();
  model::step<Variant, forced>(DeviceUnit<Variant, View, Node>{node, now, next}, parameters);
}

template <model::VariantModel Variant, Structure Plan>
class GpuStructure final : public StructureScheme<Variant, Plan, backend::StreamHandle> {
  using Base = StructureScheme<Variant, Plan, backend::StreamHandle>;
  using Base::parameters_;
  using Base::phase_;
  using Base::plan_;
  using typename Base::Storage;
  using typename Base::View;

 public:
  // nodes must outlive this.
  GpuStructure(backend::Gpu&, const FluidNodes& nodes, const model::Relaxation& relaxation)
      : Base(nodes, relaxation),
        parts_{{backend::PassPart{0, Base::tiles()}}},
        arrays_(std::apply([](const auto&... host) { return std::tuple(onDevice(host)...); },
                           plan_.arrays())),
        state_(plan_.values(), Base::inPlace ? 1 : 2) {}

  [[nodiscard]] const auto& parts() const { return parts_; }
  auto& state() { return state_; }

  void stepTiles(const backend::Pass& pass, const backend::PassPart&,
                 backend::StreamHandle stream) {
    const View view =
        std::apply([&](const auto&... device) { return plan_.view(device.data()...); }, arrays_);
    const auto parameters = model::inUnitsOfStorage<Variant>(parameters_);
    const std::uint32_t units = plan_.units();
    const backend::LaunchShape shape{(units + blockThreads - 1) / blockThreads, blockThreads};
    Base::forSteps(pass, [&](auto phase, auto forced) {
      if constexpr (largeTiles<View>)
        backend::launchDependent(
            &stepLargeTilesKernel<Variant, View, phase, forced>,
            {units / unitsOfBlock<View>, static_cast<unsigned>(unitsOfBlock<View>)}, stream, view,
            state_.now(), state_.next(), parameters);
      else if constexpr (StagedView<View>)
        backend::launchDependent(&stepStagedUnitsKernel<Variant, View, forced>, shape, stream, view,
                                 state_.now(), state_.next(), units, parameters);
      else
        backend::launchDependent(&stepUnitsKernel<Variant, View, phase, forced>, shape, stream,
                                 view, state_.now(), state_.next(), units, parameters);
    });
  }
  void advanceState(const backend::Pass& pass) {
    if constexpr (Base::inPlace)
      phase_ = (phase_ + pass.steps) % 2;
    else
      state_.swap();
  }

  void set(std::span<const double> populations) {
    std::vector<Storage> host(plan_.values());
    Base::store(populations, host.data());
    backend::copyToDevice(state_.now(), host.data(), host.size() * sizeof(Storage));
  }
  [[nodiscard]] std::vector<double> get() {
    std::vector<Storage> host(plan_.values());
    backend::copyFromDevice(host.data(), state_.now(), host.size() * sizeof(Storage));
    return Base::populations(host.data());
  }
  void setNoise() { backend::fillWithNoise(state_.now(), plan_.values()); }
  static double copyBandwidth() { return backend::deviceCopyBandwidth(); }

 private:
  template <class T>
  static backend::DeviceArray<T> onDevice(const std::vector<T>& host) {
    return backend::DeviceArray<T>(host);
  }

  // One or two copies.
  class State {
   public:
    State(std::uint64_t values, int copies)
        : first_(values), second_(copies == 2 ? values : 0), copies_(copies) {}
    [[nodiscard]] Storage* now() const { return first_.data(); }
    [[nodiscard]] Storage* next() const { return copies_ == 2 ? second_.data() : first_.data(); }
    void swap() { first_.swap(second_); }

   private:
    backend::DeviceArray<Storage> first_;
    backend::DeviceArray<Storage> second_;
    int copies_;
  };
  template <class... Vectors>
  static std::tuple<backend::DeviceArray<typename std::decay_t<Vectors>::value_type>...> arraysOf(
      std::tuple<Vectors...>);

  std::array<backend::PassPart, 1> parts_;
  decltype(arraysOf(std::declval<const Plan&>().arrays())) arrays_;
  State state_;
};

template <class Variant, class Plan>
using GpuComparator = DrivenComparator<backend::Gpu, GpuStructure<Variant, Plan>>;

}  // namespace tessera::solver::comparators
