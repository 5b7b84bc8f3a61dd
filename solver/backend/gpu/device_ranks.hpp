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
  // Collective, in the order of the stream.
  virtual void sum(std::int64_t* values, std::size_t count, StreamHandle stream) = 0;
  // Starts to exchange results of the stream. All sends are contiguous from the first one's
  // address, and so are all receives.
  virtual void start(std::span<const DeviceMessage> messages, StreamHandle stream) = 0;
  // Later launches in the stream find it received.
  virtual void finish(std::span<const DeviceMessage> messages, StreamHandle stream) = 0;
  // Aborts pending exchanges, before device memory is freed, which would wait for them.
  virtual void abort() {}
};

// Guard, last member of an owner of device memory: if it ends by an exception, other ranks may
// never join pending exchanges.
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

// Null for a single rank. Collective. Throws StageError(NoResource) when NCCL does not start.
std::unique_ptr<DeviceRanks> deviceRanks(comm::Ranks& ranks);

}  // namespace tessera::solver::backend
