// SPDX-License-Identifier: GPL-3.0-or-later
// Plan that a thread completes while the run steps.
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <new>
#include <stdexcept>

#include "solver/run_plan.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver;
using namespace tessera::testing;

namespace {

struct PlannedDuct {
  tiler::file::TilesFile tiles = straightDuct();
  run::Setup setup = run::prepare(tiles.geometry, ductFlow(0.0), "cpu");
  std::promise<cases::NetworkFlow> network{};

  std::future<RunPlan> plan() {
    return planDuringRun(setup, tiles.geometry, false, network.get_future());
  }
  cases::NetworkFlow flow() const {
    return cases::networkFlow(setup.run, tiles.geometry, cases::cellsOfPlan, *setup.ranks);
  }
};

// The first of two ranks, the other of which has nothing to add.
class OneOfTwo final : public comm::Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  int rankOnHost() const override { return 0; }
  void sum(std::span<std::int64_t>) override {}
  void sumOnHost(std::span<std::int64_t>) override {}
  void max(std::span<double>) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<Message> allGather(std::span<const std::byte> mine) override {
    return {Message(mine.begin(), mine.end()), {}};
  }
  std::vector<Message> allToAll(std::vector<Message> to) override { return to; }
  void start(std::span<const comm::HaloMessage>, std::shared_ptr<const void>) override {}
  void wait() override {}
  std::unique_ptr<comm::Ranks> first(int) override { return nullptr; }
  void watch(std::function<comm::PendingOperation()>) override {}
  comm::Ending agree(const comm::Ending& mine, double) override { return mine; }
};

bool isReady(const std::future<RunPlan>& plan) {
  return plan.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
}

}  // namespace

TEST_CASE("Plan during a run: no step waits for the flow, which the plan has in the end",
          "[unit]") {
  PlannedDuct duct;
  std::future<RunPlan> plan = duct.plan();
  CHECK_FALSE(isReady(plan));
  duct.network.set_value(duct.flow());
  const RunPlan found = plan.get();
  const RunPlan expected = planOf(duct.setup, duct.tiles.geometry, false, duct.flow());
  CHECK(runPlanJson(found).at("openings") == runPlanJson(expected).at("openings"));
  CHECK(found.flow.openings.size() == 2);
  CHECK(found.seconds > 0.0);
  CHECK(found.memory == expected.memory);
  CHECK(expectedErrorJson(found) == expectedErrorJson(expected));
}

TEST_CASE("Plan during a run: the run may replace its set-up before the flow is known", "[unit]") {
  PlannedDuct duct;
  std::future<RunPlan> plan = duct.plan();
  const cases::NetworkFlow flow = duct.flow();
  duct.setup = {};
  duct.network.set_value(flow);
  CHECK(plan.get().flow.openings.size() == 2);
}

TEST_CASE("Plan during a run: without memory for the network the plan lacks the flow", "[unit]") {
  PlannedDuct duct;
  std::future<RunPlan> plan = duct.plan();
  duct.network.set_exception(std::make_exception_ptr(std::bad_alloc()));
  const RunPlan found = plan.get();
  CHECK(found.flow.openings.empty());
  CHECK(found.seconds > 0.0);
}

TEST_CASE("Plan during a run: no failure of its network ends the run", "[unit]") {
  PlannedDuct duct;
  std::future<RunPlan> plan = duct.plan();
  duct.network.set_exception(std::make_exception_ptr(std::runtime_error("failed")));
  CHECK(plan.get().flow.openings.empty());
}

TEST_CASE("Plan during a run: several ranks find it together, before they step", "[unit]") {
  PlannedDuct duct;
  OneOfTwo ranks;
  duct.setup.ranks = &ranks;
  const auto deferred = [&](const auto& find) { return std::async(std::launch::deferred, find); };
  std::future<RunPlan> plan =
      planDuringRun(duct.setup, duct.tiles.geometry, false, deferred([&] { return duct.flow(); }));
  CHECK(isReady(plan));
  CHECK(plan.get().flow.openings.size() == 2);
  const auto fail = [] { return throw std::bad_alloc(), cases::NetworkFlow{}; };
  CHECK_THROWS_AS(planDuringRun(duct.setup, duct.tiles.geometry, false, deferred(fail)),
                  std::bad_alloc);
}
