// SPDX-License-Identifier: GPL-3.0-or-later
// The moments of all tiles on a device, in two copies or in one. In one copy the new state of a
// tile is written some places before its old one: tiles are stepped in the order of their slots, in
// chunks, and what a chunk writes over has been read by then, if the shift is at least the farthest
// neighbour and two chunks. Chunks take turns on two streams; one waits for the third before it, so
// two are always on the device and none need wait for the end of the one before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_memory.cuh"
#include "solver/state/moment_window.hpp"

namespace tessera {

// Two streams that wait for each other's chunks. They are ordered with the default stream as well,
// so what is launched there comes before or after all chunks.
class ChunkStreams {
 public:
  ChunkStreams() {
    for (cudaStream_t& stream : streams_) checkCuda(cudaStreamCreate(&stream), "stream");
    for (cudaEvent_t& event : events_)
      checkCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  ChunkStreams(const ChunkStreams&) = delete;
  ChunkStreams& operator=(const ChunkStreams&) = delete;
  ~ChunkStreams() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  // launch(stream) of the next chunk.
  template <class Launch>
  void next(const Launch& launch) {
    cudaStream_t stream = streams_[chunk_ % streams_.size()];
    if (chunk_ >= 3)
      checkCuda(cudaStreamWaitEvent(stream, events_[(chunk_ - 3) % events_.size()]), "event");
    launch(stream);
    checkCuda(cudaEventRecord(events_[chunk_ % events_.size()], stream), "event");
    ++chunk_;
  }

 private:
  std::array<cudaStream_t, 2> streams_{};
  std::array<cudaEvent_t, 4> events_{};
  std::uint64_t chunk_ = 0;
};

template <class Real>
class CudaMomentState {
 public:
  explicit CudaMomentState(const Domain& domain) : slots_(domain.slots) {
    const std::uint32_t tiles = domain.tiles;
    places_ = {tiles, tiles, 0};
    if (domain.stateCopies == 1) {
      const MomentWindow window =
          momentWindow(tiles, farthestNeighbour(domain.rows, tiles), sizeof(Real));
      chunk_ = window.chunk;
      shift_ = window.shift;
      places_.window += shift_;
    }
    const std::uint64_t size = momentIndex(places_.window + (slots_ - tiles), 0, 0);
    first_ = DeviceArray<Real>(size);
    if (!oneCopy()) second_ = DeviceArray<Real>(size);
  }

  [[nodiscard]] Real* now() const { return first_.data(); }
  [[nodiscard]] Real* next() const { return oneCopy() ? first_.data() : second_.data(); }
  [[nodiscard]] const MomentPlaces& nowPlaces() const { return places_; }
  [[nodiscard]] MomentPlaces nextPlaces() const {
    MomentPlaces places = places_;
    if (oneCopy()) places.shift = (places_.shift + places_.window - shift_) % places_.window;
    return places;
  }
  // The new state becomes the old one.
  void advance() {
    places_ = nextPlaces();
    if (!oneCopy()) first_.swap(second_);
  }
  void clear() {
    const auto zero = [](const DeviceArray<Real>& array) {
      if (array.size() != 0)
        checkCuda(cudaMemset(array.data(), 0, array.size() * sizeof(Real)), "memset");
    };
    zero(first_);
    zero(second_);
  }

  // launch(first block, number of blocks, stream), in an order and at a time at which they may
  // write. firstSlots: of each block.
  template <class Launch>
  void forChunks(const std::vector<std::uint32_t>& firstSlots, const Launch& launch) {
    const auto blocks = static_cast<std::uint32_t>(firstSlots.size());
    if (!oneCopy()) return launch(0, blocks, nullptr);
    for (std::uint32_t first = 0; first < blocks;) {
      std::uint32_t end = first + 1;
      while (end < blocks && firstSlots[end] - firstSlots[first] < chunk_) ++end;
      streams_.next([&](cudaStream_t stream) { launch(first, end - first, stream); });
      first = end;
    }
  }

  // Slot by slot, widened to double.
  [[nodiscard]] std::vector<double> values() const {
    std::vector<Real> host;
    first_.download(host, first_.size());
    std::vector<double> out(momentIndex(slots_, 0, 0));
    for (std::uint32_t slot = 0; slot < slots_; ++slot)
      std::copy_n(host.begin() + static_cast<std::ptrdiff_t>(momentIndex(places_(slot), 0, 0)),
                  64 * moment::count,
                  out.begin() + static_cast<std::ptrdiff_t>(momentIndex(slot, 0, 0)));
    return out;
  }
  void set(std::span<const double> values) {
    std::vector<Real> host(first_.size(), Real(0));
    for (std::uint32_t slot = 0; slot < slots_; ++slot)
      std::transform(values.begin() + static_cast<std::ptrdiff_t>(momentIndex(slot, 0, 0)),
                     values.begin() + static_cast<std::ptrdiff_t>(momentIndex(slot + 1, 0, 0)),
                     host.begin() + static_cast<std::ptrdiff_t>(momentIndex(places_(slot), 0, 0)),
                     [](double m) { return Real(m); });
    first_.upload(host);
  }

 private:
  [[nodiscard]] bool oneCopy() const { return shift_ != 0; }

  std::uint32_t slots_;
  std::uint32_t shift_ = 0;  // tiles between a tile's old and new place; 0: two copies
  std::uint32_t chunk_ = 0;  // tiles
  MomentPlaces places_{};
  DeviceArray<Real> first_;
  DeviceArray<Real> second_;
  ChunkStreams streams_;
};

}  // namespace tessera
