// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory that goes round: the same memory is mapped twice, one mapping behind the other, so
// what starts anywhere in it and is no longer than it lies in one piece, and kernels need not know.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "solver/backend/cuda_memory.cuh"

namespace tessera {

// Functions of the driver that the runtime library has no counterpart of, found in the driver that
// is there; nothing links against it.
template <class Function>
Function* driverFunction(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  checkCuda(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status),
            "driver query");
#else
  checkCuda(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &status), "driver query");
#endif
  if (status != cudaDriverEntryPointSuccess || found == nullptr)
    fail(ExitCode::NoResource,
         std::string("the CUDA driver has no ") + name + "; use --copies 2, or a newer driver");
  return reinterpret_cast<Function*>(found);
}

inline void checkDriver(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  const bool memory = status == CUDA_ERROR_OUT_OF_MEMORY;
  fail(memory ? ExitCode::NoResource : ExitCode::RunFailed,
       std::string("CUDA ") + what + " failed with status " +
           std::to_string(static_cast<int>(status)) +
           (memory ? "; use a coarser spacing, --precision f32, or a device with more memory"
                   : "; use --copies 2"));
}

class RoundMemory {
 public:
  RoundMemory() = default;
  // At least `bytes`, zeroed. Throws StageError(NoResource) where there is not as much.
  explicit RoundMemory(std::uint64_t bytes) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    checkCuda(cudaGetDevice(&properties.location.id), "device query");
    std::size_t grain = 0;
    checkDriver(
        driverFunction<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity")(
            &grain, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
        "memory query");
    size_ = (bytes + grain - 1) / grain * grain;
    checkDriver(
        driverFunction<decltype(cuMemCreate)>("cuMemCreate")(&memory_, size_, &properties, 0),
        "memory allocation");
    map(properties.location);
    checkCuda(cudaMemset(data(), 0, size_), "memset");
  }
  RoundMemory(const RoundMemory&) = delete;
  RoundMemory& operator=(const RoundMemory&) = delete;
  ~RoundMemory() {
    if (memory_ == 0) return;
    if (first_ != 0) {
      driverFunction<decltype(cuMemUnmap)>("cuMemUnmap")(first_, 2 * size_);
      driverFunction<decltype(cuMemAddressFree)>("cuMemAddressFree")(first_, 2 * size_);
    }
    driverFunction<decltype(cuMemRelease)>("cuMemRelease")(memory_);
  }

  // Byte 0; byte size() + k is byte k once more.
  [[nodiscard]] char* data() const { return reinterpret_cast<char*>(first_); }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  void map(const CUmemLocation& location) {
    checkDriver(driverFunction<decltype(cuMemAddressReserve)>("cuMemAddressReserve")(
                    &first_, 2 * size_, 0, 0, 0),
                "reservation of addresses");
    for (const std::uint64_t start : {first_, first_ + size_})
      checkDriver(driverFunction<decltype(cuMemMap)>("cuMemMap")(start, size_, 0, memory_, 0),
                  "mapping of memory");
    const CUmemAccessDesc access{location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    checkDriver(
        driverFunction<decltype(cuMemSetAccess)>("cuMemSetAccess")(first_, 2 * size_, &access, 1),
        "access to memory");
  }

  std::uint64_t size_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr first_ = 0;
};

}  // namespace tessera
