// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/ranks/device_ranks.hpp"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "solver/backend/cuda_memory.cuh"
#ifdef TESSERA_HAS_NCCL
#include "solver/ranks/nccl.hpp"
#endif

namespace tessera {

namespace {

// Memory of the host that a device copies to and from by itself.
class Pinned {
 public:
  std::byte* room(std::size_t bytes) {
    if (bytes <= size_) return data_;
    cudaFreeHost(data_);
    data_ = nullptr;
    void* memory = nullptr;
    checkCuda(cudaMallocHost(&memory, bytes), "pinned memory");
    size_ = bytes;
    return data_ = static_cast<std::byte*>(memory);
  }
  Pinned() = default;
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { cudaFreeHost(data_); }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

void wait(cudaStream_t stream) {
  checkCuda(cudaStreamSynchronize(stream), "step");
}

class ByHost final : public DeviceRanks {
 public:
  explicit ByHost(Ranks& ranks) : ranks_(ranks) {}

  void sum(std::int64_t* values, std::size_t count, cudaStream_t stream) override {
    std::vector<std::int64_t> host(count);
    copy(host.data(), values, count * sizeof(std::int64_t), cudaMemcpyDeviceToHost, stream);
    wait(stream);
    ranks_.sum(host);
    copy(values, host.data(), count * sizeof(std::int64_t), cudaMemcpyHostToDevice, stream);
    wait(stream);
  }
  void start(std::span<const DeviceMessage> messages, cudaStream_t stream) override {
    std::size_t sent = 0;
    for (const DeviceMessage& message : messages) sent += message.sent;
    if (sent != 0)
      copy(sent_.room(sent), messages.front().send, sent, cudaMemcpyDeviceToHost, stream);
  }
  void finish(std::span<const DeviceMessage> messages, cudaStream_t stream) override {
    if (messages.empty()) return;
    std::size_t received = 0;
    for (const DeviceMessage& message : messages) received += message.received;
    std::byte* into = received_.room(received);
    std::vector<HaloMessage> onHost;
    for (const DeviceMessage& message : messages)
      onHost.push_back({message.rank,
                        {sent_.room(0) + (message.send - messages.front().send), message.sent},
                        {into + (message.receive - messages.front().receive), message.received}});
    wait(stream);
    ranks_.start(onHost);
    ranks_.wait();
    copy(messages.front().receive, into, received, cudaMemcpyHostToDevice, stream);
  }

 private:
  static void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                   cudaStream_t stream) {
    checkCuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "copy of a halo");
  }
  Ranks& ranks_;
  Pinned sent_;
  Pinned received_;
};

#ifdef TESSERA_HAS_NCCL

class ByNccl final : public DeviceRanks {
 public:
  ByNccl(Ranks& ranks, const Nccl& nccl) : nccl_(nccl) {
    ncclUniqueId id{};
    if (ranks.isRoot()) check(nccl_.getUniqueId(&id), "start");
    id = ofRoot(ranks, id);
    check(nccl_.commInitRank(&communicator_, ranks.size(), id, ranks.rank()), "start");
  }
  ByNccl(const ByNccl&) = delete;
  ByNccl& operator=(const ByNccl&) = delete;
  // Whatever the others do: an error here must not wait for them.
  ~ByNccl() override {
    if (std::uncaught_exceptions() > 0)
      nccl_.commAbort(communicator_);
    else
      nccl_.commDestroy(communicator_);
  }

  void sum(std::int64_t* values, std::size_t count, cudaStream_t stream) override {
    check(nccl_.allReduce(values, values, count, ncclInt64, ncclSum, communicator_, stream), "sum");
  }
  void start(std::span<const DeviceMessage> messages, cudaStream_t stream) override {
    check(nccl_.groupStart(), "exchange");
    for (const DeviceMessage& m : messages) {
      if (m.sent != 0)
        check(nccl_.send(m.send, m.sent, ncclUint8, m.rank, communicator_, stream), "exchange");
      if (m.received != 0)
        check(nccl_.receive(m.receive, m.received, ncclUint8, m.rank, communicator_, stream),
              "exchange");
    }
    check(nccl_.groupEnd(), "exchange");
  }
  void finish(std::span<const DeviceMessage>, cudaStream_t) override {}

 private:
  void check(ncclResult_t result, const char* what) const {
    if (result != ncclSuccess)
      fail(ExitCode::NoResource, std::string("NCCL: ") + what + " failed (" +
                                     nccl_.getErrorString(result) +
                                     "); TESSERA_HALO=host does without it");
  }
  const Nccl& nccl_;
  ncclComm_t communicator_ = nullptr;
};

const Nccl* ncclToUse() {
  const char* asked = std::getenv("TESSERA_HALO");
  return asked != nullptr && std::string_view(asked) == "host" ? nullptr : findNccl();
}

#endif

}  // namespace

std::string deviceTransport() {
#ifdef TESSERA_HAS_NCCL
  if (const Nccl* nccl = ncclToUse()) return "NCCL " + nccl->version;
#endif
  return "memory of the hosts";
}

std::unique_ptr<DeviceRanks> deviceRanks(Ranks& ranks) {
  if (ranks.alone()) return nullptr;
#ifdef TESSERA_HAS_NCCL
  // All or none: a host without it would be waited for.
  std::int64_t with = ncclToUse() != nullptr ? 1 : 0;
  if (sumOf(ranks, with) == ranks.size()) return std::make_unique<ByNccl>(ranks, *ncclToUse());
#endif
  return std::make_unique<ByHost>(ranks);
}

}  // namespace tessera
