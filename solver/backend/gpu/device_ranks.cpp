// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/gpu/device_ranks.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/backend/gpu/memory.hpp"
#include "solver/comm/ranks.hpp"
#ifdef TESSERA_HAS_NCCL
#include "solver/backend/gpu/nccl.hpp"
#endif

namespace tessera::solver::backend {

namespace {

class ByHost final : public DeviceRanks {
 public:
  explicit ByHost(comm::Ranks& ranks) : ranks_(ranks) {}

  void sum(std::int64_t* values, std::size_t count, StreamHandle stream) override {
    std::vector<std::int64_t> host(count);
    copyFromDevice(host.data(), values, count * sizeof(std::int64_t), stream);
    finishStream(stream);
    ranks_.sum(host);
    copyToDevice(values, host.data(), count * sizeof(std::int64_t), stream);
    finishStream(stream);
  }
  void start(std::span<const DeviceMessage> messages, StreamHandle stream) override {
    std::size_t sent = 0;
    for (const DeviceMessage& message : messages) sent += message.sent;
    if (sent != 0) copyFromDevice(pinned_->sent.room(sent), messages.front().send, sent, stream);
  }
  void finish(std::span<const DeviceMessage> messages, StreamHandle stream) override {
    if (messages.empty()) return;
    std::size_t received = 0;
    for (const DeviceMessage& message : messages) received += message.received;
    std::byte* into = pinned_->received.room(received);
    std::vector<comm::HaloMessage> onHost;
    for (const DeviceMessage& message : messages)
      onHost.push_back(
          {message.rank,
           {pinned_->sent.room(0) + (message.send - messages.front().send), message.sent},
           {into + (message.receive - messages.front().receive), message.received}});
    finishStream(stream);
    ranks_.start(onHost, pinned_);
    ranks_.wait();
    copyToDevice(messages.front().receive, into, received, stream);
  }

 private:
  struct Memory {
    StagingBuffer sent;
    StagingBuffer received;
  };
  comm::Ranks& ranks_;
  std::shared_ptr<Memory> pinned_ = std::make_shared<Memory>();
};

#ifdef TESSERA_HAS_NCCL

class ByNccl final : public DeviceRanks {
 public:
  ByNccl(comm::Ranks& ranks, const Nccl& nccl) : ranks_(ranks), nccl_(nccl) {
    // Blocks of an exchange wait for multiprocessors that the interior fills: fewer begin earlier.
    // Two steps in a pass of 34 million nodes on two H200s: 130,298 MFLUPS, with 16 137,858; with
    // fewer an exchange takes longer.
    setenv("NCCL_MAX_P2P_NCHANNELS", "16", 0);
    ncclUniqueId id{};
    if (ranks.isRoot()) check(nccl_.getUniqueId(&id), "start");
    id = comm::ofRoot(ranks, id);
    device_ = selectedGpu();
    last_.emplace();
    ranks_.watch([this] { return now(); });
    const ncclResult_t started = nccl_.commInitRank(&communicator_, ranks.size(), id, ranks.rank());
    ++begun_;
    starting_ = false;
    if (started != ncclSuccess) end();
    check(started, "start");
    usable_ = true;
  }
  ByNccl(const ByNccl&) = delete;
  ByNccl& operator=(const ByNccl&) = delete;
  // Independent of the other ranks: an error here must not wait for them.
  ~ByNccl() override {
    end();
    if (std::uncaught_exceptions() > 0)
      abort();
    else if (communicator_ != nullptr)
      nccl_.commDestroy(communicator_);
  }
  void abort() override {
    end();
    if (communicator_ != nullptr) nccl_.commAbort(communicator_);
    communicator_ = nullptr;
  }

  void sum(std::int64_t* values, std::size_t count, StreamHandle stream) override {
    check(nccl_.allReduce(values, values, count, ncclInt64, ncclSum, communicator_, stream), "sum");
    begun(stream);
  }
  void start(std::span<const DeviceMessage> messages, StreamHandle stream) override {
    check(nccl_.groupStart(), "exchange");
    for (const DeviceMessage& m : messages) {
      if (m.sent != 0)
        check(nccl_.send(m.send, m.sent, ncclUint8, m.rank, communicator_, stream), "exchange");
      if (m.received != 0)
        check(nccl_.receive(m.receive, m.received, ncclUint8, m.rank, communicator_, stream),
              "exchange");
    }
    check(nccl_.groupEnd(), "exchange");
    begun(stream);
  }
  void finish(std::span<const DeviceMessage>, StreamHandle) override {}

 private:
  void check(ncclResult_t result, const char* what) const {
    if (result != ncclSuccess)
      stage::fail(stage::ExitCode::NoResource, std::string("NCCL: ") + what + " failed (" +
                                                   nccl_.getErrorString(result) +
                                                   "); TESSERA_HALO=host does without it");
  }
  // Last collective exchange; steps launched ahead delay it by about a second at most.
  void begun(StreamHandle stream) {
    last_->record(stream);
    ++begun_;
  }
  // In the polling thread.
  comm::PendingOperation now() {
    comm::PendingOperation wait{starting_, begun_, ""};
    if (!usable_) return wait;
    wait.waits = last_->pending(device_);
    ncclResult_t result = ncclSuccess;
    if (nccl_.commGetAsyncError(communicator_, &result) == ncclSuccess && result != ncclSuccess &&
        result != ncclInProgress)
      wait.error = std::string("NCCL: an exchange failed (") + nccl_.getErrorString(result) +
                   "); go on with --resume, TESSERA_HALO=host does without it";
    return wait;
  }
  // The watchdog stops polling.
  void end() {
    usable_ = false;
    ranks_.watch(nullptr);
    last_.reset();
  }

  comm::Ranks& ranks_;
  const Nccl& nccl_;
  ncclComm_t communicator_ = nullptr;
  int device_ = 0;
  std::optional<DeviceEvent> last_;
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<bool> starting_{true};
  std::atomic<bool> usable_{false};
};

const Nccl* ncclToUse() {
  const char* asked = std::getenv("TESSERA_HALO");
  return asked != nullptr && std::string_view(asked) == "host" ? nullptr : findNccl();
}

#endif

}  // namespace

#ifdef TESSERA_HAS_NCCL

namespace {

// All ranks or none: others would wait for a host without it.
const Nccl* ncclOfAll(comm::Ranks& ranks) {
  const Nccl* mine = ncclToUse();
  const std::uint64_t with = stage::sumOf(ranks, mine != nullptr ? 1 : 0);
  return with == static_cast<std::uint64_t>(ranks.size()) ? mine : nullptr;
}

}  // namespace

#endif

std::string deviceTransport([[maybe_unused]] comm::Ranks& ranks) {
#ifdef TESSERA_HAS_NCCL
  if (const Nccl* nccl = ncclOfAll(ranks)) return "NCCL " + nccl->version;
#endif
  return "pinned memory and MPI";
}

std::unique_ptr<DeviceRanks> deviceRanks(comm::Ranks& ranks) {
  if (ranks.alone()) return nullptr;
#ifdef TESSERA_HAS_NCCL
  if (const Nccl* nccl = ncclOfAll(ranks)) return std::make_unique<ByNccl>(ranks, *nccl);
#endif
  return std::make_unique<ByHost>(ranks);
}

}  // namespace tessera::solver::backend
