// SPDX-License-Identifier: GPL-3.0-or-later
// A copy of a state in memory, from which a checkpoint is written while steps go on. Made at the
// first checkpoint and kept for the next.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace tessera {

class SavedState {
 public:
  // bytes: the same in every call.
  std::span<const std::byte> take(const void* state, std::uint64_t bytes) {
    if (!copy_) copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const auto* from = static_cast<const std::byte*>(state);
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, bytes, std::uint64_t{1} << 20U),
                      [&](const tbb::blocked_range<std::uint64_t>& range) {
                        std::memcpy(copy_.get() + range.begin(), from + range.begin(),
                                    range.size());
                      });
    return {copy_.get(), bytes};
  }

 private:
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace tessera
