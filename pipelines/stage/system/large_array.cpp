// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/system/large_array.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::stage {

void* allocateLargePages(std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX - largePage) return nullptr;
  const std::size_t rounded = std::max<std::size_t>(1, (bytes + largePage - 1) / largePage);
  void* const data = std::aligned_alloc(largePage, rounded * largePage);
#if defined(MADV_HUGEPAGE)
  // A hint, which may be refused.
  if (data != nullptr) madvise(data, rounded * largePage, MADV_HUGEPAGE);
#endif
  return data;
}

void zeroTogether(void* data, std::size_t bytes) {
  constexpr std::size_t piece = 4 * largePage;
  parallelFor((bytes + piece - 1) / piece, [&](std::size_t k) {
    std::memset(static_cast<std::byte*>(data) + k * piece, 0, std::min(piece, bytes - k * piece));
  });
}

}  // namespace tessera::stage
