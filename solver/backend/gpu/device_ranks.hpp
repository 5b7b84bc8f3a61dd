// SPDX-License-Identifier: GPL-3.0-or-later
// Halo exchange from device memory: NCCL, in the order of streams and without the host, else (or
// with TESSERA_HALO=host) staged through pinned host memory and sent by the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "solver/backend/gpu/runtime.hpp"

#include "solver/comm/ranks.hpp"

namespace tessera::solver::backend {

// As HaloMessage, in device memory.
struct DeviceMessage {
  int rank = 0;
  const std::byte* send = nullptr;
  std::size_t sent = 0;
  std::byte* receive = nullptr;
  std::size_t received = 0;
};

class DeviceRanks {
 public:
  virtual ~DeviceRanks() = default;
  // Collective, in the order of the stream; what was launched there before has been done by then.
  virtual void sum(std::int64_t* values, std::size_t count, StreamHandle stream) = 0;
  // Begins to exchange what the stream has made so far. All sends lie behind each other from the
  // first one's on, and so do all receives.
  virtual void start(std::span<const DeviceMessage> messages, StreamHandle stream) = 0;
  // What is launched in the stream from now on finds it received.
  virtual void finish(std::span<const DeviceMessage> messages, StreamHandle stream) = 0;
  // Gives up what was begun: before memory of the device is freed, which waits for it.
  virtual void abort() {}
};

// The last member of what has memory on a device: when that ends by an error, others may never come
// to what was begun with them.
class AbortedFirst {
 public:
  explicit AbortedFirst(DeviceRanks* ranks) : ranks_(ranks) {}
  AbortedFirst(const AbortedFirst&) = delete;
  AbortedFirst& operator=(const AbortedFirst&) = delete;
  ~AbortedFirst() {
    if (ranks_ != nullptr && std::uncaught_exceptions() > 0) ranks_->abort();
  }

 private:
  DeviceRanks* ranks_;
};

// Null where one rank is alone. Collective. Throws StageError(NoResource) when NCCL does not start.
std::unique_ptr<DeviceRanks> deviceRanks(comm::Ranks& ranks);

}  // namespace tessera::solver::backend
