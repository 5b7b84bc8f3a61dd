// SPDX-License-Identifier: GPL-3.0-or-later
// Sees to it that no rank waits for ever. A thread of each rank answers the others whatever that
// rank is doing, stepping or writing a slow disk, so who does not answer was stopped, or its host
// or the way to it is gone. A rank that waits asks rank 0, which asks all. Time in which the whole
// process stood still does not count: a job that was suspended goes on.
#pragma once

#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "solver/comm/ranks.hpp"

namespace tessera::solver::comm {

// Asks for a wait elsewhere, in a thread of its own: a driver that is asked may itself stand still,
// and who answers other ranks must not.
class OtherWatch {
 public:
  explicit OtherWatch(std::function<OtherWait()> ask);
  OtherWatch(const OtherWatch&) = delete;
  OtherWatch& operator=(const OtherWatch&) = delete;
  ~OtherWatch();
  // Waits until what was asked for last has been said; now() goes on.
  void end();
  // As it was last said; a wait when nothing new was said since the last call.
  [[nodiscard]] OtherWait now();

 private:
  void run();
  std::function<OtherWait()> ask_;
  std::mutex mutex_;
  std::condition_variable changed_;
  OtherWait last_;
  bool fresh_ = false;
  bool ended_ = false;
  std::thread thread_;
};

class RankWatch {
 public:
  // Collective; takes the communicator. mpi: held for each call of MPI, by whichever thread.
  RankWatch(MPI_Comm ranks, std::mutex& mpi, double seconds);
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;
  ~RankWatch();

  // Of the one thread that works: it waits, for one rank or for all (-1), and does no longer.
  void begin(int other) {
    waitsFor_.store(other);
    wait_.fetch_add(1);
  }
  void now(int other) { waitsFor_.store(other); }
  void end() {
    wait_.fetch_add(1);
    waitsFor_.store(-1);
  }
  void alsoWatch(std::function<OtherWait()> wait);

  // "rank 3 of 8 on host b".
  [[nodiscard]] std::string nameOf(int rank) const;

 private:
  // What a rank says of itself.
  struct Answer {
    double waited = 0.0;  // s; 0: it does not wait
    int waitsFor = -1;
  };
  struct Sent {
    Answer answer;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void gatherHosts();
  void run();
  void converse();
  void send(int to, int tag, const Answer& answer);
  [[nodiscard]] double secondsWaited() const;
  void lookAtWaits(double seconds);
  void ask();
  void judge();
  [[nodiscard]] std::string silentRanks() const;
  [[nodiscard]] std::string standstill() const;
  [[noreturn]] void endAll(const std::string& sentence);

  MPI_Comm ranks_;
  std::mutex& mpi_;
  double limit_;  // s
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::string> hosts_;
  // Of the working thread: odd while it waits.
  std::atomic<std::uint64_t> wait_{0};
  std::atomic<int> waitsFor_{-1};
  std::unique_ptr<OtherWatch> other_;
  std::mutex otherMutex_;
  // Of the watching thread.
  std::uint64_t waitSeen_ = 0;
  std::uint64_t otherSeen_ = 0;
  double waited_ = 0.0;       // s, of the wait it is in
  double otherWaited_ = 0.0;  // s, elsewhere
  double otherFailed_ = 0.0;  // s, since when an error stands there
  double nextAsk_ = 0.0;      // s of waiting
  bool asked_ = false;
  bool allWaited_ = false;  // of rank 0: so it was when it last asked
  std::vector<std::optional<Answer>> answers_;
  std::deque<Sent> sent_;

  std::mutex endMutex_;
  std::condition_variable endChanged_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace tessera::solver::comm
