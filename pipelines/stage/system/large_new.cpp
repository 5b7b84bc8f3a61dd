// SPDX-License-Identifier: GPL-3.0-or-later
// operator new of the programs: arrays of at least 8 MB lie in large pages where the system grants
// them on request (Linux, transparent_hugepage = madvise). In small ones, each of which the system
// clears when it is first touched, the vectors that are filled once at the start and at the end of
// a run cost two to four times as much as what is written to them.
#include <cstdlib>
#include <new>

#include "pipelines/stage/system/large_array.hpp"

namespace {

constexpr std::size_t leastLarge = 4 * tessera::stage::largePage;

void* allocate(std::size_t bytes) noexcept {
  if (bytes >= leastLarge) return tessera::stage::allocateLargePages(bytes);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const data = allocate(bytes)) return data;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* data) noexcept {
  std::free(data);
}
void operator delete(void* data, std::size_t) noexcept {
  std::free(data);
}
