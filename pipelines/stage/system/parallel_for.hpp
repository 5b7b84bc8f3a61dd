// SPDX-License-Identifier: GPL-3.0-or-later
// Threads: a parallel loop whose body may throw, and background threads without signals. Exceptions
// must not pass through libtbb, which ends a program with a statically linked C++ runtime (the
// portable preset). Of several errors the one of the lowest index is thrown, for any number of
// threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

namespace tessera::stage {

// Calls body(i) for i in [0, count); throws what the lowest i that failed threw. When one fails,
// the others may or may not be called.
template <class Body>
void parallelFor(std::size_t count, const Body& body) {
  std::mutex guard;
  std::exception_ptr error;
  std::size_t failed = count;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      std::size_t i = range.begin();
                      try {
                        for (; i != range.end(); ++i) body(i);
                      } catch (...) {
                        const std::lock_guard lock(guard);
                        if (i >= failed) return;
                        failed = i;
                        error = std::current_exception();
                      }
                    });
  if (error) std::rethrow_exception(error);
}

// Blocks of `size` indices, the last one shorter, that make up [0, count).
constexpr std::size_t blocksOf(std::size_t count, std::size_t size) {
  return (count + size - 1) / size;
}

// Calls body(block, first, end) for each of these blocks; errors as of parallelFor().
template <class Body>
void parallelBlocks(std::size_t count, std::size_t size, const Body& body) {
  parallelFor(blocksOf(count, size), [&](std::size_t block) {
    body(block, block * size, count < (block + 1) * size ? count : (block + 1) * size);
  });
}

// A background thread that receives no signals, which could interrupt its writes. Throws
// std::system_error if no thread can be created; the caller's signals are then as before.
template <class Body>
std::thread threadWithoutSignals(const Body& body) {
  struct Blocked {
    Blocked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before;
  };
  const Blocked blocked;
  return std::thread(body);
}

}  // namespace tessera::stage
