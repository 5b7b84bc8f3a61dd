// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/system/large_array.hpp"

#include <sys/mman.h>

#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::stage {

void adviseLargePages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (first + largePage - 1) / largePage * largePage;
  const std::uintptr_t end = (first + bytes) / largePage * largePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void zeroTogether(void* data, std::size_t bytes) {
  constexpr std::size_t piece = 4 * largePage;
  parallelBlocks(bytes, piece, [&](std::size_t, std::size_t first, std::size_t end) {
    std::memset(static_cast<std::byte*>(data) + first, 0, end - first);
  });
}

}  // namespace tessera::stage
