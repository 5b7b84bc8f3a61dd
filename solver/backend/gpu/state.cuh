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
#include "solver/backend/gpu/value_order.cuh"
#include "solver/domain/domain.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::backend {

// Chunks of an in-place update as parts of a pass, units of which are tiles. The halo begins behind
// the chunk that completes the border.
inline std::vector<PassPart> windowParts(const domain::Domain& domain, bool exchanges) {
  std::vector<PassPart> parts;
  bool border = exchanges;
  for (std::uint32_t first = 0; first < domain.tiles;) {
    const std::uint32_t end = std::min(first + domain.window.chunk, domain.tiles);
    PassPart part{first, end, Lane::Window};
    if (border && end >= domain.borderTiles) {
      part.endsBorder = true;
      part.completed = domain.borderTiles;
      border = false;
    }
    parts.push_back(part);
    first = end;
  }
  return parts;
}

// Border and interior of two copies.
inline std::vector<PassPart> haloParts(const domain::Domain& domain) {
  return {{0, domain.borderTiles, Lane::Border, true, domain.borderTiles},
          {domain.borderTiles, domain.tiles}};
}

// T: stored type (model/stored_values.hpp); Order: of its values, which are given and taken in the
// order of files. Slot s begins at now()[s * perSlot], contiguous for all slots, ghosts too.
template <class T, class Order = OrderOfFiles>
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
    const std::uint64_t stored = std::min(count * perSlot_, size_ - begin);
    std::vector<double> out(model::valuesOf<T>(stored));
    T* host = reinterpret_cast<T*>(parts_.room(mostOfPart() * sizeof(T)));
    inParts(stored, [&](std::uint64_t done, std::uint64_t part) {
      take(begin + done, part, host);
      model::widenValues(
          host, std::span(out).subspan(model::valuesOf<T>(done), model::valuesOf<T>(part)));
    });
    return out;
  }
  void set(std::span<const double> values, std::uint32_t first) {
    const std::uint64_t begin = first * perSlot_;
    T* host = reinterpret_cast<T*>(parts_.room(mostOfPart() * sizeof(T)));
    inParts(values.size() / model::valuesOf<T>(perSlot_) * perSlot_, [&](std::uint64_t done,
                                                                         std::uint64_t part) {
      model::storeValues(values.subspan(model::valuesOf<T>(done), model::valuesOf<T>(part)), host);
      put(begin + done, part, host);
    });
  }
  void setRandom() { fillWithNoise<Order>(now(), tiles_ * perSlot_); }
  // Slots 0 .. tiles - 1, as they are stored.
  std::span<const std::byte> save() {
    const std::uint64_t bytes = tiles_ * perSlot_ * sizeof(T);
    std::byte* host = saved_.room(bytes);
    inParts(tiles_ * perSlot_, [&](std::uint64_t done, std::uint64_t count) {
      take(done, count, reinterpret_cast<T*>(host) + done);
    });
    return {host, bytes};
  }
  void restore(std::span<const std::byte> saved) {
    inParts(saved.size() / sizeof(T), [&](std::uint64_t done, std::uint64_t count) {
      put(done, count, reinterpret_cast<const T*>(saved.data()) + done);
    });
  }

  static double copyBandwidth() { return deviceCopyBandwidth(); }

 private:
  // Values of a part: whole slots, at most 32 MB.
  [[nodiscard]] std::uint64_t mostOfPart() const {
    return std::min(
        size_,
        std::max<std::uint64_t>((std::uint64_t{32} << 20U) / sizeof(T) / perSlot_, 1) * perSlot_);
  }
  // Calls body(first, count) for part after part of that many values.
  template <class Body>
  void inParts(std::uint64_t values, const Body& body) const {
    const std::uint64_t most = mostOfPart();
    for (std::uint64_t done = 0; done < values; done += most)
      body(done, std::min(most, values - done));
  }
  // Values from `first` on, of whole slots, from or to the host.
  void take(std::uint64_t first, std::uint64_t count, T* host) {
    const T* from = now() + first;
    if constexpr (Order::differs) {
      reserveOrdered();
      launchKernel(&toFileOrderKernel<Order, T>, orderShape(count), defaultStream, from, count,
                   ordered_.data());
      from = ordered_.data();
    }
    copyFromDevice(host, from, count * sizeof(T));
  }
  void put(std::uint64_t first, std::uint64_t count, const T* host) {
    if constexpr (Order::differs) {
      reserveOrdered();
      copyToDevice(ordered_.data(), host, count * sizeof(T));
      launchKernel(&fromFileOrderKernel<Order, T>, orderShape(count), defaultStream,
                   ordered_.data(), count, now() + first);
    } else {
      copyToDevice(now() + first, host, count * sizeof(T));
    }
  }
  void reserveOrdered() {
    if (ordered_.size() == 0) ordered_ = DeviceArray<T>(mostOfPart());
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
  DeviceArray<T> ordered_;  // a part in the order of files
  StagingBuffer parts_;
  StagingBuffer saved_;
};

}  // namespace tessera::solver::backend
