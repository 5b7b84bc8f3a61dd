// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU emulated on the CPU, of TESSERA_WIDEST_WAVE lanes: the names of a runtime for
// solver/backend/gpu/runtime.hpp, and the words of kernels. Each thread of a block is a fiber
// (POSIX context), which runs until it meets a barrier or exchanges values with its team; blocks
// follow each other. Streams are in order, recorded work is played back, device memory is host
// memory.
//
// The emulation is strict where hardware is undefined: it throws when lanes of a team do not all
// take part in an exchange, when a lane reads another that has ended, when the lanes of a wavefront
// meet a barrier at different lines, and when a block can not go on. Shared memory given at launch
// begins as NaN.
//
// TESSERA_WIDEST_WAVE: lanes of a wavefront, 32 or 64.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define TESSERA_RUNTIME_NAME "emulated"
#define TESSERA_DRIVER_FUNCTION(name) (&name)
#define TESSERA_DYNAMIC_SHARED(name) \
  unsigned char* const name = tessera::emulated::Block::current().shared()

// ---- Words of kernels

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define threadIdx (tessera::emulated::Block::current().thread())
#define blockIdx (tessera::emulated::Block::current().block())
#define blockDim (tessera::emulated::Block::current().size())
#define TESSERA_BARRIER_AT(line) tessera::emulated::Block::current().meet(line)
#define __syncthreads() TESSERA_BARRIER_AT(__LINE__)

struct alignas(8) int2 {
  int x, y;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
  return {x, y};
}
inline unsigned min(unsigned a, unsigned b) {
  return a < b ? a : b;
}
inline unsigned long long atomicAdd(unsigned long long* sum, unsigned long long value) {
  const unsigned long long before = *sum;
  *sum += value;
  return before;
}

namespace tessera::emulated {

struct Index {
  unsigned x;
};

// A block while it runs.
class Block {
 public:
  static constexpr unsigned wave = TESSERA_WIDEST_WAVE;
  static constexpr unsigned team = 32;
  static constexpr std::size_t stackBytes = 128 * 1024;

  Block(std::function<void()> kernel, unsigned number, unsigned threads, unsigned char* shared)
      : kernel_(std::move(kernel)), block_{number}, size_{threads}, shared_(shared) {
    fibers_.resize(threads);
    for (Fiber& fiber : fibers_) start(fiber);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  static Block& current() { return *currentBlock(); }
  // Runs all threads to their ends.
  void run() {
    currentBlock() = this;
    while (alive() != 0) {
      bool moved = false;
      for (std::size_t k = 0; k < fibers_.size(); ++k) {
        if (!fibers_[k].runnable) continue;
        moved = true;
        now_ = static_cast<unsigned>(k);
        swapcontext(&scheduler_, &fibers_[k].context);
        if (error_) std::rethrow_exception(error_);
      }
      if (!moved) release();
    }
    currentBlock() = nullptr;
  }

  [[nodiscard]] Index thread() const { return {now_}; }
  [[nodiscard]] Index block() const { return block_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] unsigned char* shared() const { return shared_; }

  // Barrier of the block.
  void meet(int line) { wait(Place::Barrier, line, 0); }
  // Value of a lane of the team; lanes give theirs.
  std::int32_t exchange(std::int32_t value, int lane) {
    const unsigned first = now_ / team * team;
    wait(Place::Shuffle, 0, value);
    const unsigned from = first + static_cast<unsigned>(lane);
    if (lane < 0 || lane >= static_cast<int>(team) || !tookPart(from))
      throw std::logic_error("a lane reads another one that takes no part in the exchange");
    return given(from);
  }
  // Bits of the wavefront, as if no other team took part.
  std::uint64_t ballot(bool is) {
    const unsigned first = now_ / team * team;
    wait(Place::Ballot, 0, is ? 1 : 0);
    std::uint64_t bits = 0;
    for (unsigned k = first; k < first + team; ++k)
      if (tookPart(k) && given(k) != 0) bits |= std::uint64_t{1} << k % wave;
    return bits;
  }
  [[nodiscard]] unsigned laneOfWave() const { return now_ % wave; }

 private:
  enum class Place { Running, Barrier, Shuffle, Ballot };
  struct Fiber {
    ucontext_t context;
    bool runnable = true;
    bool ended = false;
    Place place = Place::Running;
    int line = 0;
    std::uint64_t exchanges = 0;
    // Given in the last two exchanges: others may still read one while this lane gives the next.
    std::int32_t values[2] = {};
  };

  static Block*& currentBlock() {
    static Block* block = nullptr;
    return block;
  }
  static void enter() {
    Block& block = current();
    Fiber& fiber = block.fibers_[block.now_];
    try {
      block.kernel_();
    } catch (...) {
      block.error_ = std::current_exception();
    }
    fiber.ended = true;
    fiber.runnable = false;
    swapcontext(&fiber.context, &block.scheduler_);
  }
  void start(Fiber& fiber) {
    // Kept between blocks, of which one runs at a time.
    static std::vector<std::unique_ptr<std::byte[]>> stacks;
    const auto number = static_cast<std::size_t>(&fiber - fibers_.data());
    if (stacks.size() <= number)
      stacks.push_back(std::make_unique_for_overwrite<std::byte[]>(stackBytes));
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks[number].get();
    fiber.context.uc_stack.ss_size = stackBytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &Block::enter, 0);
  }
  // Whether a lane takes part in the last exchange of this one; it may have ended since.
  [[nodiscard]] bool tookPart(std::size_t lane) const {
    return lane < fibers_.size() && fibers_[lane].exchanges >= fibers_[now_].exchanges;
  }
  [[nodiscard]] std::int32_t given(std::size_t lane) const {
    return fibers_[lane].values[fibers_[now_].exchanges % 2];
  }
  [[nodiscard]] std::size_t alive() const {
    std::size_t count = 0;
    for (const Fiber& fiber : fibers_) count += fiber.ended ? 0 : 1;
    return count;
  }
  void wait(Place place, int line, std::int32_t value) {
    Fiber& fiber = fibers_[now_];
    fiber.place = place;
    fiber.line = line;
    if (place != Place::Barrier) fiber.values[++fiber.exchanges % 2] = value;
    fiber.runnable = false;
    swapcontext(&fiber.context, &scheduler_);
    fiber.place = Place::Running;
  }
  // Lets go on the teams that are complete at an exchange, or all threads where they have met.
  void release() {
    bool any = false;
    for (std::size_t first = 0; first < fibers_.size(); first += team) any |= releaseTeam(first);
    if (any) return;
    for (std::size_t first = 0; first < fibers_.size(); first += wave) checkWave(first);
    for (const Fiber& fiber : fibers_)
      if (!fiber.ended && fiber.place != Place::Barrier)
        throw std::logic_error("some lanes of a team take part in an exchange, others do not");
    for (Fiber& fiber : fibers_) fiber.runnable = !fiber.ended;
  }
  bool releaseTeam(std::size_t first) {
    const std::size_t end = std::min(first + team, fibers_.size());
    Place place = Place::Running;
    for (std::size_t k = first; k < end; ++k) {
      const Fiber& fiber = fibers_[k];
      if (fiber.ended) continue;
      if (fiber.place == Place::Barrier) return false;
      if (place == Place::Running) place = fiber.place;
      if (fiber.place != place) return false;
    }
    if (place == Place::Running) return false;
    for (std::size_t k = first; k < end; ++k) fibers_[k].runnable = !fibers_[k].ended;
    return true;
  }
  void checkWave(std::size_t first) const {
    int line = 0;
    for (std::size_t k = first; k < first + wave && k < fibers_.size(); ++k) {
      const Fiber& fiber = fibers_[k];
      if (fiber.ended || fiber.place != Place::Barrier) continue;
      if (line == 0) line = fiber.line;
      if (fiber.line != line)
        throw std::logic_error("lanes of a wavefront meet a barrier at lines " +
                               std::to_string(line) + " and " + std::to_string(fiber.line));
    }
  }

  std::function<void()> kernel_;
  Index block_;
  Index size_;
  unsigned char* shared_;
  std::vector<Fiber> fibers_;
  unsigned now_ = 0;
  ucontext_t scheduler_{};
  std::exception_ptr error_;
};

}  // namespace tessera::emulated

inline std::int32_t __shfl(std::int32_t value, int lane, int width) {
  if (width != static_cast<int>(tessera::emulated::Block::team))
    throw std::logic_error("an exchange in another group than a team");
  return tessera::emulated::Block::current().exchange(value, lane);
}
inline std::uint64_t __ballot(int is) {
  return tessera::emulated::Block::current().ballot(is != 0);
}
inline unsigned __lane_id() {
  return tessera::emulated::Block::current().laneOfWave();
}

// ---- Names of a runtime

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
  *free = *total = std::size_t{1} << 30U;
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
inline cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  return cudaMalloc(data, bytes);
}
inline cudaError_t cudaFreeHost(void* data) {
  return cudaFree(data);
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
