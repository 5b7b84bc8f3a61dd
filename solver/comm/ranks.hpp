// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that run one simulation together, each a part of the tiles. What they tell each other
// is exact (bytes, integers, extremes), so nothing depends on how many there are. All but send and
// receive of a halo is collective, as of all Processes: every rank calls it, in the same order.
// A rank waits as long as others are at work; when one does not answer for the seconds that
// TESSERA_WAIT says (120), or all wait for each other as long, it says so and ends them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipelines/stage/io/processes.hpp"

namespace tessera::solver::comm {

// What goes to and comes from one other rank in a step.
struct HaloMessage {
  int rank = 0;
  std::span<const std::byte> send;
  std::span<std::byte> receive;
};

// What a rank waits for elsewhere, on its device, as it is now.
struct OtherWait {
  bool waits = false;
  std::uint64_t number = 0;  // another one: it has got on since
  std::string error{};       // empty: none
};

// How a rank ended.
struct Ending {
  int code = 0;
  std::string error;  // empty: none
};

class Ranks : public stage::Processes {
 public:
  // Among the ranks of one host.
  [[nodiscard]] virtual int rankOnHost() const = 0;
  [[nodiscard]] bool alone() const { return size() == 1; }
  // The one that talks, and writes what is not by tile.
  [[nodiscard]] bool isRoot() const { return rank() == 0; }

  // In place, element by element.
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void sumOnHost(std::span<std::int64_t> values) = 0;
  // None of them NaN.
  virtual void max(std::span<double> values) = 0;
  // From rank 0.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  // Begins to exchange a halo, which goes on until wait(). memory: that the messages lie in, kept
  // until then, also where an error ends who gave it before.
  virtual void start(std::span<const HaloMessage> messages, std::shared_ptr<const void> memory) = 0;
  virtual void wait() = 0;

  // The first n of these ranks by themselves, collective; null on the others.
  virtual std::unique_ptr<Ranks> first(int n) = 0;

  // Asked by a thread of its own many times a second, until null is given instead: for waits of
  // which no call here knows. It may take its time: while it has not said, it waits. An error of it
  // ends all ranks.
  virtual void watch(std::function<OtherWait()> wait) = 0;

  // How all ended together: the error of the lowest rank that has one, else the largest code. With
  // an error of its own a rank waits for others no longer than `seconds`; then it says the error
  // and ends them all.
  virtual Ending agree(const Ending& mine, double seconds) = 0;
};

// One process alone.
Ranks& noOthers();

// Those that this process was started with by mpirun or srun; one alone when it was not. Throws
// StageError(NoResource) when it is one of several and MPI cannot be loaded or does not start,
// (Usage) for another TESSERA_WAIT than a number of seconds, on rank 0; the others end themselves.
std::unique_ptr<Ranks> launchedRanks();

// Runs a program's body on each rank and returns the exit code of all; only rank 0 talks. Of
// several ranks an error is said here, of one alone it is passed on.
int runTogether(Ranks& ranks, const std::string& program, const std::function<int()>& body);

// What only rank 0 does; its error is every rank's. Collective.
void onRoot(Ranks& ranks, const std::function<void()>& body);

// Throws StageError(Usage) where a rank has another text than rank 0. what: of the texts, for the
// sentence. Collective.
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

}  // namespace tessera::solver::comm
