// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a state on the CPU: two copies in large pages, each tile touched first by the thread
// that steps it, and a third copy for checkpoints.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pipelines/stage/system/large_array.hpp"
#include "solver/backend/cpu/parallel.hpp"
#include "solver/backend/cpu/vectors.hpp"
#include "solver/backend/driver.hpp"
#include "solver/domain/domain.hpp"
#include "solver/model/stored_values.hpp"

namespace tessera::solver::backend {

// Copy bandwidth, the bound of speeds: bytes per second, read and written, of copying all tiles of
// a state over the other copy (which is overwritten) with non-temporal stores, by the threads that
// step them; a median of five, each of at least 64 MB. forTiles(body): loop of the step.
template <class T, class ForTiles>
double tileCopyBandwidth(T* to, const T* from, std::uint64_t tile, std::uint32_t tiles,
                         const ForTiles& forTiles) {
  const std::uint64_t bytes = tiles * tile * sizeof(T);
  const std::uint64_t times = 1 + (std::uint64_t{1} << 26U) / bytes;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t k = 0; k < times; ++k)
      forTiles([&](const TileSpan& range) {
        streamLines(to + range.begin() * tile, from + range.begin() * tile,
                    range.size() * tile * sizeof(T));
        fenceStreams();
      });
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(bytes * times) / seconds[2];
}

// A copy of a state from which a checkpoint is written while steps go on; allocated for the first
// checkpoint and kept.
class SavedState {
 public:
  // bytes: the same in every call.
  std::span<const std::byte> take(const void* state, std::uint64_t bytes) {
    if (!copy_) copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const auto* from = static_cast<const std::byte*>(state);
    const auto copyRange = [&](std::size_t begin, std::size_t end) {
      std::memcpy(copy_.get() + begin, from + begin, end - begin);
    };
    parallelRanges(bytes, std::size_t{1} << 20U, RangeBody(copyRange));
    return {copy_.get(), bytes};
  }

 private:
  std::unique_ptr<std::byte[]> copy_;
};

// State of all slots in two copies; T: stored type (model/stored_values.hpp). Slot s begins at
// now()[s * perSlot].
template <class T>
class CpuState {
 public:
  // tiles must outlive this; slots beyond them are tiles of other ranks and ghosts.
  CpuState(CpuTiles& tiles, std::uint32_t slots, std::uint64_t perSlot)
      : tiles_(tiles),
        slots_(slots),
        perSlot_(perSlot),
        now_(slots * perSlot, [this](const auto& zero) { this->touch(zero); }),
        next_(slots * perSlot, [this](const auto& zero) { this->touch(zero); }) {}

  [[nodiscard]] T* now() { return now_.data(); }
  [[nodiscard]] const T* now() const { return now_.data(); }
  [[nodiscard]] T* next() { return next_.data(); }
  void advance() { now_.swap(next_); }

  [[nodiscard]] std::vector<double> values(std::uint32_t first, std::uint32_t count) const {
    std::vector<double> out(model::valuesOf<T>(std::min(count, slots_ - first) * perSlot_));
    model::widenValues(now() + first * perSlot_, out);
    return out;
  }
  void set(std::span<const double> values, std::uint32_t first) {
    model::storeValues(values, now() + first * perSlot_);
  }
  void setRandom() { model::storeNoise(tiles_.count() * perSlot_, now()); }
  std::span<const std::byte> save() { return saved_.take(now(), savedBytes()); }
  void restore(std::span<const std::byte> saved) { std::memcpy(now(), saved.data(), savedBytes()); }
  double copyBandwidth() {
    return tileCopyBandwidth(next(), now(), perSlot_, tiles_.count(),
                             [this](const auto& body) { tiles_.forAll(body); });
  }

 private:
  [[nodiscard]] std::uint64_t savedBytes() const { return tiles_.count() * perSlot_ * sizeof(T); }
  template <class Zero>
  void touch(const Zero& zero) {
    tiles_.forAll(
        [&](const TileSpan& range) { zero(range.begin() * perSlot_, range.size() * perSlot_); });
    zero(tiles_.count() * perSlot_, (slots_ - tiles_.count()) * perSlot_);
  }

  CpuTiles& tiles_;
  std::uint32_t slots_;
  std::uint64_t perSlot_;
  stage::LargeArray<T> now_;
  stage::LargeArray<T> next_;
  SavedState saved_;
};

}  // namespace tessera::solver::backend
