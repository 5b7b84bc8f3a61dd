// SPDX-License-Identifier: GPL-3.0-or-later
// A parallel loop whose body may throw. Exceptions must not pass through libtbb: a program with the
// C++ runtime linked statically (the portable preset) is terminated there. And of several errors
// the one of the lowest index is reported, whatever the number of threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <exception>
#include <mutex>

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

}  // namespace tessera::stage
