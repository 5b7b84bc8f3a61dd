// SPDX-License-Identifier: GPL-3.0-or-later
// GPU runtime: devices, memory, streams, events, graphs and launches; the instructions of kernels
// that differ between vendors are in intrinsics.hpp. It is written with the names of CUDA, for
// which hip_names.hpp puts those of HIP, whose calls have the same form. No other file names a
// runtime or driver, which tests/check_gpu_runtime.sh checks; every call is checked and throws
// StageError. Memory, upload queue and timer (memory.hpp, measure.cuh) build on this file alone.
//
// TESSERA_GPU_NAMES: a header with the same names, of another runtime.
#pragma once

#if defined(TESSERA_GPU_NAMES)
#include TESSERA_GPU_NAMES
#elif defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)
#include "solver/backend/gpu/hip_names.hpp"
#else
#include <cuda.h>
#include <cuda_runtime.h>
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::backend {

#if !defined(TESSERA_RUNTIME_NAME)
#define TESSERA_RUNTIME_NAME "CUDA"
#endif

using StreamHandle = cudaStream_t;
constexpr StreamHandle defaultStream = nullptr;

constexpr const char* outOfDeviceMemory =
    "; use a coarser spacing, --precision f32, or a device with more memory";

inline void checkGpu(cudaError_t status, const char* operation) {
  if (status == cudaSuccess) return;
  const bool memory = status == cudaErrorMemoryAllocation;
  stage::fail(memory ? stage::ExitCode::NoResource : stage::ExitCode::RunFailed,
              std::string(TESSERA_RUNTIME_NAME " ") + operation +
                  " failed: " + cudaGetErrorString(status) + (memory ? outOfDeviceMemory : ""));
}

// The error of a call whose failure is a valid answer is not that of the next one.
inline void clearGpuError() {
  static_cast<void>(cudaGetLastError());
}

// ---- Devices

struct GpuProperties {
  std::string name;
  std::uint64_t freeBytes = 0;
  std::uint64_t totalBytes = 0;
  std::uint64_t l2Bytes = 0;
  double peakBandwidth = 0.0;  // bytes per second, of the clock and width of its memory; 0: unknown
};

inline int gpuCount() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  clearGpuError();  // no device is a valid answer
  return 0;
}

// Selects the device of this thread.
inline void selectGpu(int number) {
  checkGpu(cudaSetDevice(number), "device choice");
}
inline int selectedGpu() {
  int number = 0;
  checkGpu(cudaGetDevice(&number), "device query");
  return number;
}

// PCI address, which identifies a device of this host across processes.
inline std::string gpuBusAddress(int number) {
  char bus[32] = {};
  checkGpu(cudaDeviceGetPCIBusId(bus, sizeof(bus), number), "device query");
  return bus;
}

// Two transfers a clock (DDR), which GDDR and HBM report their clocks for.
inline double peakBandwidthOf(int device) {
  int kilohertz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) == cudaSuccess)
    return 2.0 * 1e3 * kilohertz * bits / 8.0;
  clearGpuError();  // unknown is a valid answer
  return 0.0;
}

// Properties of the selected device; nullopt without a device or driver.
inline std::optional<GpuProperties> findGpu() {
  int device = 0;
  cudaDeviceProp properties{};
  std::size_t freeBytes = 0;
  std::size_t totalBytes = 0;
  if (gpuCount() == 0) return std::nullopt;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaMemGetInfo(&freeBytes, &totalBytes) != cudaSuccess) {
    clearGpuError();
    return std::nullopt;
  }
  return GpuProperties{properties.name, freeBytes, totalBytes,
                       static_cast<std::uint64_t>(properties.l2CacheSize), peakBandwidthOf(device)};
}

inline std::uint64_t freeDeviceBytes() {
  std::size_t freeBytes = 0;
  std::size_t totalBytes = 0;
  checkGpu(cudaMemGetInfo(&freeBytes, &totalBytes), "memory query");
  return freeBytes;
}

// Streaming multiprocessors of the selected device.
inline int processorCount() {
  int processors = 0;
  checkGpu(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, selectedGpu()),
           "device query");
  return processors;
}

// Bytes of shared memory that a block may have at most.
inline std::size_t mostSharedMemory() {
  int bytes = 0;
  checkGpu(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, selectedGpu()),
           "device query");
  return static_cast<std::size_t>(bytes);
}

// Waits for all work of the selected device.
inline void finishGpu(const char* operation) {
  checkGpu(cudaDeviceSynchronize(), operation);
}

// ---- Memory

inline void zeroDevice(void* data, std::uint64_t bytes) {
  if (bytes != 0) checkGpu(cudaMemset(data, 0, bytes), "memset");
}

// Zeroed memory. Throws StageError(NoResource) if there is not enough.
inline void* allocateDevice(std::uint64_t bytes) {
  void* data = nullptr;
  checkGpu(cudaMalloc(&data, bytes), "memory allocation");
  zeroDevice(data, bytes);
  return data;
}
inline void freeDevice(void* data) noexcept {
  if (data != nullptr) cudaFree(data);
}

// Makes pages of the host pinned, for copies at the speed of the bus; false where the system
// refuses.
inline bool pinPages(void* data, std::uint64_t bytes) noexcept {
  if (cudaHostRegister(data, bytes, cudaHostRegisterDefault) == cudaSuccess) return true;
  clearGpuError();
  return false;
}
// Waits for copies that may be pending.
inline void unpinPages(void* data) noexcept {
  static_cast<void>(cudaDeviceSynchronize());
  cudaHostUnregister(data);
}

inline void copyToDevice(void* device, const void* host, std::uint64_t bytes) {
  checkGpu(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
}
inline void copyFromDevice(void* host, const void* device, std::uint64_t bytes) {
  checkGpu(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy from the device");
}

// The same in the order of a stream; the host does not wait where its memory is pinned.
inline void copyToDevice(void* device, const void* host, std::uint64_t bytes, StreamHandle stream) {
  checkGpu(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream),
           "copy to the device");
}
inline void copyFromDevice(void* host, const void* device, std::uint64_t bytes,
                           StreamHandle stream) {
  checkGpu(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream),
           "copy from the device");
}
inline void copyOnDevice(void* to, const void* from, std::uint64_t bytes, StreamHandle stream) {
  checkGpu(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
           "copy on the device");
}

// ---- Streams and events

enum class StreamOrder { WithDefault, Independent };  // of the default stream
enum class StreamPriority { Normal, Highest };

class DeviceStream {
 public:
  explicit DeviceStream(StreamOrder order = StreamOrder::WithDefault,
                        StreamPriority priority = StreamPriority::Normal) {
    const unsigned flags =
        order == StreamOrder::Independent ? cudaStreamNonBlocking : cudaStreamDefault;
    int least = 0;
    int greatest = 0;
    if (priority == StreamPriority::Highest)
      checkGpu(cudaDeviceGetStreamPriorityRange(&least, &greatest), "device query");
    checkGpu(cudaStreamCreateWithPriority(&stream_, flags, greatest), "stream");
  }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] StreamHandle get() const { return stream_; }

 private:
  StreamHandle stream_{};
};

// The host waits for all work of the stream.
inline void finishStream(StreamHandle stream) {
  checkGpu(cudaStreamSynchronize(stream), "step");
}

enum class EventTiming { Off, On };

class DeviceEvent {
 public:
  explicit DeviceEvent(EventTiming timing = EventTiming::Off) {
    checkGpu(cudaEventCreateWithFlags(
                 &event_, timing == EventTiming::On ? cudaEventDefault : cudaEventDisableTiming),
             "event");
  }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  ~DeviceEvent() { cudaEventDestroy(event_); }

  // Marks the work submitted to the stream so far.
  void record(StreamHandle stream) const { checkGpu(cudaEventRecord(event_, stream), "event"); }
  // Later work of the stream waits for the marked work.
  void holdBack(StreamHandle stream) const {
    checkGpu(cudaStreamWaitEvent(stream, event_), "event");
  }
  // The host waits for it.
  void wait(const char* operation) const { checkGpu(cudaEventSynchronize(event_), operation); }
  // Whether it is still to come, asked by any thread; `device` is the event's.
  [[nodiscard]] bool pending(int device) const noexcept {
    static_cast<void>(cudaSetDevice(device));
    return cudaEventQuery(event_) == cudaErrorNotReady;
  }
  // Both with EventTiming::On, recorded and reached.
  [[nodiscard]] double secondsSince(const DeviceEvent& start) const {
    float milliseconds = 0.0F;
    checkGpu(cudaEventElapsedTime(&milliseconds, start.event_, event_), "event");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_{};
};

// ---- Graphs

// Work recorded once from a stream and launched by one call; each kernel keeps the priority of the
// stream it was recorded from. Kernels must have been launched once before they are recorded.
class DeviceGraph {
 public:
  // record(): gives the work to `stream`, which is not the default stream.
  template <class Record>
  DeviceGraph(StreamHandle stream, const Record& record) {
    cudaGraph_t graph = nullptr;
    checkGpu(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording");
    record();
    checkGpu(cudaStreamEndCapture(stream, &graph), "recording");
    const cudaError_t status =
        cudaGraphInstantiate(&graph_, graph, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphDestroy(graph);
    checkGpu(status, "recording");
  }
  DeviceGraph(DeviceGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  DeviceGraph& operator=(DeviceGraph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~DeviceGraph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  void launch(StreamHandle stream) const {
    checkGpu(cudaGraphLaunch(graph_, stream), "launch of steps");
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// ---- Virtual-memory ring buffer

#if !defined(TESSERA_DRIVER_FUNCTION)
#define TESSERA_DRIVER_FUNCTION(name) driverFunction<decltype(name)>(#name)
// Functions of the driver without a counterpart in the runtime library, looked up in the driver
// that is present; nothing links against it.
template <class Function>
Function* driverFunction(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  checkGpu(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status),
           "driver query");
#else
  checkGpu(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &status), "driver query");
#endif
  if (status != cudaDriverEntryPointSuccess || found == nullptr)
    stage::fail(stage::ExitCode::NoResource,
                std::string("the " TESSERA_RUNTIME_NAME " driver has no ") + name +
                    "; use --copies 2, or a newer driver");
  return reinterpret_cast<Function*>(found);
}
#endif

inline void checkDriver(CUresult status, const char* operation) {
  if (status == CUDA_SUCCESS) return;
  const bool memory = status == CUDA_ERROR_OUT_OF_MEMORY;
  stage::fail(memory ? stage::ExitCode::NoResource : stage::ExitCode::RunFailed,
              std::string(TESSERA_RUNTIME_NAME " ") + operation + " failed with status " +
                  std::to_string(static_cast<int>(status)) +
                  (memory ? outOfDeviceMemory : "; use --copies 2"));
}

// Ring buffer in virtual memory: the same pages mapped twice in succession, so a range that starts
// anywhere in it and is no longer than it is contiguous, and kernels need not wrap addresses.
class DeviceRing {
 public:
  // At least `bytes`, zeroed. Throws StageError(NoResource) if there is not enough.
  explicit DeviceRing(std::uint64_t bytes) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = selectedGpu();
    std::size_t grain = 0;
    checkDriver(TESSERA_DRIVER_FUNCTION(cuMemGetAllocationGranularity)(
                    &grain, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                "memory query");
    size_ = (bytes + grain - 1) / grain * grain;
    checkDriver(TESSERA_DRIVER_FUNCTION(cuMemCreate)(&memory_, size_, &properties, 0),
                "memory allocation");
    map(properties.location);
    zeroDevice(data(), size_);
  }
  DeviceRing(const DeviceRing&) = delete;
  DeviceRing& operator=(const DeviceRing&) = delete;
  ~DeviceRing() {
    static_cast<void>(TESSERA_DRIVER_FUNCTION(cuMemUnmap)(first_, 2 * size_));
    static_cast<void>(TESSERA_DRIVER_FUNCTION(cuMemAddressFree)(first_, 2 * size_));
    static_cast<void>(TESSERA_DRIVER_FUNCTION(cuMemRelease)(memory_));
  }

  // Byte 0; byte size() + k is byte k again.
  [[nodiscard]] char* data() const { return reinterpret_cast<char*>(first_); }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  void map(const CUmemLocation& location) {
    checkDriver(TESSERA_DRIVER_FUNCTION(cuMemAddressReserve)(&first_, 2 * size_, 0, 0, 0),
                "reservation of addresses");
    for (const std::uint64_t start : {first_, first_ + size_})
      checkDriver(TESSERA_DRIVER_FUNCTION(cuMemMap)(start, size_, 0, memory_, 0),
                  "mapping of memory");
    const CUmemAccessDesc access{location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    checkDriver(TESSERA_DRIVER_FUNCTION(cuMemSetAccess)(first_, 2 * size_, &access, 1),
                "access to memory");
  }

  std::uint64_t size_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr first_ = 0;
};

// ---- Launches

struct LaunchShape {
  unsigned blocks;
  unsigned threads;
  std::size_t shared = 0;  // bytes of dynamic shared memory
};

#if defined(TESSERA_GPU_COMPILER) || defined(TESSERA_GPU_NAMES)

template <class... Parameters, class... Arguments>
void launchKernel(void (*kernel)(Parameters...), const LaunchShape& shape, StreamHandle stream,
                  Arguments&&... arguments) {
#if defined(TESSERA_GPU_COMPILER)
  kernel<<<shape.blocks, shape.threads, shape.shared, stream>>>(
      static_cast<Parameters>(std::forward<Arguments>(arguments))...);
#else
  launchBlocks<Parameters...>(kernel, shape.blocks, shape.threads, shape.shared, stream,
                              static_cast<Parameters>(std::forward<Arguments>(arguments))...);
#endif
  checkGpu(cudaGetLastError(), "launch");
}

// Programmatic dependent launch (compute capability 9.0): the kernel starts while the last blocks
// of the one before it drain. It calls waitForEarlier() before it reads what earlier kernels write.
// In the default stream, which orders other streams as well, and where there is none, a normal
// launch.
template <class... Parameters, class... Arguments>
void launchDependent(void (*kernel)(Parameters...), const LaunchShape& shape, StreamHandle stream,
                     Arguments&&... arguments) {
#if defined(__CUDACC__)
  cudaLaunchAttribute dependent{};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream = stream;
  config.attrs = &dependent;
  config.numAttrs = stream == defaultStream ? 0 : 1;
  checkGpu(cudaLaunchKernelEx(&config, kernel,
                              static_cast<Parameters>(std::forward<Arguments>(arguments))...),
           "launch");
#else
  launchKernel(kernel, shape, stream, std::forward<Arguments>(arguments)...);
#endif
}

// Permits the kernel as much dynamic shared memory per block.
template <class... Parameters>
void allowSharedMemory(void (*kernel)(Parameters...), std::size_t bytes) {
  checkGpu(
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
      "shared memory");
}

#endif

}  // namespace tessera::solver::backend
