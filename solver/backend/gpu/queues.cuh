// SPDX-License-Identifier: GPL-3.0-or-later
// Streams next to the main one in which phases of a pass overlap, with the events that order them.
#pragma once

#include <array>
#include <cstdint>

#include "solver/backend/gpu/runtime.hpp"

namespace tessera::solver::backend {

// A second stream of highest priority, so that its few blocks precede the many of the main stream.
// Each can wait for the marked work of the other.
class SideStream {
 public:
  [[nodiscard]] StreamHandle get() const { return stream_.get(); }
  void markMain(StreamHandle main) const { main_.record(main); }
  void waitForMain() const { main_.holdBack(get()); }
  void mark() const { side_.record(get()); }
  void holdBack(StreamHandle main) const { side_.holdBack(main); }

 private:
  DeviceStream stream_{StreamOrder::WithDefault, StreamPriority::Highest};
  DeviceEvent main_;
  DeviceEvent side_;
};

// The stream of border tiles and halo exchange: ahead of all that runs at the same time, and not
// ordered with the default stream.
class HaloStream {
 public:
  [[nodiscard]] StreamHandle get() const { return stream_.get(); }
  // Later work here waits for the work that the default stream has so far.
  void afterSteps() const {
    stepped_.record(defaultStream);
    stepped_.holdBack(get());
  }
  // Marks the border tiles of a step; marks the whole state.
  void markBorder() const { border_.record(get()); }
  void markWhole() const { whole_.record(get()); }
  [[nodiscard]] const DeviceEvent& whole() const { return whole_; }
  // Later work of the default stream waits for the last of these.
  void holdBackForBorder() const { border_.holdBack(defaultStream); }
  void holdBackForWhole() const { whole_.holdBack(defaultStream); }

 private:
  DeviceStream stream_{StreamOrder::Independent, StreamPriority::Highest};
  DeviceEvent stepped_;
  DeviceEvent border_;
  DeviceEvent whole_;
};

// Two streams in which chunks of an in-place update take turns; each chunk waits for the third
// before it, so two are always on the device and none waits for the end of the one before. Both are
// ordered with the default stream, so what is launched there precedes or follows all chunks.
class ChunkStreams {
 public:
  // The stream of the next chunk; end() once it has been launched.
  StreamHandle begin() const {
    StreamHandle stream = streams_[chunk_ % streams_.size()].get();
    if (chunk_ >= 3) events_[(chunk_ - 3) % events_.size()].holdBack(stream);
    return stream;
  }
  void end() {
    events_[chunk_ % events_.size()].record(streams_[chunk_ % streams_.size()].get());
    ++chunk_;
  }
  // Later work of `stream` waits for all chunks so far but the last 0, 1 or 2.
  void holdBack(StreamHandle stream, std::uint64_t running) const {
    // One event per stream, behind all others of that stream.
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

}  // namespace tessera::solver::backend
