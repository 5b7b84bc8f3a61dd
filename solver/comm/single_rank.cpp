// SPDX-License-Identifier: GPL-3.0-or-later
// A single rank, and the run of a program's body on ranks.
#include <iostream>
#include <new>
#include <sstream>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/comm/ranks.hpp"

namespace tessera::solver::comm {

using stage::Message;

namespace {

class SingleRank final : public Ranks {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] int rankOnHost() const override { return 0; }
  void sum(std::span<std::int64_t>) override {}
  void sumOnHost(std::span<std::int64_t>) override {}
  void max(std::span<double>) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<Message> allGather(std::span<const std::byte> mine) override {
    return {Message(mine.begin(), mine.end())};
  }
  std::vector<Message> allToAll(std::vector<Message> to) override { return to; }
  void start(std::span<const HaloMessage>, std::shared_ptr<const void>) override {}
  void wait() override {}
  std::unique_ptr<Ranks> first(int) override { return std::make_unique<SingleRank>(); }
  void watch(std::function<PendingOperation()>) override {}
  Ending agree(const Ending& mine, double) override { return mine; }
};

// Seconds that a rank with an error waits for the errors of others.
constexpr double patience = 5.0;

}  // namespace

Ranks& noOthers() {
  static SingleRank single;
  return single;
}

void onRoot(Ranks& ranks, const std::function<void()>& body) {
  if (ranks.alone()) return body();
  stage::together(ranks, [&] {
    if (ranks.isRoot()) body();
  });
}

void requireSame(Ranks& ranks, const std::string& text, const std::string& what) {
  const std::vector<Message> all = ranks.allGather(std::as_bytes(std::span(text)));
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      stage::fail(
          stage::ExitCode::Usage,
          fmt::format("the ranks have different {}: rank 0 has {}, rank {} has {}; start the same "
                      "program on all hosts",
                      what, stage::textOf(all[0]), r, stage::textOf(all[r])));
}

int runTogether(Ranks& ranks, const std::string& program, const std::function<int()>& body) {
  if (ranks.alone()) return body();
  std::ostringstream nowhere;
  std::streambuf* const before = std::cout.rdbuf();
  if (!ranks.isRoot()) std::cout.rdbuf(nowhere.rdbuf());
  if (!ranks.isRoot()) stage::setVerbosity(stage::Verbosity::Silent);
  Ending mine;
  try {
    mine.code = body();
  } catch (const stage::StageError& error) {
    mine = {static_cast<int>(error.code()), error.what()};
  } catch (const std::bad_alloc&) {
    mine = {static_cast<int>(stage::ExitCode::NoResource), stage::notEnoughMemory};
  } catch (const std::exception& error) {
    mine = {static_cast<int>(stage::ExitCode::RunFailed),
            "Internal error (" + std::string(error.what()) +
                "); please report it with the command line."};
  }
  std::cout.flush();
  std::cout.rdbuf(before);
  if (!mine.error.empty()) mine.error = stage::errorLine(program, mine.error);
  const Ending all = ranks.agree(mine, patience);
  if (ranks.isRoot() && !all.error.empty()) std::cerr << all.error << "\n";
  return all.code;
}

}  // namespace tessera::solver::comm
