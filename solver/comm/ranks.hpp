// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks: processes that run one simulation together, each with a part of the tiles. Messages are
// exact (bytes, integers, extremes), so results do not depend on their number. All but the halo
// exchange is collective, in the same order on every rank. A watchdog ends the job when a rank does
// not answer for TESSERA_WAIT seconds (120) or all wait for each other as long.
#pragma once

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipelines/stage/io/processes.hpp"

namespace tessera::solver::comm {

// Messages exchanged with one other rank in a step.
struct HaloMessage {
  int rank = 0;
  std::span<const std::byte> send;
  std::span<std::byte> receive;
};

// Pending device operation of this rank.
struct PendingOperation {
  bool waits = false;
  std::uint64_t number = 0;  // a change means progress
  std::string error{};       // empty: none
};

// Exit of a rank.
struct Ending {
  int code = 0;
  std::string error;  // empty: none
};

class Ranks : public stage::Processes {
 public:
  // Index among the ranks of one host.
  [[nodiscard]] virtual int rankOnHost() const = 0;
  [[nodiscard]] bool alone() const { return size() == 1; }
  // Prints, and writes monitor and report.
  [[nodiscard]] bool isRoot() const { return rank() == 0; }

  // Element-wise sums, in place.
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void sumOnHost(std::span<std::int64_t> values) = 0;
  // Element-wise maxima; no NaN allowed.
  virtual void max(std::span<double> values) = 0;
  // Copies the bytes of rank 0 to all.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  // Starts a halo exchange, finished by wait(). memory: owner of the messages' bytes, kept until
  // then, even if the caller ends by an exception.
  virtual void start(std::span<const HaloMessage> messages, std::shared_ptr<const void> memory) = 0;
  virtual void wait() = 0;

  // Communicator of the first n ranks, collective; null on the others.
  virtual std::unique_ptr<Ranks> first(int n) = 0;

  // Polled by the watchdog thread until reset to null, for waits that no call here knows of. A poll
  // that does not return counts as a wait; its error ends all ranks.
  virtual void watch(std::function<PendingOperation()> wait) = 0;

  // Common exit: the error of the lowest rank that has one, else the largest code. A rank with its
  // own error waits `seconds` for the others, then prints it and ends all.
  virtual Ending agree(const Ending& mine, double seconds) = 0;
};

// A single rank.
Ranks& noOthers();

// Ranks started by mpirun or srun; a single one without. Throws on rank 0 StageError(NoResource)
// when MPI cannot be loaded or started, (Usage) for an invalid TESSERA_WAIT; other ranks exit.
std::unique_ptr<Ranks> launchedRanks();

// Runs a program's body on each rank and returns the common exit code; only rank 0 prints. With
// several ranks errors are printed here, with one they are passed on.
int runTogether(Ranks& ranks, const std::string& program, const std::function<int()>& body);

// Runs body on rank 0; its error is every rank's. Collective.
void onRoot(Ranks& ranks, const std::function<void()>& body);

// Throws StageError(Usage) if the texts of ranks differ. what: names them in the message.
// Collective.
void requireSame(Ranks& ranks, const std::string& text, const std::string& what);

template <stage::Plain T>
T ofRoot(Ranks& ranks, T value) {
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

inline double largestOf(Ranks& ranks, double value) {
  ranks.max({&value, 1});
  return value;
}

// Name of the host, zero-terminated.

using HostName = std::array<char, 256>;  // ends with a zero

inline HostName hostName() {
  HostName name{};
  gethostname(name.data(), name.size() - 1);
  return name;
}

}  // namespace tessera::solver::comm
