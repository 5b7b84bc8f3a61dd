// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange of a halo on the CPU: packed, sent and received beside steps, unpacked.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <vector>

#include "solver/ranks/halo_plan.hpp"
#include "solver/ranks/ranks.hpp"

namespace tessera {

template <class T>
class CpuHalo {
 public:
  // plan must outlive this.
  CpuHalo(const HaloPlan& plan, Ranks& ranks)
      : plan_(plan), ranks_(ranks), sent_(plan_.send.size()), received_(plan_.receive.size()) {
    for (const HaloNeighbour& other : plan_.neighbours)
      messages_.push_back({other.rank,
                           std::as_bytes(std::span(sent_).subspan(other.firstSent, other.sent)),
                           std::as_writable_bytes(
                               std::span(received_).subspan(other.firstReceived, other.received))});
  }

  // The border tiles of the state are done.
  void start(const T* state) {
    forAll(sent_.size(), [&](std::size_t k) { sent_[k] = state[plan_.send[k]]; });
    ranks_.start(messages_);
  }
  void finish(T* state) {
    ranks_.wait();
    forAll(received_.size(), [&](std::size_t k) { state[plan_.receive[k]] = received_[k]; });
  }

 private:
  template <class Body>
  static void forAll(std::size_t count, const Body& body) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 4096),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t k = range.begin(); k < range.end(); ++k) body(k);
                      });
  }

  const HaloPlan& plan_;
  Ranks& ranks_;
  std::vector<T> sent_;
  std::vector<T> received_;
  std::vector<HaloMessage> messages_;
};

}  // namespace tessera
