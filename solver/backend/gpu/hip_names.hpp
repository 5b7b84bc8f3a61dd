// SPDX-License-Identifier: GPL-3.0-or-later
// HIP under the names that runtime.hpp uses: those of CUDA with counterparts of the same form, and
// functions where the form differs. No halo goes by RCCL: ranks stage theirs through the host.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>

#define TESSERA_RUNTIME_NAME "HIP"
// All are in the library of the runtime.
#define TESSERA_DRIVER_FUNCTION(name) (&name)

#define cudaDevAttrGlobalMemoryBusWidth hipDeviceAttributeMemoryBusWidth
#define cudaDevAttrMaxSharedMemoryPerBlockOptin hipDeviceAttributeMaxSharedMemoryPerBlock
#define cudaDevAttrMemoryClockRate hipDeviceAttributeMemoryClockRate
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorNotReady hipErrorNotReady
#define cudaError_t hipError_t
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDefault hipEventDefault
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaFuncSetAttribute hipFuncSetAttribute
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraph_t hipGraph_t
#define cudaHostRegisterDefault hipHostRegisterDefault
#define cudaMalloc hipMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpy hipMemcpy
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemset hipMemset
#define cudaSetDevice hipSetDevice
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define cudaStreamCreateWithPriority hipStreamCreateWithPriority
#define cudaStreamDefault hipStreamDefault
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess

#define CUDA_ERROR_OUT_OF_MEMORY hipErrorOutOfMemory
#define CUDA_SUCCESS hipSuccess
#define CU_MEM_ACCESS_FLAGS_PROT_READWRITE hipMemAccessFlagsProtReadWrite
#define CU_MEM_ALLOCATION_TYPE_PINNED hipMemAllocationTypePinned
#define CU_MEM_ALLOC_GRANULARITY_RECOMMENDED hipMemAllocationGranularityRecommended
#define CU_MEM_LOCATION_TYPE_DEVICE hipMemLocationTypeDevice

namespace tessera::solver::backend {

// Calls whose result runtime.hpp may ignore, which HIP declares nodiscard, and other forms.
inline void cudaFree(void* data) {
  static_cast<void>(hipFree(data));
}
inline hipError_t cudaHostRegister(void* data, std::size_t bytes, unsigned flags) {
  return hipHostRegister(data, bytes, flags);
}
inline void cudaHostUnregister(void* data) {
  static_cast<void>(hipHostUnregister(data));
}
inline void cudaStreamDestroy(hipStream_t stream) {
  static_cast<void>(hipStreamDestroy(stream));
}
inline hipError_t cudaStreamWaitEvent(hipStream_t stream, hipEvent_t event) {
  return hipStreamWaitEvent(stream, event, 0);
}
inline void cudaEventDestroy(hipEvent_t event) {
  static_cast<void>(hipEventDestroy(event));
}

// Nodes of a graph have no priority.
constexpr unsigned cudaGraphInstantiateFlagUseNodePriority = 0;
inline hipError_t cudaGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, unsigned) {
  return hipGraphInstantiate(executable, graph, nullptr, nullptr, 0);
}
inline hipError_t cudaGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  return hipGraphLaunch(graph, stream);
}
inline void cudaGraphDestroy(hipGraph_t graph) {
  static_cast<void>(hipGraphDestroy(graph));
}
inline void cudaGraphExecDestroy(hipGraphExec_t graph) {
  static_cast<void>(hipGraphExecDestroy(graph));
}

// ---- Virtual memory, by addresses as numbers

using CUdeviceptr = std::uintptr_t;
using CUresult = hipError_t;
using CUmemAccessDesc = hipMemAccessDesc;
using CUmemAllocationProp = hipMemAllocationProp;
using CUmemGenericAllocationHandle = hipMemGenericAllocationHandle_t;
using CUmemLocation = hipMemLocation;

inline CUresult cuMemGetAllocationGranularity(std::size_t* grain, const CUmemAllocationProp* of,
                                              hipMemAllocationGranularity_flags flags) {
  return hipMemGetAllocationGranularity(grain, of, flags);
}
inline CUresult cuMemCreate(CUmemGenericAllocationHandle* memory, std::size_t bytes,
                            const CUmemAllocationProp* of, unsigned long long flags) {
  return hipMemCreate(memory, bytes, of, flags);
}
inline CUresult cuMemRelease(CUmemGenericAllocationHandle memory) {
  return hipMemRelease(memory);
}
inline CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                                    CUdeviceptr at, unsigned long long flags) {
  void* reserved = nullptr;
  const hipError_t status =
      hipMemAddressReserve(&reserved, bytes, alignment, reinterpret_cast<void*>(at), flags);
  *address = reinterpret_cast<CUdeviceptr>(reserved);
  return status;
}
inline CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return hipMemAddressFree(reinterpret_cast<void*>(address), bytes);
}
inline CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                         CUmemGenericAllocationHandle memory, unsigned long long flags) {
  return hipMemMap(reinterpret_cast<void*>(address), bytes, offset, memory, flags);
}
inline CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return hipMemUnmap(reinterpret_cast<void*>(address), bytes);
}
inline CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes,
                               const CUmemAccessDesc* access, std::size_t count) {
  return hipMemSetAccess(reinterpret_cast<void*>(address), bytes, access, count);
}

}  // namespace tessera::solver::backend
