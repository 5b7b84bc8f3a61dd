// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comm/watchdog.hpp"

#include <errno.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/thread_without_signals.hpp"
#include "solver/comm/host_name.hpp"

namespace tessera::solver::comm {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int askTag = 1;
constexpr int answerTag = 2;
constexpr std::chrono::milliseconds period{100};
// Between two looks no more than this counts, s: the rest of the time the process was not running.
constexpr double mostAtOnce = 1.0;
constexpr std::size_t mostNamed = 8;
// A rank that ends by an error of its own takes the exchange with it; it says so itself in this
// time, s (endTogether).
constexpr double toSayWhy = 8.0;
// Steps that are launched ahead hold up the device's last exchange for this long at most, s.
constexpr double launchedAhead = 5.0;

std::string secondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g s", seconds);
  return text;
}

}  // namespace

OtherWatch::OtherWatch(std::function<OtherWait()> ask) : ask_(std::move(ask)) {
  thread_ = stage::threadWithoutSignals([this] { run(); });
}

OtherWatch::~OtherWatch() {
  end();
}

void OtherWatch::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void OtherWatch::run() {
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    OtherWait wait = ask_();
    lock.lock();
    last_ = std::move(wait);
    fresh_ = true;
  } while (!changed_.wait_for(lock, period / 2, [this] { return ended_; }));
}

OtherWait OtherWatch::now() {
  const std::lock_guard lock(mutex_);
  OtherWait wait = last_;
  wait.waits = wait.waits || !fresh_;
  fresh_ = false;
  return wait;
}

RankWatch::RankWatch(MPI_Comm ranks, std::mutex& mpi, double seconds)
    : ranks_(ranks), mpi_(mpi), limit_(seconds) {
  MPI_Comm_rank(ranks_, &rank_);
  MPI_Comm_size(ranks_, &size_);
  gatherHosts();
  thread_ = stage::threadWithoutSignals([this] { run(); });
}

RankWatch::~RankWatch() {
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

void RankWatch::gatherHosts() {
  const HostName mine = hostName();
  std::vector<HostName> all(static_cast<std::size_t>(size_));
  MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(),
                static_cast<int>(mine.size()), MPI_CHAR, ranks_);
  for (const HostName& name : all) hosts_.emplace_back(name.data());
}

std::string RankWatch::nameOf(int rank) const {
  return "rank " + std::to_string(rank) + " of " + std::to_string(size_) + " on host " +
         hosts_[static_cast<std::size_t>(rank)];
}

void RankWatch::alsoWatch(std::function<OtherWait()> wait) {
  auto next = wait ? std::make_unique<OtherWatch>(std::move(wait)) : nullptr;
  // Still looked at while it ends, which where what it asks stands still counts as a wait.
  if (other_) other_->end();
  const std::lock_guard lock(otherMutex_);
  other_.swap(next);
}

void RankWatch::run() {
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
    lookAtWaits(std::min(seconds, mostAtOnce));
  }
}

// Answers who asks, and takes in what others answered.
void RankWatch::converse() {
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

void RankWatch::send(int to, int tag, const Answer& answer) {
  Sent& one = sent_.emplace_back(Sent{answer, MPI_REQUEST_NULL});
  MPI_Isend(&one.answer, sizeof one.answer, MPI_BYTE, to, tag, ranks_, &one.request);
}

double RankWatch::secondsWaited() const {
  return std::max(waited_, otherWaited_ - launchedAhead);
}

void RankWatch::lookAtWaits(double seconds) {
  const std::uint64_t wait = wait_.load();
  waited_ = wait % 2 == 1 && wait == waitSeen_ ? waited_ + seconds : 0.0;
  waitSeen_ = wait;
  {
    const std::lock_guard lock(otherMutex_);
    const OtherWait other = other_ ? other_->now() : OtherWait{};
    otherFailed_ = other.error.empty() ? 0.0 : otherFailed_ + seconds;
    if (otherFailed_ > toSayWhy) endAll(other.error + " (" + nameOf(rank_) + ")");
    otherWaited_ = other.waits && other.number == otherSeen_ ? otherWaited_ + seconds : 0.0;
    otherSeen_ = other.number;
  }
  // Asked at the half of the limit, so that who is there has the other half to answer.
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

void RankWatch::ask() {
  const std::lock_guard call(mpi_);
  answers_.assign(static_cast<std::size_t>(size_), std::nullopt);
  asked_ = true;
  for (int other = 0; other < (rank_ == 0 ? size_ : 1); ++other)
    if (other != rank_) send(other, askTag, {});
}

void RankWatch::judge() {
  if (const std::string silent = silentRanks(); !silent.empty()) {
    // One after another, so that the lowest says it.
    std::this_thread::sleep_for(std::chrono::milliseconds(300) * std::min(rank_, 20));
    endAll(silent + " does not answer, and " + nameOf(rank_) + " has waited for " +
           secondsText(limit_) +
           "; see whether it was stopped, or its host or network is down, and go on with --resume "
           "(TESSERA_WAIT sets how long to wait)");
  }
  if (rank_ != 0) return;
  const bool allWait = std::all_of(answers_.begin() + 1, answers_.end(), [&](const auto& answer) {
    return answer->waited >= 0.5 * limit_;
  });
  // Answers are as old as the question; that it stands is known from two.
  if (allWait && allWaited_)
    endAll("all ranks have waited for each other for " + secondsText(limit_) + standstill() +
           "; see whether the network between their hosts or devices works, and go on with "
           "--resume (TESSERA_WAIT sets how long to wait)");
  allWaited_ = allWait;
}

std::string RankWatch::silentRanks() const {
  std::string names;
  std::size_t count = 0;
  for (int other = 0; other < (rank_ == 0 ? size_ : 1); ++other)
    if (other != rank_ && !answers_[static_cast<std::size_t>(other)] && count++ < mostNamed)
      names += (names.empty() ? "" : ", ") + nameOf(other);
  return count > mostNamed ? names + " and " + std::to_string(count - mostNamed) + " more" : names;
}

// Who waits for whom, where one is known.
std::string RankWatch::standstill() const {
  std::string text;
  std::size_t count = 0;
  const auto add = [&](int rank, int other) {
    if (other >= 0 && count++ < mostNamed)
      text += ", " + nameOf(rank) + " for rank " + std::to_string(other);
  };
  add(0, waitsFor_.load());
  for (int rank = 1; rank < size_; ++rank)
    add(rank, answers_[static_cast<std::size_t>(rank)]->waitsFor);
  return text;
}

void RankWatch::endAll(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", stage::errorLine(program_invocation_short_name, sentence).c_str());
  std::fflush(stderr);
  const std::lock_guard call(mpi_);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(stage::ExitCode::NoResource));
  std::_Exit(static_cast<int>(stage::ExitCode::NoResource));
}

}  // namespace tessera::solver::comm
