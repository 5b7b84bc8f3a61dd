// SPDX-License-Identifier: GPL-3.0-or-later
// Halo exchange on the CPU: packed, sent and received while interior tiles are stepped, unpacked.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solver/backend/cpu/parallel.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/domain/domain.hpp"

namespace tessera::solver::backend {

template <class T>
class CpuHalo {
 public:
  CpuHalo(domain::HaloPlan plan, comm::Ranks& ranks)
      : plan_(std::move(plan)), ranks_(ranks), memory_(std::make_shared<Memory>()) {
    memory_->sent.resize(plan_.send.size());
    memory_->received.resize(plan_.receive.size());
    const std::span<const T> sent(memory_->sent);
    const std::span<T> received(memory_->received);
    for (const domain::HaloNeighbour& other : plan_.neighbours)
      messages_.push_back(
          {other.rank, std::as_bytes(sent.subspan(other.firstSent, other.sent)),
           std::as_writable_bytes(received.subspan(other.firstReceived, other.received))});
  }

  // The border tiles of the state have been stepped.
  void begin(const T* state) {
    std::vector<T>& sent = memory_->sent;
    forAll(sent.size(), [&](std::size_t k) { sent[k] = state[plan_.send[k]]; });
    ranks_.start(messages_, memory_);
  }
  void finish(T* state) {
    ranks_.wait();
    const std::vector<T>& received = memory_->received;
    forAll(received.size(), [&](std::size_t k) { state[plan_.receive[k]] = received[k]; });
  }

  void exchange(T* state) {
    begin(state);
    finish(state);
  }

 private:
  struct Memory {
    std::vector<T> sent;
    std::vector<T> received;
  };
  template <class Body>
  static void forAll(std::size_t count, const Body& body) {
    parallelIndices(count, 4096, body);
  }

  domain::HaloPlan plan_;
  comm::Ranks& ranks_;
  std::shared_ptr<Memory> memory_;
  std::vector<comm::HaloMessage> messages_;
};

}  // namespace tessera::solver::backend
