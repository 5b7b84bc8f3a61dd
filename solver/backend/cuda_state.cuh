// SPDX-License-Identifier: GPL-3.0-or-later
// The state of all tiles on a device, populations or moments, in two copies or in one. In one copy
// the new state of a tile is written some places before its old one, round a window of memory
// (DeviceRing): tiles are stepped in the order of their slots, in chunks, and what a chunk
// writes over has been read by then, if the shift is at least the farthest neighbour and two
// chunks. Chunks take turns on two streams; one waits for the third before it, so two are always on
// the device and none need wait for the end of the one before.
//
// With other ranks slots behind the tiles, of theirs and ghosts, get their new state beside the
// chunks. It lies `shift` lower than the old one: from slot tiles - shift on, where old tiles are,
// up to slot tiles + behind - shift = tiles - farthest - two chunks. A chunk that begins at tile t
// reads tiles from t - farthest on, and the last two begin no lower than two chunks before the end:
// so when all but the last two have ended nobody reads there any more, and the new state may be
// put in place while those two still run.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_noise.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/state/state_window.hpp"
#include "solver/state/stored_values.hpp"

namespace tessera {

// Two streams that wait for each other's chunks. They are ordered with the default stream as well,
// so what is launched there comes before or after all chunks.
class ChunkStreams {
 public:
  // launch(stream) of the next chunk.
  template <class Launch>
  void next(const Launch& launch) {
    StreamHandle stream = streams_[chunk_ % streams_.size()].get();
    if (chunk_ >= 3) events_[(chunk_ - 3) % events_.size()].holdBack(stream);
    launch(stream);
    events_[chunk_ % events_.size()].record(stream);
    ++chunk_;
  }
  // What `stream` is given next waits for all chunks so far but the last ones, of which it may let
  // 0, 1 or 2 run.
  void letWait(StreamHandle stream, std::uint64_t running) const {
    // One a stream, behind all others of that.
    for (std::uint64_t back = running + 1; back <= running + 2; ++back)
      if (chunk_ >= back) events_[(chunk_ - back) % events_.size()].holdBack(stream);
  }
  // All chunks to come wait for the event.
  void waitFor(const DeviceEvent& event) const {
    for (const DeviceStream& stream : streams_) event.holdBack(stream.get());
  }

 private:
  std::array<DeviceStream, 2> streams_;
  std::array<DeviceEvent, 4> events_;
  std::uint64_t chunk_ = 0;
};

// T: what is stored. Slot s begins at now()[s * perSlot], in one piece for all slots, ghosts too.
template <class T>
class CudaState {
 public:
  CudaState(const Domain& domain, std::uint64_t perSlot)
      : perSlot_(perSlot), size_(domain.slots * perSlot), tiles_(domain.tiles) {
    if (domain.window.shift != 0) {
      chunk_ = domain.window.chunk;
      window_.emplace(size_ * sizeof(T) + domain.window.shift * perSlot * sizeof(T));
      places_ = roundPlaces(window_->size(), size_ * sizeof(T));
    } else {
      first_ = DeviceArray<T>(size_);
      second_ = DeviceArray<T>(size_);
    }
  }

  [[nodiscard]] T* now() const { return window_ ? at(begin_) : first_.data(); }
  [[nodiscard]] T* next() const { return window_ ? at(places_.next(begin_)) : second_.data(); }
  [[nodiscard]] bool oneCopy() const { return window_.has_value(); }
  // The new state becomes the old one.
  void advance() {
    if (window_)
      begin_ = places_.next(begin_);
    else
      first_.swap(second_);
  }
  void clear() {
    if (window_) zeroDevice(window_->data(), window_->size());
    zeroDevice(first_.data(), first_.size() * sizeof(T));
    zeroDevice(second_.data(), second_.size() * sizeof(T));
  }

  // launch(first tile, number of tiles, stream), in an order and at a time at which they may write;
  // of two copies all in the stream `whole`. launched(end): after each, of tiles up to there.
  template <class Launch, class Launched>
  void forChunks(StreamHandle whole, const Launch& launch, const Launched& launched) {
    if (!oneCopy()) return launch(0, tiles_, whole);
    for (std::uint32_t first = 0; first < tiles_; first += chunk_) {
      const std::uint32_t count = std::min(chunk_, tiles_ - first);
      streams_.next([&](StreamHandle stream) { launch(first, count, stream); });
      launched(first + count);
    }
  }
  // The same of blocks of tiles: launch(first block, number of blocks, stream). firstSlots: of each
  // block.
  template <class Launch, class Launched>
  void forChunks(const std::vector<std::uint32_t>& firstSlots, StreamHandle whole,
                 const Launch& launch, const Launched& launched) {
    const auto blocks = static_cast<std::uint32_t>(firstSlots.size());
    if (!oneCopy()) return launch(0, blocks, whole);
    for (std::uint32_t first = 0; first < blocks;) {
      std::uint32_t end = first + 1;
      while (end < blocks && firstSlots[end] - firstSlots[first] < chunk_) ++end;
      streams_.next([&](StreamHandle stream) { launch(first, end - first, stream); });
      first = end;
      launched(end == blocks ? tiles_ : firstSlots[end]);
    }
  }
  // Of one copy: `stream` waits for the chunks launched so far.
  void letWaitForChunks(StreamHandle stream) const { streams_.letWait(stream, 0); }
  // When all of a step are launched: `stream` waits until the new state of slots behind the tiles
  // may be written.
  void letWaitForRead(StreamHandle stream) const { streams_.letWait(stream, 2); }
  // Chunks of the next step wait for the event.
  void nextChunksWaitFor(const DeviceEvent& event) const { streams_.waitFor(event); }

  // Slots first .. first + count - 1, as many as there are, widened to double.
  [[nodiscard]] std::vector<double> values(std::uint32_t first, std::uint32_t count) {
    const std::uint64_t begin = first * perSlot_;
    std::vector<double> out(std::min(count * perSlot_, size_ - begin));
    inParts(std::span<double>(out), [&](std::uint64_t done, std::span<double> part, T* host) {
      copyFromDevice(host, now() + begin + done, part.size() * sizeof(T));
      widenValues(host, part);
    });
    return out;
  }
  void set(std::span<const double> values, std::uint32_t first) {
    const std::uint64_t begin = first * perSlot_;
    inParts(values, [&](std::uint64_t done, std::span<const double> part, T* host) {
      storeValues(part, host);
      copyToDevice(now() + begin + done, host, part.size() * sizeof(T));
    });
  }
  void setNoise() { fillWithNoise(now(), tiles_ * perSlot_); }
  // Slots 0 .. tiles - 1, as they are stored.
  std::span<const std::byte> save(std::uint32_t tiles, StagingBuffer& copy) const {
    const std::uint64_t bytes = tiles * perSlot_ * sizeof(T);
    std::byte* host = copy.room(bytes);
    copyFromDevice(host, now(), bytes);
    return {host, bytes};
  }
  void restore(std::span<const std::byte> saved) {
    copyToDevice(now(), saved.data(), saved.size());
  }

 private:
  // body(first of the values, part of them, memory of the host for as many): at most 32 MB at a
  // time, pinned where that is granted.
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
  std::uint32_t chunk_ = 0;  // tiles
  RoundPlaces places_;       // in the window
  std::uint64_t begin_ = 0;  // byte of the window at which slot 0 is
  std::optional<DeviceRing> window_;
  DeviceArray<T> first_;
  DeviceArray<T> second_;
  ChunkStreams streams_;
  StagingBuffer parts_;
};

}  // namespace tessera
