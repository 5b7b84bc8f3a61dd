// SPDX-License-Identifier: GPL-3.0-or-later
// The state of all tiles on a device, populations or moments: two copies, or one that is updated in
// place by a shifted window (grid compression, Pohl et al. 2003) in a ring buffer (DeviceRing).
//
// In place the new state of a tile is written some slots before its old one. Tiles are stepped in
// the order of their slots, in chunks of which two run at a time (ChunkStreams); what a chunk
// overwrites has been read by then, if the shift is at least the farthest neighbour and two chunks.
//
// With several ranks, slots behind the tiles (tiles of other ranks and ghosts) get their new state
// while chunks run. It lies `shift` lower than the old one: from slot tiles - shift on, where old
// tiles are, up to slot tiles + behind - shift = tiles - farthest - two chunks. A chunk that begins
// at tile t reads tiles from t - farthest on, and the last two begin no lower than two chunks
// before the end: once all but the last two have ended, nothing reads there, and the new
// state may be stored while those two still run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/backend/driver.hpp"
#include "solver/backend/gpu/measure.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/domain/domain.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::backend {

// Chunks of an in-place update as parts of a pass. units: tiles, or blocks of tiles;
// firstSlot(unit) is the first slot of each. The halo begins behind the chunk that completes the
// border.
template <class FirstSlot>
std::vector<PassPart> windowParts(const domain::Domain& domain, std::uint32_t units, bool exchanges,
                                  const FirstSlot& firstSlot) {
  std::vector<PassPart> parts;
  bool border = exchanges;
  for (std::uint32_t first = 0; first < units;) {
    std::uint32_t end = first + 1;
    while (end < units && firstSlot(end) - firstSlot(first) < domain.window.chunk) ++end;
    PassPart part{first, end, Lane::Window};
    if (border && (end == units ? domain.tiles : firstSlot(end)) >= domain.borderTiles) {
      part.endsBorder = true;
      part.completed = domain.borderTiles;
      border = false;
    }
    parts.push_back(part);
    first = end;
  }
  return parts;
}

// Border and interior of two copies, of which the first `border` units make up the border.
inline std::vector<PassPart> haloParts(const domain::Domain& domain, std::uint32_t units,
                                       std::uint32_t border) {
  return {{0, border, Lane::Border, true, domain.borderTiles}, {border, units}};
}

// T: stored type. Slot s begins at now()[s * perSlot], contiguous for all slots, ghosts too.
template <class T>
class GpuState {
 public:
  GpuState(const domain::Domain& domain, std::uint64_t perSlot)
      : perSlot_(perSlot), size_(domain.slots * perSlot), tiles_(domain.tiles) {
    if (domain.window.shift != 0) {
      window_.emplace(size_ * sizeof(T) + domain.window.shift * perSlot * sizeof(T));
      ring_ = tiles::ringLayout(window_->size(), size_ * sizeof(T));
    } else {
      first_ = DeviceArray<T>(size_);
      second_ = DeviceArray<T>(size_);
    }
  }

  [[nodiscard]] T* now() const { return window_ ? at(begin_) : first_.data(); }
  [[nodiscard]] T* next() const { return window_ ? at(ring_.next(begin_)) : second_.data(); }
  [[nodiscard]] bool inPlace() const { return window_.has_value(); }
  // The new state becomes the old one.
  void advance() {
    if (window_)
      begin_ = ring_.next(begin_);
    else
      first_.swap(second_);
  }
  void clear() {
    if (window_) zeroDevice(window_->data(), window_->size());
    zeroDevice(first_.data(), first_.size() * sizeof(T));
    zeroDevice(second_.data(), second_.size() * sizeof(T));
  }

  // Slots first .. first + count - 1, as many as there are, widened to double.
  [[nodiscard]] std::vector<double> values(std::uint32_t first, std::uint32_t count) {
    const std::uint64_t begin = first * perSlot_;
    std::vector<double> out(std::min(count * perSlot_, size_ - begin));
    inParts(std::span<double>(out), [&](std::uint64_t done, std::span<double> part, T* host) {
      copyFromDevice(host, now() + begin + done, part.size() * sizeof(T));
      model::widenValues(host, part);
    });
    return out;
  }
  void set(std::span<const double> values, std::uint32_t first) {
    const std::uint64_t begin = first * perSlot_;
    inParts(values, [&](std::uint64_t done, std::span<const double> part, T* host) {
      model::storeValues(part, host);
      copyToDevice(now() + begin + done, host, part.size() * sizeof(T));
    });
  }
  void setRandom() { fillWithNoise(now(), tiles_ * perSlot_); }
  // Slots 0 .. tiles - 1, as they are stored.
  std::span<const std::byte> save() {
    const std::uint64_t bytes = tiles_ * perSlot_ * sizeof(T);
    std::byte* host = saved_.room(bytes);
    copyFromDevice(host, now(), bytes);
    return {host, bytes};
  }
  void restore(std::span<const std::byte> saved) {
    copyToDevice(now(), saved.data(), saved.size());
  }

  static double copyBandwidth() { return deviceCopyBandwidth(); }

 private:
  // Calls body(first of the values, part of them, memory of the host for as many): at most 32 MB at
  // a time, pinned where that is granted.
  template <class Value, class Body>
  void inParts(std::span<Value> values, const Body& body) {
    const std::uint64_t most = std::min(size_, (std::uint64_t{32} << 20U) / sizeof(T));
    T* host = reinterpret_cast<T*>(parts_.room(most * sizeof(T)));
    for (std::uint64_t done = 0; done < values.size(); done += most)
      body(done, values.subspan(done, std::min(most, values.size() - done)), host);
  }
  [[nodiscard]] T* at(std::uint64_t byte) const {
    return reinterpret_cast<T*>(window_->data() + byte);
  }

  std::uint64_t perSlot_;
  std::uint64_t size_;  // of a copy, in T
  std::uint32_t tiles_;
  tiles::RingLayout ring_;   // in the window
  std::uint64_t begin_ = 0;  // byte of the window at which slot 0 is
  std::optional<DeviceRing> window_;
  DeviceArray<T> first_;
  DeviceArray<T> second_;
  StagingBuffer parts_;
  StagingBuffer saved_;
};

}  // namespace tessera::solver::backend
