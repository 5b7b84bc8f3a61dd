// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks by MPI, in a library that is loaded at run time (launch.cpp). Throws only for lack of
// memory or threads: MPI ends all ranks when a call fails. Two threads of a rank call MPI, one at a
// time, so no call may block: collective calls are started and polled. Exits are agreed on in a
// communicator of their own.
#include <errno.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include "pipelines/stage/error.hpp"
#include "solver/comm/mpi_module.hpp"
#include "solver/comm/watchdog.hpp"

namespace tessera::solver::comm {

using stage::Message;

namespace {

constexpr std::size_t largestPiece = std::size_t{64} << 20U;  // bytes of a message
constexpr int haloTag = 1;
constexpr int pieceTag = 2;

// Pause between polls: yields at first, then sleeps.
class Pause {
 public:
  void operator()() {
    if (std::chrono::steady_clock::now() - start_ < std::chrono::milliseconds(2))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Ends the process when MPI_Finalize takes longer than `seconds`.
class EndInTime {
 public:
  EndInTime(double seconds, std::string name)
      : thread_([this, seconds, name = std::move(name)] { watch(seconds, name); }) {}
  EndInTime(const EndInTime&) = delete;
  EndInTime& operator=(const EndInTime&) = delete;
  ~EndInTime() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void watch(double seconds, const std::string& name) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return ended_; }))
      return;
    std::fprintf(stderr,
                 "%s: %s has finished and has waited %g s for the others; check "
                 "whether they were stopped, or their host or network is down (TESSERA_WAIT sets "
                 "how long to wait)\n",
                 program_invocation_short_name, name.c_str(), seconds);
    std::fflush(stderr);
    std::_Exit(static_cast<int>(stage::ExitCode::NoResource));
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

// State shared by all communicators of a process.
struct MpiWorld {
  double seconds = 0.0;  // limit of the watchdog
  std::mutex mpi;
  std::optional<Watchdog> watch;
};

// Started requests and the rank of each; -1: all.
struct Requests {
  std::vector<MPI_Request> requests;
  std::vector<int> ranks;
  MPI_Request* of(int rank) {
    ranks.push_back(rank);
    return &requests.emplace_back(MPI_REQUEST_NULL);
  }
  void clear() {
    requests.clear();
    ranks.clear();
  }
};

class MpiRanks final : public Ranks {
 public:
  // Owns the communicator. whole: that of the program, finalises MPI. Collective, may block.
  MpiRanks(MPI_Comm ranks, std::shared_ptr<MpiWorld> world, bool whole)
      : ranks_(ranks), world_(std::move(world)), whole_(whole) {
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
    MPI_Comm_dup(ranks_, &ends_);
    MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host_);
    MPI_Comm_rank(host_, &rankOnHost_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override {
    std::optional<EndInTime> bound;
    // Without resources for it, the end is unbounded.
    try {
      if (whole_ && world_->watch) bound.emplace(world_->seconds, world_->watch->nameOf(rank_));
    } catch (const std::exception&) {
    }
    if (whole_) world_->watch.reset();
    freeAll();
    if (whole_) MPI_Finalize();
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int rankOnHost() const override { return rankOnHost_; }

  void sum(std::span<std::int64_t> values) override { sumIn(ranks_, values); }
  void sumOnHost(std::span<std::int64_t> values) override { sumIn(host_, values); }
  void max(std::span<double> values) override {
    ofAll([&](MPI_Request* request) {
      MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                     MPI_MAX, ranks_, request);
    });
  }
  void broadcast(std::span<std::byte> bytes) override { broadcastFrom(0, bytes, ranks_); }

  std::vector<Message> allGather(std::span<const std::byte> own) override {
    const std::vector<std::int64_t> sizes = sizesOfAll(own.size());
    std::vector<Message> all;
    for (const std::int64_t size : sizes) all.emplace_back(static_cast<std::size_t>(size));
    const auto sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    if (sum <= static_cast<std::int64_t>(largestPiece))
      gatherAtOnce(own, all);
    else
      gatherInPieces(own, all);
    return all;
  }

  std::vector<Message> allToAll(std::vector<Message> to) override {
    std::vector<std::int64_t> sending;
    for (const Message& each : to) sending.push_back(static_cast<std::int64_t>(each.size()));
    std::vector<std::int64_t> coming(to.size());
    ofAll([&](MPI_Request* request) {
      MPI_Ialltoall(sending.data(), 1, MPI_INT64_T, coming.data(), 1, MPI_INT64_T, ranks_, request);
    });
    std::vector<Message> from;
    for (const std::int64_t size : coming) from.emplace_back(static_cast<std::size_t>(size));
    Requests requests;
    for (int r = 0; r < size_; ++r)
      receive(r, from[static_cast<std::size_t>(r)], pieceTag, requests);
    for (int r = 0; r < size_; ++r) send(r, to[static_cast<std::size_t>(r)], pieceTag, requests);
    finish(requests);
    return from;
  }

  void start(std::span<const HaloMessage> messages, std::shared_ptr<const void> memory) override {
    haloMemory_ = std::move(memory);
    for (const HaloMessage& each : messages) receive(each.rank, each.receive, haloTag, halo_);
    for (const HaloMessage& each : messages) send(each.rank, each.send, haloTag, halo_);
  }
  void wait() override {
    finish(halo_);
    halo_.clear();
    haloMemory_.reset();
  }

  std::unique_ptr<Ranks> first(int n) override {
    const std::lock_guard call(world_->mpi);
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(ranks_, rank_ < n ? 0 : MPI_UNDEFINED, rank_, &some);
    if (some == MPI_COMM_NULL) return nullptr;
    return std::make_unique<MpiRanks>(some, world_, false);
  }

  void watch(std::function<PendingOperation()> wait) override {
    world_->watch->watchPending(std::move(wait));
  }
  Ending agree(const Ending& mine, double seconds) override;

 private:
  void freeAll() {
    const std::lock_guard call(world_->mpi);
    for (MPI_Comm* each : {&host_, &ends_, &ranks_}) MPI_Comm_free(each);
  }
  // begin(request): starts one collective call.
  template <class Begin>
  void ofAll(const Begin& begin) {
    Requests requests;
    {
      const std::lock_guard call(world_->mpi);
      begin(requests.of(-1));
    }
    finish(requests);
  }
  bool done(MPI_Request& request) {
    const std::lock_guard call(world_->mpi);
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void finish(Requests& begun) {
    std::size_t next = 0;
    const auto allDone = [&] {
      while (next < begun.requests.size() && done(begun.requests[next])) ++next;
      return next == begun.requests.size();
    };
    if (allDone()) return;
    Watchdog& watch = *world_->watch;
    watch.begin(begun.ranks[next]);
    for (Pause pause; !allDone(); pause()) watch.now(begun.ranks[next]);
    watch.end();
  }
  void receive(int from, std::span<std::byte> bytes, int tag, Requests& begun) {
    inPieces(bytes.size(), [&](std::size_t at, int count) {
      MPI_Irecv(&bytes[at], count, MPI_BYTE, from, tag, ranks_, begun.of(from));
    });
  }
  void send(int to, std::span<const std::byte> bytes, int tag, Requests& begun) {
    inPieces(bytes.size(), [&](std::size_t at, int count) {
      MPI_Isend(&bytes[at], count, MPI_BYTE, to, tag, ranks_, begun.of(to));
    });
  }
  void sumIn(MPI_Comm ranks, std::span<std::int64_t> values) {
    ofAll([&](MPI_Request* request) {
      MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
                     MPI_SUM, ranks, request);
    });
  }
  void broadcastFrom(int rank, std::span<std::byte> bytes, MPI_Comm ranks) {
    Requests requests;
    inPieces(bytes.size(), [&](std::size_t at, int count) {
      MPI_Ibcast(&bytes[at], count, MPI_BYTE, rank, ranks, requests.of(rank));
    });
    finish(requests);
  }
  // all: buffers of the right sizes.
  void gatherAtOnce(std::span<const std::byte> own, std::vector<Message>& all) {
    std::vector<int> sizes;
    std::vector<int> places;
    int sum = 0;
    for (const Message& each : all) {
      places.push_back(sum);
      sizes.push_back(static_cast<int>(each.size()));
      sum += sizes.back();
    }
    Message together(static_cast<std::size_t>(sum));
    ofAll([&](MPI_Request* request) {
      MPI_Iallgatherv(own.data(), static_cast<int>(own.size()), MPI_BYTE, together.data(),
                      sizes.data(), places.data(), MPI_BYTE, ranks_, request);
    });
    auto from = together.begin();
    for (Message& each : all) {
      const auto end = from + static_cast<std::ptrdiff_t>(each.size());
      std::copy(from, end, each.begin());
      from = end;
    }
  }
  void gatherInPieces(std::span<const std::byte> own, std::vector<Message>& all) {
    std::copy(own.begin(), own.end(), all[static_cast<std::size_t>(rank_)].begin());
    for (int from = 0; from < size_; ++from)
      broadcastFrom(from, all[static_cast<std::size_t>(from)], ranks_);
  }
  std::vector<std::int64_t> sizesOfAll(std::size_t mine) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
    const auto size = static_cast<std::int64_t>(mine);
    ofAll([&](MPI_Request* request) {
      MPI_Iallgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, ranks_, request);
    });
    return sizes;
  }
  // piece(first byte, count) starts one.
  template <class Piece>
  void inPieces(std::size_t bytes, const Piece& piece) {
    const std::lock_guard call(world_->mpi);
    for (std::size_t done = 0; done < bytes; done += largestPiece)
      piece(done, static_cast<int>(std::min(largestPiece, bytes - done)));
  }

  MPI_Comm ranks_;
  MPI_Comm ends_ = MPI_COMM_NULL;
  MPI_Comm host_ = MPI_COMM_NULL;
  std::shared_ptr<MpiWorld> world_;
  bool whole_;
  int rank_ = 0;
  int size_ = 1;
  int rankOnHost_ = 0;
  Requests halo_;
  std::shared_ptr<const void> haloMemory_;
};

Ending MpiRanks::agree(const Ending& mine, double seconds) {
  const bool failed = !mine.error.empty();
  const auto hash = static_cast<std::int64_t>(std::hash<std::string>{}(mine.error) >> 2U);
  // The minimum decides: ranks with an error precede those without. The last two values are
  // opposite if all have the same error.
  std::array<std::int64_t, 4> values{failed ? rank_ : size_, -mine.code, hash, -hash};
  Requests requests;
  {
    const std::lock_guard call(world_->mpi);
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), 4, MPI_INT64_T, MPI_MIN, ends_, requests.of(-1));
  }
  const double start = MPI_Wtime();
  world_->watch->begin(-1);
  while (!done(requests.requests.front())) {
    if (failed && MPI_Wtime() - start > seconds) {
      std::fprintf(stderr, "%s (%s)\n", mine.error.c_str(), world_->watch->nameOf(rank_).c_str());
      std::fflush(stderr);
      const std::lock_guard call(world_->mpi);
      MPI_Abort(MPI_COMM_WORLD, mine.code);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  world_->watch->end();
  if (values[0] == size_) return {static_cast<int>(-values[1]), ""};
  const int speaker = static_cast<int>(values[0]);
  Ending all = mine;
  if (values[2] != -values[3]) all.error += " (" + world_->watch->nameOf(speaker) + ")";
  std::array<int, 2> head{all.code, static_cast<int>(all.error.size())};
  broadcastFrom(speaker, std::as_writable_bytes(std::span(head)), ends_);
  all.code = head[0];
  all.error.resize(static_cast<std::size_t>(head[1]));
  broadcastFrom(speaker, std::as_writable_bytes(std::span(all.error)), ends_);
  return all;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Ranks* TESSERA_MPI_RANKS(double seconds,
                                                                           std::string& error) {
  int given = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS ||
      given < MPI_THREAD_SERIALIZED) {
    error = "MPI does not support threads; an MPI library with MPI_THREAD_SERIALIZED is required";
    return nullptr;
  }
  auto world = std::make_shared<MpiWorld>();
  world->seconds = seconds;
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm watched = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_dup(MPI_COMM_WORLD, &watched);
  auto ranks = std::make_unique<MpiRanks>(all, world, true);
  world->watch.emplace(watched, world->mpi, seconds);
  return ranks.release();
}

}  // namespace tessera::solver::comm
