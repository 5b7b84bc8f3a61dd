// SPDX-License-Identifier: GPL-3.0-or-later
// Order of stored values in the memory of a device. Files, halo plans and whoever asks for values
// count them tile after tile, value after value, the 64 nodes of a value together.
#pragma once

#include <cstdint>

#include "solver/backend/gpu/runtime.hpp"
#include "solver/model/moment_format.hpp"

namespace tessera::solver::backend {

// place(k): of value k.

struct OrderOfFiles {
  static constexpr bool differs = false;
  TESSERA_HOST_DEVICE static std::uint64_t place(std::uint64_t k) { return k; }
};

// Words of moments in the planes of their tiles.
template <class Format>
struct OrderOfPlanes {
  static constexpr bool differs = true;
  TESSERA_HOST_DEVICE static std::uint64_t place(std::uint64_t k) {
    using Order = model::MomentsByPlane<Format>;
    const std::uint64_t tile = k / Order::tileWords;
    const auto in = static_cast<unsigned>(k - tile * Order::tileWords);
    return tile * Order::tileWords +
           Order::at(static_cast<int>(in / 64U), static_cast<int>(in % 64U));
  }
};

constexpr unsigned orderThreads = 256;

// Values 0 .. count - 1 of whole tiles from `from`, in the order of the device, to that of files.
template <class Order, class T>
__global__ void toFileOrderKernel(const T* from, std::uint64_t count, T* to) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) to[k] = from[Order::place(k)];
}
template <class Order, class T>
__global__ void fromFileOrderKernel(const T* from, std::uint64_t count, T* to) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) to[Order::place(k)] = from[k];
}

inline LaunchShape orderShape(std::uint64_t count) {
  return {static_cast<unsigned>((count + orderThreads - 1) / orderThreads), orderThreads};
}

}  // namespace tessera::solver::backend
