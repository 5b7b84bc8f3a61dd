// SPDX-License-Identifier: GPL-3.0-or-later
// Watchdog: a heartbeat thread per rank detects peers that died. It answers whatever the rank is
// doing, so a rank that does not answer was stopped or is unreachable. A waiting rank queries rank
// 0, which queries all. Time in which the whole process was suspended does not count.
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

// Polls a pending operation in a thread of its own, since the device driver may block.
class PendingWatch {
 public:
  explicit PendingWatch(std::function<PendingOperation()> ask);
  PendingWatch(const PendingWatch&) = delete;
  PendingWatch& operator=(const PendingWatch&) = delete;
  ~PendingWatch();
  // Waits for the last poll; now() stays valid.
  void end();
  // Last result; a wait if there is none since the last call.
  [[nodiscard]] PendingOperation now();

 private:
  void run();
  std::function<PendingOperation()> ask_;
  std::mutex mutex_;
  std::condition_variable changed_;
  PendingOperation last_;
  bool fresh_ = false;
  bool ended_ = false;
  std::thread thread_;
};

class Watchdog {
 public:
  // Collective; owns the communicator. mpi: locked for each call of MPI by either thread.
  Watchdog(MPI_Comm ranks, std::mutex& mpi, double seconds);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Called by the working thread: begins and ends a wait, for one rank or for all (-1).
  void begin(int other) {
    waitsFor_.store(other);
    wait_.fetch_add(1);
  }
  void now(int other) { waitsFor_.store(other); }
  void end() {
    wait_.fetch_add(1);
    waitsFor_.store(-1);
  }
  void watchPending(std::function<PendingOperation()> wait);

  // "rank 3 of 8 on host b".
  [[nodiscard]] std::string nameOf(int rank) const;

 private:
  // State reported by a rank.
  struct Answer {
    double waited = 0.0;  // s; 0: not waiting
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
  void checkWaits(double seconds);
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
  // Written by the working thread: odd while it waits.
  std::atomic<std::uint64_t> wait_{0};
  std::atomic<int> waitsFor_{-1};
  std::unique_ptr<PendingWatch> other_;
  std::mutex otherMutex_;
  // Used by the watchdog thread.
  std::uint64_t waitSeen_ = 0;
  std::uint64_t otherSeen_ = 0;
  double waited_ = 0.0;       // s, in the current wait
  double otherWaited_ = 0.0;  // s, in a pending operation
  double otherFailed_ = 0.0;  // s since an error was reported there
  double nextAsk_ = 0.0;      // s of waiting
  bool asked_ = false;
  bool allWaited_ = false;  // on rank 0: result of the last query
  std::vector<std::optional<Answer>> answers_;
  std::deque<Sent> sent_;

  std::mutex endMutex_;
  std::condition_variable endChanged_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace tessera::solver::comm
