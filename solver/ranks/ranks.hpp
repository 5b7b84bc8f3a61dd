// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that run one simulation together, each a part of the tiles. What they tell each other
// is exact (bytes, integers, extremes), so nothing depends on how many there are. All but send and
// receive of a halo is collective, as of all Processes: every rank calls it, in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "pipelines/stage/processes.hpp"

namespace tessera {

// What goes to and comes from one other rank in a step; the memory stays until wait().
struct HaloMessage {
  int rank = 0;
  std::span<const std::byte> send;
  std::span<std::byte> receive;
};

// How a rank ended.
struct Ending {
  int code = 0;
  std::string error;  // empty: none
};

class Ranks : public Processes {
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

  // Begins to exchange a halo, which goes on until wait().
  virtual void start(std::span<const HaloMessage> messages) = 0;
  virtual void wait() = 0;

  // The first n of these ranks by themselves, collective; null on the others.
  virtual std::unique_ptr<Ranks> first(int n) = 0;

  // How all ended together: the error of the lowest rank that has one, else the largest code. With
  // an error of its own a rank waits for others no longer than `seconds`; then it says the error
  // and ends them all.
  virtual Ending agree(const Ending& mine, double seconds) = 0;
};

// One process alone.
Ranks& noOthers();

// Those that this process was started with by mpirun or srun; one alone when it was not, or when
// this build has no MPI. Throws StageError(NoResource) when MPI was asked for but does not start.
std::unique_ptr<Ranks> launchedRanks();

// Runs a program's body on each rank and returns the exit code of all; only rank 0 talks. Of
// several ranks an error is said here, of one alone it is passed on.
int runTogether(Ranks& ranks, const std::string& program, const std::function<int()>& body);

// What only rank 0 does; its error is every rank's. Collective.
void onRoot(Ranks& ranks, const std::function<void()>& body);

// Throws StageError(Usage) where a rank has another text than rank 0. what: of the texts, for the
// sentence. Collective.
void requireSame(Ranks& ranks, const std::string& text, const std::string& what);

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

template <Plain T>
T ofRoot(Ranks& ranks, T value) {
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

template <Plain T>
std::vector<T> valuesOf(const Message& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <Plain T>
std::vector<Message> allGather(Ranks& ranks, const std::vector<T>& mine) {
  return ranks.allGather(std::as_bytes(std::span(mine)));
}

template <Plain T>
Message bytesOf(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline double largestOf(Ranks& ranks, double value) {
  ranks.max({&value, 1});
  return value;
}

inline std::int64_t sumOf(Ranks& ranks, std::int64_t value) {
  ranks.sum({&value, 1});
  return value;
}

}  // namespace tessera
