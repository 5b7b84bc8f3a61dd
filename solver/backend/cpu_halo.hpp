// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange of a halo on the CPU: packed, sent and received beside steps, unpacked.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <memory>
#include <vector>

#include "solver/ranks/halo_plan.hpp"
#include "solver/ranks/ranks.hpp"

namespace tessera {

template <class T>
class CpuHalo {
 public:
  // plan must outlive this.
  CpuHalo(const HaloPlan& plan, Ranks& ranks)
      : plan_(plan), ranks_(ranks), memory_(std::make_shared<Memory>()) {
    memory_->sent.resize(plan_.send.size());
    memory_->received.resize(plan_.receive.size());
    const std::span<const T> sent(memory_->sent);
    const std::span<T> received(memory_->received);
    for (const HaloNeighbour& other : plan_.neighbours)
      messages_.push_back(
          {other.rank, std::as_bytes(sent.subspan(other.firstSent, other.sent)),
           std::as_writable_bytes(received.subspan(other.firstReceived, other.received))});
  }

  // The border tiles of the state are done.
  void start(const T* state) {
    std::vector<T>& sent = memory_->sent;
    forAll(sent.size(), [&](std::size_t k) { sent[k] = state[plan_.send[k]]; });
    ranks_.start(messages_, memory_);
  }
  void finish(T* state) {
    ranks_.wait();
    const std::vector<T>& received = memory_->received;
    forAll(received.size(), [&](std::size_t k) { state[plan_.receive[k]] = received[k]; });
  }

 private:
  struct Memory {
    std::vector<T> sent;
    std::vector<T> received;
  };
  template <class Body>
  static void forAll(std::size_t count, const Body& body) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 4096),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t k = range.begin(); k < range.end(); ++k) body(k);
                      });
  }

  const HaloPlan& plan_;
  Ranks& ranks_;
  std::shared_ptr<Memory> memory_;
  std::vector<HaloMessage> messages_;
};

}  // namespace tessera
