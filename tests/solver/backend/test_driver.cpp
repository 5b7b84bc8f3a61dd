// SPDX-License-Identifier: GPL-3.0-or-later
// The driver of all backends with a toy scheme: diffusion along a rod, cut in two ranks, with a
// prescribed value at each end in each step, stepped once or twice per pass.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "solver/backend/cpu/target.hpp"
#include "solver/backend/driver.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;

namespace {

using Log = std::vector<std::string>;

constexpr int rodCells = 24;  // of a rank
constexpr int tileCells = 4;
constexpr std::uint32_t rodTiles = rodCells / tileCells;
constexpr int rodGhosts = 2;  // as many as a pass has steps at most
constexpr double diffusivity = 0.21;

double diffused(double before, double left, double right) {
  return before + diffusivity * ((left + right) - 2.0 * before);
}

// Cells of a rank, counted from the cut: -2 and -1 are those of the other rank, rodCells is the
// end of the rod.
class RodState {
 public:
  double* now() { return &cells_[current_][rodGhosts]; }
  double* next() { return &cells_[1 - current_][rodGhosts]; }
  void advance() { current_ = 1 - current_; }

 private:
  std::array<std::array<double, rodGhosts + rodCells + 1>, 2> cells_{};
  std::size_t current_ = 0;
};

// Messages that the two ranks have sent each other and not yet received.
struct Mailboxes {
  std::mutex mutex;
  std::condition_variable arrived;
  std::array<std::deque<std::array<double, rodGhosts>>, 2> of;  // by receiving rank
};

class RodHalo {
 public:
  RodHalo(Mailboxes& mail, std::size_t rank, Log* log = nullptr)
      : mail_(mail), rank_(rank), log_(log) {}
  void begin(const double* state) {
    if (log_ != nullptr) log_->push_back("halo begins");
    const std::scoped_lock lock(mail_.mutex);
    mail_.of[1 - rank_].push_back({state[0], state[1]});
    mail_.arrived.notify_all();
  }
  void finish(double* state) {
    if (log_ != nullptr) log_->push_back("halo finishes");
    std::unique_lock lock(mail_.mutex);
    auto& own = mail_.of[rank_];
    mail_.arrived.wait(lock, [&] { return !own.empty(); });
    state[-1] = own.front()[0];
    state[-2] = own.front()[1];
    own.pop_front();
  }

 private:
  Mailboxes& mail_;
  std::size_t rank_;
  Log* log_;
};

template <class Target, std::uint64_t steps>
class RodScheme {
 public:
  [[nodiscard]] static std::uint64_t stepsPerPass() { return steps; }
  explicit RodScheme(Log* log = nullptr) : log_(log) {}

  [[nodiscard]] std::uint32_t tiles() const { return rodTiles; }
  [[nodiscard]] const std::array<PassPart, 2>& parts() const { return parts_; }
  RodState& state() { return state_; }
  [[nodiscard]] bool hasBoundaries() const { return true; }
  [[nodiscard]] bool isDriven() const { return true; }
  [[nodiscard]] bool firstPassDiffers() const { return false; }
  void loadValues(std::span<const double> values, typename Target::Queue) { loaded_ = values; }
  void selectValues(std::uint64_t first, std::uint64_t count, typename Target::Queue) {
    values_ = loaded_.subspan(first, count);
  }

  void applyBoundaries(const Pass& pass, typename Target::Queue) {
    note("boundaries of " + std::to_string(pass.steps));
    state_.now()[rodCells] = values_[pass.first];
  }
  void stepTiles(const Pass& pass, const PassPart& part, typename Target::Queue) {
    note("tiles " + std::to_string(part.first) + " to " + std::to_string(part.end));
    for (int first = tileCells * static_cast<int>(part.first);
         first < tileCells * static_cast<int>(part.end); first += tileCells)
      stepTile(pass, first);
  }
  void completeTiles(const Pass&, TileRange tiles, typename Target::Queue) {
    note("completion " + std::to_string(tiles.first) + " to " + std::to_string(tiles.end));
  }
  void advanceState(const Pass&) {
    note("advance");
    state_.advance();
  }

 private:
  void note(std::string what) {
    if (log_ != nullptr) log_->push_back(std::move(what));
  }
  // One step from `now`, or two by way of cells that reach one further on either side. The value at
  // the end of the rod in the second step applies inside the pass.
  void stepTile(const Pass& pass, int first) {
    const double* now = state_.now();
    double* next = state_.next();
    if (pass.steps == 1) {
      for (int x = first; x < first + tileCells; ++x)
        next[x] = diffused(now[x], now[x - 1], now[x + 1]);
      return;
    }
    std::array<double, tileCells + 2> between{};
    for (int x = first - 1; x <= first + tileCells; ++x)
      between[static_cast<std::size_t>(x - first + 1)] =
          x == rodCells ? values_[pass.first + 1] : diffused(now[x], now[x - 1], now[x + 1]);
    for (std::size_t k = 1; k <= tileCells; ++k)
      next[first + static_cast<int>(k) - 1] = diffused(between[k], between[k - 1], between[k + 1]);
  }

  std::array<PassPart, 2> parts_{PassPart{0, 1, Lane::Border, true, 1}, PassPart{1, rodTiles}};
  RodState state_;
  std::span<const double> loaded_;
  std::span<const double> values_;
  Log* log_;
};

// Start of a rank's cells and value at its end of the rod in a step.
double rodStart(std::size_t rank, int x) {
  return std::sin(1.7 * x + 0.3 * static_cast<double>(rank));
}
double rodEnd(std::size_t rank, std::uint64_t step) {
  return std::cos(0.9 * static_cast<double>(step) - static_cast<double>(rank));
}

// All cells after so many steps, the end of rank 1 first, without ranks, tiles or passes.
std::vector<double> plainRod(std::uint64_t steps) {
  std::vector<double> cells(2 * rodCells + 2);
  for (int x = 0; x < rodCells; ++x) {
    cells[static_cast<std::size_t>(rodCells - x)] = rodStart(1, x);
    cells[static_cast<std::size_t>(rodCells + 1 + x)] = rodStart(0, x);
  }
  for (std::uint64_t step = 0; step < steps; ++step) {
    cells.front() = rodEnd(1, step);
    cells.back() = rodEnd(0, step);
    const std::vector<double> before = cells;
    for (std::size_t k = 1; k + 1 < cells.size(); ++k)
      cells[k] = diffused(before[k], before[k - 1], before[k + 1]);
  }
  return {cells.begin() + 1, cells.end() - 1};
}

// The same by two ranks, in calls of so many steps each.
template <std::uint64_t stepsPerPass>
std::vector<double> drivenRod(const std::vector<std::uint64_t>& calls) {
  Mailboxes mail;
  std::vector<double> cells(2 * rodCells);
  const auto run = [&](std::size_t rank) {
    Cpu target{Domain{}};
    RodScheme<Cpu, stepsPerPass> scheme;
    RodHalo halo(mail, rank);
    for (int x = 0; x < rodCells; ++x) scheme.state().now()[x] = rodStart(rank, x);
    halo.begin(scheme.state().now());
    halo.finish(scheme.state().now());
    Driver<Cpu, RodScheme<Cpu, stepsPerPass>, RodHalo> driver(target, scheme, halo);
    std::uint64_t step = 0;
    for (const std::uint64_t steps : calls) {
      std::vector<double> values;
      for (std::uint64_t k = 0; k < steps; ++k) values.push_back(rodEnd(rank, step++));
      driver.advance(steps, values);
    }
    for (int x = 0; x < rodCells; ++x)
      cells[static_cast<std::size_t>(rank == 0 ? rodCells + x : rodCells - 1 - x)] =
          scheme.state().now()[x];
  };
  std::thread other(run, std::size_t{1});
  run(0);
  other.join();
  return cells;
}

// A target that logs its hooks, and gives passes in sequences of five steps.
class LoggingTarget {
 public:
  struct Queue {};
  explicit LoggingTarget(Log& log) : log_(log) {}
  [[nodiscard]] Queue main() const { return {}; }
  template <class Scheme, class Steps>
  void repeat(std::uint64_t steps, Scheme& scheme, const Steps& make) {
    for (std::uint64_t done = 0; done < steps;) {
      const std::uint64_t count = std::min<std::uint64_t>(5, steps - done);
      scheme.selectValues(done, count, main());
      make(count);
      done += count;
    }
  }
  void beginSequence() { log_.push_back("sequence {"); }
  void beginPass(bool boundaries) { log_.push_back(boundaries ? "pass" : "pass alone"); }
  Queue beginBoundaries() { return {}; }
  void endBoundaries() { log_.push_back("boundaries end"); }
  Queue begin(const PassPart& part) {
    log_.push_back(part.lane == Lane::Border ? "border {" : "main {");
    return {};
  }
  void end(const PassPart&) { log_.push_back("}"); }
  Queue beginBorder() { return {}; }
  void endBorder() { log_.push_back("border ends"); }
  void endTiles() { log_.push_back("tiles end"); }
  void endSequence() { log_.push_back("} sequence"); }
  void endSteps() { log_.push_back("steps end"); }

 private:
  Log& log_;
};

void append(Log& log, const Log& more) {
  log.insert(log.end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("Driver: the phases of each pass run in the documented order") {
  Log log;
  LoggingTarget target(log);
  RodScheme<LoggingTarget, 2> scheme(&log);
  Mailboxes mail;
  RodHalo halo(mail, 0, &log);
  Driver<LoggingTarget, RodScheme<LoggingTarget, 2>, RodHalo> driver(target, scheme, halo);
  for (int k = 0; k < 4; ++k) mail.of[0].push_back({0.0, 0.0});
  driver.advance(7, std::vector<double>(7, 0.5));

  const auto pass = [](const std::string& steps) {
    return Log{"pass",
               "boundaries of " + steps,
               "boundaries end",
               "border {",
               "tiles 0 to 1",
               "}",
               "completion 0 to 1",
               "border ends",
               "halo begins",
               "main {",
               "tiles 1 to 6",
               "}",
               "halo finishes",
               "tiles end",
               "completion 1 to 6",
               "advance"};
  };
  Log expected{"sequence {"};
  for (const char* steps : {"2", "2", "1"}) append(expected, pass(steps));
  append(expected, {"} sequence", "sequence {"});
  append(expected, pass("2"));
  append(expected, {"} sequence", "steps end"});
  CHECK(log == expected);
}

TEST_CASE("Driver: passes of two steps give the bits of plain steps, odd numbers included") {
  for (const std::uint64_t steps : {0U, 1U, 2U, 3U, 8U, 31U}) {
    INFO(steps << " steps");
    const std::vector<double> expected = plainRod(steps);
    CHECK(drivenRod<1>({steps}) == expected);
    CHECK(drivenRod<2>({steps}) == expected);
  }
  CHECK(drivenRod<2>({3, 4, 1, 1, 2}) == plainRod(11));
}

TEST_CASE("Driver: a boundary value of the second step of a pass acts inside the pass") {
  Cpu target{Domain{}};
  Mailboxes mail;
  const auto lastCells = [&](const std::vector<double>& values) {
    RodScheme<Cpu, 2> scheme;
    RodHalo halo(mail, 0);
    mail.of[0].push_back({0.0, 0.0});
    Driver<Cpu, RodScheme<Cpu, 2>, RodHalo>(target, scheme, halo).advance(2, values);
    return std::array<double, 2>{scheme.state().now()[rodCells - 1],
                                 scheme.state().now()[rodCells - 2]};
  };
  const double k = diffusivity;
  CHECK(lastCells({0.0, 1.0}) == std::array<double, 2>{k, 0.0});
  CHECK(lastCells({1.0, 0.0})[0] == Approx(k * (1.0 - 2.0 * k)));
  CHECK(lastCells({1.0, 0.0})[1] == Approx(k * k));
}
