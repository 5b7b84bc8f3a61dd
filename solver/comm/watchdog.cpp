// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comm/watchdog.hpp"

#include <errno.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/comm/ranks.hpp"

namespace tessera::solver::comm {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int askTag = 1;
constexpr int answerTag = 2;
constexpr std::chrono::milliseconds period{100};
// Largest time counted between two checks, s: in the rest the process was suspended.
constexpr double mostAtOnce = 1.0;
constexpr std::size_t mostNamed = 8;
// Time in which a rank that ends by its own error prints it, s (endTogether): it takes the exchange
// with it.
constexpr double toSayWhy = 8.0;
// Longest time that steps launched ahead delay the device's last exchange, s.
constexpr double launchedAhead = 5.0;

std::string secondsText(double seconds) {
  return fmt::format("{:.3g} s", seconds);
}

}  // namespace

PendingWatch::PendingWatch(std::function<PendingOperation()> ask) : ask_(std::move(ask)) {
  thread_ = stage::threadWithoutSignals([this] { run(); });
}

PendingWatch::~PendingWatch() {
  end();
}

void PendingWatch::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PendingWatch::run() {
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    PendingOperation wait = ask_();
    lock.lock();
    last_ = std::move(wait);
    fresh_ = true;
  } while (!changed_.wait_for(lock, period / 2, [this] { return ended_; }));
}

PendingOperation PendingWatch::now() {
  const std::lock_guard lock(mutex_);
  PendingOperation wait = last_;
  wait.waits = wait.waits || !fresh_;
  fresh_ = false;
  return wait;
}

Watchdog::Watchdog(MPI_Comm ranks, std::mutex& mpi, double seconds)
    : ranks_(ranks), mpi_(mpi), limit_(seconds) {
  MPI_Comm_rank(ranks_, &rank_);
  MPI_Comm_size(ranks_, &size_);
  gatherHosts();
  thread_ = stage::threadWithoutSignals([this] { run(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(endMutex_);
    ended_ = true;
  }
  endChanged_.notify_all();
  thread_.join();
  for (Sent& each : sent_)
    if (each.request != MPI_REQUEST_NULL) MPI_Request_free(&each.request);
  MPI_Comm_free(&ranks_);
}

void Watchdog::gatherHosts() {
  const HostName mine = hostName();
  std::vector<HostName> all(static_cast<std::size_t>(size_));
  MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(),
                static_cast<int>(mine.size()), MPI_CHAR, ranks_);
  for (const HostName& name : all) hosts_.emplace_back(name.data());
}

std::string Watchdog::nameOf(int rank) const {
  return fmt::format("rank {} of {} on host {}", rank, size_,
                     hosts_[static_cast<std::size_t>(rank)]);
}

void Watchdog::watchPending(std::function<PendingOperation()> wait) {
  auto next = wait ? std::make_unique<PendingWatch>(std::move(wait)) : nullptr;
  // Still polled while it ends, since a blocked poll counts as a wait.
  if (other_) other_->end();
  const std::lock_guard lock(otherMutex_);
  other_.swap(next);
}

void Watchdog::run() {
  Clock::time_point last = Clock::now();
  std::unique_lock lock(endMutex_);
  while (!endChanged_.wait_for(lock, period, [this] { return ended_; })) {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    {
      const std::lock_guard call(mpi_);
      converse();
    }
    checkWaits(std::min(seconds, mostAtOnce));
  }
}

// Answers queries and stores answers of others.
void Watchdog::converse() {
  for (int there = 1; there != 0;) {
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_, &there, &status);
    if (there == 0) break;
    Answer answer;
    MPI_Recv(&answer, sizeof answer, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, ranks_,
             MPI_STATUS_IGNORE);
    if (status.MPI_TAG == askTag)
      send(status.MPI_SOURCE, answerTag, {secondsWaited(), waitsFor_.load()});
    else if (asked_)
      answers_[static_cast<std::size_t>(status.MPI_SOURCE)] = answer;
  }
  for (int done = 1; !sent_.empty() && done != 0;) {
    MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE);
    if (done != 0) sent_.pop_front();
  }
}

void Watchdog::send(int to, int tag, const Answer& answer) {
  Sent& one = sent_.emplace_back(Sent{answer, MPI_REQUEST_NULL});
  MPI_Isend(&one.answer, sizeof one.answer, MPI_BYTE, to, tag, ranks_, &one.request);
}

double Watchdog::secondsWaited() const {
  return std::max(waited_, otherWaited_ - launchedAhead);
}

void Watchdog::checkWaits(double seconds) {
  const std::uint64_t wait = wait_.load();
  waited_ = wait % 2 == 1 && wait == waitSeen_ ? waited_ + seconds : 0.0;
  waitSeen_ = wait;
  {
    const std::lock_guard lock(otherMutex_);
    const PendingOperation other = other_ ? other_->now() : PendingOperation{};
    otherFailed_ = other.error.empty() ? 0.0 : otherFailed_ + seconds;
    if (otherFailed_ > toSayWhy) endAll(other.error + " (" + nameOf(rank_) + ")");
    otherWaited_ = other.waits && other.number == otherSeen_ ? otherWaited_ + seconds : 0.0;
    otherSeen_ = other.number;
  }
  // Queries at half of the limit, so that ranks have the other half to answer.
  const double waited = secondsWaited();
  if (waited < 0.5 * limit_) {
    asked_ = false;
    allWaited_ = false;
    nextAsk_ = 0.5 * limit_;
  } else if (waited >= nextAsk_) {
    if (asked_) judge();
    ask();
    nextAsk_ = waited + 0.5 * limit_;
  }
}

void Watchdog::ask() {
  const std::lock_guard call(mpi_);
  answers_.assign(static_cast<std::size_t>(size_), std::nullopt);
  asked_ = true;
  for (int other = 0; other < (rank_ == 0 ? size_ : 1); ++other)
    if (other != rank_) send(other, askTag, {});
}

void Watchdog::judge() {
  if (const std::string silent = silentRanks(); !silent.empty()) {
    // Staggered, so that the lowest rank prints it.
    std::this_thread::sleep_for(std::chrono::milliseconds(300) * std::min(rank_, 20));
    endAll(
        silent + " does not answer, and " + nameOf(rank_) + " has waited for " +
        secondsText(limit_) +
        "; check whether it was stopped or its host or network is down, and continue with --resume "
        "(TESSERA_WAIT sets how long to wait)");
  }
  if (rank_ != 0) return;
  const bool allWait = std::all_of(answers_.begin() + 1, answers_.end(), [&](const auto& answer) {
    return answer->waited >= 0.5 * limit_;
  });
  // Answers are as old as the query; a standstill needs two.
  if (allWait && allWaited_)
    endAll("all ranks have waited for each other for " + secondsText(limit_) + standstill() +
           "; check the network between their hosts or devices, and continue with "
           "--resume (TESSERA_WAIT sets how long to wait)");
  allWaited_ = allWait;
}

std::string Watchdog::silentRanks() const {
  std::string names;
  std::size_t count = 0;
  for (int other = 0; other < (rank_ == 0 ? size_ : 1); ++other)
    if (other != rank_ && !answers_[static_cast<std::size_t>(other)] && count++ < mostNamed)
      names += (names.empty() ? "" : ", ") + nameOf(other);
  return count > mostNamed ? fmt::format("{} and {} more", names, count - mostNamed) : names;
}

// Waiting ranks and the ranks they wait for.
std::string Watchdog::standstill() const {
  std::string text;
  std::size_t count = 0;
  const auto add = [&](int rank, int other) {
    if (other >= 0 && count++ < mostNamed)
      text += fmt::format(", {} for rank {}", nameOf(rank), other);
  };
  add(0, waitsFor_.load());
  for (int rank = 1; rank < size_; ++rank)
    add(rank, answers_[static_cast<std::size_t>(rank)]->waitsFor);
  return text;
}

void Watchdog::endAll(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", stage::errorLine(program_invocation_short_name, sentence).c_str());
  std::fflush(stderr);
  const std::lock_guard call(mpi_);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(stage::ExitCode::NoResource));
  std::_Exit(static_cast<int>(stage::ExitCode::NoResource));
}

}  // namespace tessera::solver::comm
