// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of a GPU emulated on the CPU, of TESSERA_WIDEST_WAVE lanes, and the words of kernels.
// Each thread of a block is a fiber (POSIX context), which runs until it meets a barrier or
// exchanges values with its team.
//
// The emulation is strict where hardware is undefined: it throws when lanes of a team do not all
// take part in an exchange, when a lane reads another that has ended, when the lanes of a wavefront
// meet a barrier at different lines, and when a block can not go on.
//
// TESSERA_WIDEST_WAVE: lanes of a wavefront, 32 or 64.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define TESSERA_DYNAMIC_SHARED(name) \
  unsigned char* const name = tessera::emulated::Block::current().shared()

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

// Between stacks, which the checked form that glibc puts in its place refuses.
extern "C" [[noreturn]] void jumpTo(std::jmp_buf, int) noexcept __asm__("_longjmp");

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
    while (stacks().size() < threads) stacks().push_back(std::make_unique_for_overwrite<Stack>());
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    for (std::size_t k = 0; k < fibers_.size(); ++k)
      if (!fibers_[k].ended) stacks()[k]->waits = false;
  }

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
        resume();
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
  // Kept between blocks, of which one runs at a time: a thread that has ended waits on its stack
  // for the next block's, since each context that begins takes system calls.
  struct Stack {
    std::byte bytes[stackBytes];
    ucontext_t context;   // that it begins with
    std::jmp_buf goesOn;  // where it waits
    bool waits = false;
  };
  struct Fiber {
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
  static std::vector<std::unique_ptr<Stack>>& stacks() {
    static std::vector<std::unique_ptr<Stack>> all;
    return all;
  }
  // One thread of each block after the other.
  static void enter() {
    for (;;) {
      runThread();
      jumpToScheduler();
    }
  }
  __attribute__((noinline)) static void runThread() {
    Block& block = current();
    Fiber& fiber = block.fibers_[block.now_];
    try {
      block.kernel_();
    } catch (...) {
      block.error_ = std::current_exception();
    }
    fiber.ended = true;
    fiber.runnable = false;
  }
  // Returns when this thread, or the next one on its stack, is resumed.
  __attribute__((noinline)) static void jumpToScheduler() {
    Block& block = current();
    Stack& stack = *stacks()[block.now_];
    stack.waits = true;
    if (_setjmp(stack.goesOn) == 0) jumpTo(block.scheduler_, 1);
  }
  // Runs a thread until it waits or ends. Unlike swapcontext() the jumps make no system call.
  __attribute__((noinline)) void resume() {
    if (_setjmp(scheduler_) != 0) return;
    Stack& stack = *stacks()[now_];
    if (stack.waits) jumpTo(stack.goesOn, 1);
    getcontext(&stack.context);
    stack.context.uc_stack.ss_sp = stack.bytes;
    stack.context.uc_stack.ss_size = stackBytes;
    stack.context.uc_link = nullptr;
    makecontext(&stack.context, &Block::enter, 0);
    setcontext(&stack.context);
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
    jumpToScheduler();
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
  std::jmp_buf scheduler_{};
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
