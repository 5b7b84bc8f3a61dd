// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU emulated on the CPU: the names of a runtime for solver/backend/gpu/runtime.hpp. Blocks
// follow each other, streams are in order, recorded work is played back, device memory is host
// memory. Shared memory given at launch begins as NaN; a launch that asks for too much throws.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/solver/backend/emulated_threads.hpp"

#define TESSERA_RUNTIME_NAME "emulated"
#define TESSERA_DRIVER_FUNCTION(name) (&name)

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNotReady };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
  cudaDevAttrGlobalMemoryBusWidth,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrMemoryClockRate,
  cudaDevAttrMultiProcessorCount
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
constexpr unsigned cudaStreamDefault = 0;
constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0;
constexpr unsigned cudaEventDisableTiming = 2;
constexpr unsigned cudaGraphInstantiateFlagUseNodePriority = 0;
struct cudaDeviceProp {
  char name[32];
  int l2CacheSize;
};

namespace tessera::emulated {

using Work = std::vector<std::function<void()>>;
struct Stream {};
struct Event {
  std::chrono::steady_clock::time_point at;
};

// The work that is being recorded; null: work is done at once.
inline std::shared_ptr<Work>& recording() {
  static std::shared_ptr<Work> work;
  return work;
}
inline void give(std::function<void()> work) {
  if (recording())
    recording()->push_back(std::move(work));
  else
    work();
}
// Bytes of shared memory of a block at most.
inline int& mostShared() {
  static int bytes = 64 * 1024;
  return bytes;
}
inline std::uint64_t& kernelsRun() {
  static std::uint64_t count = 0;
  return count;
}
// Clock of the memory, which is 6144 bits wide; kHz, 0 as of a driver that does not know it.
inline int& memoryClock() {
  static int kilohertz = 3'125'000;
  return kilohertz;
}
// Whether no memory of the host can be pinned.
inline bool& refusesPins() {
  static bool refuses = false;
  return refuses;
}
inline std::size_t& freeMemory() {
  static std::size_t bytes = std::size_t{1} << 30U;
  return bytes;
}

}  // namespace tessera::emulated

using cudaStream_t = tessera::emulated::Stream*;
using cudaEvent_t = tessera::emulated::Event*;
using cudaGraph_t = std::shared_ptr<tessera::emulated::Work>*;
using cudaGraphExec_t = cudaGraph_t;

inline const char* cudaGetErrorString(cudaError_t) {
  return "emulated";
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* number) {
  *number = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetPCIBusId(char* bus, int bytes, int) {
  std::memset(bus, 0, static_cast<std::size_t>(bytes));
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = tessera::emulated::mostShared();
      break;
    case cudaDevAttrMemoryClockRate:
      *value = tessera::emulated::memoryClock();
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 6144;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = 1;
      break;
  }
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"emulated", 0};
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = tessera::emulated::freeMemory();
  *total = std::size_t{1} << 30U;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* data) {
  std::free(data);
  return cudaSuccess;
}
constexpr unsigned cudaHostRegisterDefault = 0;
inline cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  return tessera::emulated::refusesPins() ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void*) {
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
  std::memset(data, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  tessera::emulated::give([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = new tessera::emulated::Stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new tessera::emulated::Event{};
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  tessera::emulated::recording() = std::make_shared<tessera::emulated::Work>();
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = new std::shared_ptr<tessera::emulated::Work>(std::move(tessera::emulated::recording()));
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned) {
  *executable = new std::shared_ptr<tessera::emulated::Work>(*graph);
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  for (const auto& work : **graph) work();
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int bytes) {
  return bytes <= tessera::emulated::mostShared() ? cudaSuccess : cudaErrorMemoryAllocation;
}

// ---- Virtual memory: a file in memory, mapped twice

using CUdeviceptr = std::uintptr_t;
using CUresult = int;
using CUmemGenericAllocationHandle = int;
constexpr CUresult CUDA_SUCCESS = 0;
constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
enum CUmemAllocationType { CU_MEM_ALLOCATION_TYPE_PINNED };
enum CUmemLocationType { CU_MEM_LOCATION_TYPE_DEVICE };
enum CUmemGranularity { CU_MEM_ALLOC_GRANULARITY_RECOMMENDED };
enum CUmemAccess { CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
struct CUmemLocation {
  CUmemLocationType type;
  int id;
};
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemLocation location;
};
struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess flags;
};
inline CUresult cuMemGetAllocationGranularity(std::size_t* grain, const CUmemAllocationProp*,
                                              CUmemGranularity) {
  *grain = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return CUDA_SUCCESS;
}
inline CUresult cuMemCreate(CUmemGenericAllocationHandle* memory, std::size_t bytes,
                            const CUmemAllocationProp*, unsigned long long) {
  *memory = memfd_create("ring", 0);
  return *memory >= 0 && ftruncate(*memory, static_cast<off_t>(bytes)) == 0
             ? CUDA_SUCCESS
             : CUDA_ERROR_OUT_OF_MEMORY;
}
inline CUresult cuMemRelease(CUmemGenericAllocationHandle memory) {
  return close(memory);
}
inline CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t,
                                    CUdeviceptr, unsigned long long) {
  void* reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<CUdeviceptr>(reserved);
  return reserved != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
inline CUresult cuMemAddressFree(CUdeviceptr, std::size_t) {
  return CUDA_SUCCESS;  // by cuMemUnmap
}
inline CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                         CUmemGenericAllocationHandle memory, unsigned long long) {
  void* const at = reinterpret_cast<void*>(address);
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
              static_cast<off_t>(offset)) == at
             ? CUDA_SUCCESS
             : CUDA_ERROR_OUT_OF_MEMORY;
}
inline CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return munmap(reinterpret_cast<void*>(address), bytes);
}
inline CUresult cuMemSetAccess(CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) {
  return CUDA_SUCCESS;
}

// ---- Launches

template <class... Parameters>
void launchBlocks(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                  std::size_t shared, cudaStream_t, Parameters... arguments) {
  tessera::emulated::give([=] {
    ++tessera::emulated::kernelsRun();
    if (shared > static_cast<std::size_t>(tessera::emulated::mostShared()))
      throw std::logic_error("too much shared memory");
    for (unsigned number = 0; number < blocks; ++number) {
      std::vector<std::uint64_t> memory((shared + 15) / 16 * 2, ~std::uint64_t{0});
      tessera::emulated::Block([&] { kernel(arguments...); }, number, threads,
                               reinterpret_cast<unsigned char*>(memory.data()))
          .run();
    }
  });
}
