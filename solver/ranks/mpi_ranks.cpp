// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks by MPI, and the only file that knows it. One thread of a rank calls MPI. Ends are agreed on
// in a communicator of their own, so that they do not meet what a rank without an error waits for.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "pipelines/stage/error.hpp"
#include "solver/ranks/ranks.hpp"

namespace tessera {

namespace {

constexpr std::size_t largestPiece = std::size_t{64} << 20U;  // bytes of a message
constexpr int haloTag = 1;
constexpr int pieceTag = 2;

// MPI itself ends all ranks where a call fails; this is for what it only reports.
void checkMpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail(ExitCode::NoResource, std::string("MPI: ") + what + " failed (" + text.data() + ")");
}

class MpiRanks final : public Ranks {
 public:
  // Takes the communicator. whole: of the program, ends with it.
  MpiRanks(MPI_Comm ranks, bool whole) : ranks_(ranks), whole_(whole) {
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
    checkMpi(MPI_Comm_dup(ranks_, &ends_), "a communicator of ends");
    checkMpi(MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host_),
             "a communicator of the host");
    MPI_Comm_rank(host_, &rankOnHost_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override {
    for (MPI_Comm* each : {&host_, &ends_, &ranks_}) MPI_Comm_free(each);
    if (whole_) MPI_Finalize();
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int rankOnHost() const override { return rankOnHost_; }

  void sum(std::span<std::int64_t> values) override { sumIn(ranks_, values); }
  void sumOnHost(std::span<std::int64_t> values) override { sumIn(host_, values); }
  void max(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  ranks_);
  }
  void broadcast(std::span<std::byte> bytes) override {
    for (std::size_t done = 0; done < bytes.size(); done += largestPiece)
      MPI_Bcast(&bytes[done], static_cast<int>(std::min(largestPiece, bytes.size() - done)),
                MPI_BYTE, 0, ranks_);
  }

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
    std::vector<std::int64_t> sending(to.size());
    for (std::size_t r = 0; r < to.size(); ++r)
      sending[r] = static_cast<std::int64_t>(to[r].size());
    std::vector<std::int64_t> coming(to.size());
    MPI_Alltoall(sending.data(), 1, MPI_INT64_T, coming.data(), 1, MPI_INT64_T, ranks_);
    std::vector<Message> from(to.size());
    std::vector<MPI_Request> requests;
    for (int r = 0; r < size_; ++r) {
      Message& bytes = from[static_cast<std::size_t>(r)];
      bytes.resize(static_cast<std::size_t>(coming[static_cast<std::size_t>(r)]));
      inPieces(bytes.size(), [&](std::size_t at, int count) {
        MPI_Irecv(&bytes[at], count, MPI_BYTE, r, pieceTag, ranks_, &requests.emplace_back());
      });
    }
    for (int r = 0; r < size_; ++r) {
      const Message& bytes = to[static_cast<std::size_t>(r)];
      inPieces(bytes.size(), [&](std::size_t at, int count) {
        MPI_Isend(&bytes[at], count, MPI_BYTE, r, pieceTag, ranks_, &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return from;
  }

  void start(std::span<const HaloMessage> messages) override {
    for (const HaloMessage& message : messages)
      inPieces(message.receive.size(), [&](std::size_t at, int count) {
        MPI_Irecv(&message.receive[at], count, MPI_BYTE, message.rank, haloTag, ranks_,
                  &halo_.emplace_back());
      });
    for (const HaloMessage& message : messages)
      inPieces(message.send.size(), [&](std::size_t at, int count) {
        MPI_Isend(&message.send[at], count, MPI_BYTE, message.rank, haloTag, ranks_,
                  &halo_.emplace_back());
      });
  }
  void wait() override {
    MPI_Waitall(static_cast<int>(halo_.size()), halo_.data(), MPI_STATUSES_IGNORE);
    halo_.clear();
  }

  std::unique_ptr<Ranks> first(int n) override {
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(ranks_, rank_ < n ? 0 : MPI_UNDEFINED, rank_, &some);
    if (some == MPI_COMM_NULL) return nullptr;
    return std::make_unique<MpiRanks>(some, false);
  }

  Ending agree(const Ending& mine, double seconds) override;

 private:
  static void sumIn(MPI_Comm ranks, std::span<std::int64_t> values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
                  MPI_SUM, ranks);
  }
  // all: of the right sizes.
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
    MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_BYTE, together.data(),
                   sizes.data(), places.data(), MPI_BYTE, ranks_);
    auto from = together.begin();
    for (Message& each : all) {
      const auto end = from + static_cast<std::ptrdiff_t>(each.size());
      std::copy(from, end, each.begin());
      from = end;
    }
  }
  void gatherInPieces(std::span<const std::byte> own, std::vector<Message>& all) {
    std::copy(own.begin(), own.end(), all[static_cast<std::size_t>(rank_)].begin());
    for (int from = 0; from < size_; ++from) {
      Message& bytes = all[static_cast<std::size_t>(from)];
      inPieces(bytes.size(), [&](std::size_t at, int count) {
        MPI_Bcast(&bytes[at], count, MPI_BYTE, from, ranks_);
      });
    }
  }
  std::vector<std::int64_t> sizesOfAll(std::size_t mine) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
    const auto size = static_cast<std::int64_t>(mine);
    MPI_Allgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, ranks_);
    return sizes;
  }
  template <class Piece>
  static void inPieces(std::size_t bytes, const Piece& piece) {
    for (std::size_t done = 0; done < bytes; done += largestPiece)
      piece(done, static_cast<int>(std::min(largestPiece, bytes - done)));
  }

  MPI_Comm ranks_;
  MPI_Comm ends_ = MPI_COMM_NULL;
  MPI_Comm host_ = MPI_COMM_NULL;
  bool whole_;
  int rank_ = 0;
  int size_ = 1;
  int rankOnHost_ = 0;
  std::vector<MPI_Request> halo_;
};

Ending MpiRanks::agree(const Ending& mine, double seconds) {
  const bool failed = !mine.error.empty();
  // The least decides: ranks with an error come before those without.
  std::array<int, 2> values{failed ? rank_ : size_, -mine.code};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), 2, MPI_INT, MPI_MIN, ends_, &request);
  const double start = MPI_Wtime();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    if (failed && MPI_Wtime() - start > seconds) {
      std::fprintf(stderr, "%s (rank %d of %d)\n", mine.error.c_str(), rank_, size_);
      std::fflush(stderr);
      MPI_Abort(MPI_COMM_WORLD, mine.code);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (values[0] == size_) return {-values[1], ""};
  std::array<int, 2> head{mine.code, static_cast<int>(mine.error.size())};
  MPI_Bcast(head.data(), 2, MPI_INT, values[0], ends_);
  Ending all{head[0], mine.error};
  all.error.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(all.error.data(), head[1], MPI_CHAR, values[0], ends_);
  return all;
}

// Whether mpirun or srun started this process, without asking MPI, whose start is slow and which a
// process alone does not need.
bool launchedByOthers() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"})
    if (std::getenv(name) != nullptr) return true;
  const char* tasks = std::getenv("SLURM_NTASKS");
  return std::getenv("SLURM_PROCID") != nullptr && tasks != nullptr && std::atoi(tasks) > 1;
}

}  // namespace

std::unique_ptr<Ranks> launchedRanks() {
  if (!launchedByOthers()) return noOthers().first(1);
  int given = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
      given < MPI_THREAD_FUNNELED)
    fail(ExitCode::NoResource,
         "MPI does not start with threads, which a rank needs; use an MPI library that has them");
  MPI_Comm all = MPI_COMM_NULL;
  checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &all), "a communicator");
  return std::make_unique<MpiRanks>(all, true);
}

}  // namespace tessera
