// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks tell each other out of the memory of their devices: by NCCL, in the order of streams
// and without the host, or, where there is none (TESSERA_HALO=host asks for the same), by way of
// pinned memory of the host and the ranks themselves.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

namespace tessera {

class Ranks;

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
  virtual void sum(std::int64_t* values, std::size_t count, cudaStream_t stream) = 0;
  // Begins to exchange what the stream has made so far. All sends lie behind each other from the
  // first one's on, and so do all receives.
  virtual void start(std::span<const DeviceMessage> messages, cudaStream_t stream) = 0;
  // What is launched in the stream from now on finds it received.
  virtual void finish(std::span<const DeviceMessage> messages, cudaStream_t stream) = 0;
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
std::unique_ptr<DeviceRanks> deviceRanks(Ranks& ranks);

}  // namespace tessera
