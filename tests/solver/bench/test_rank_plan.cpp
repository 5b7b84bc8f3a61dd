// SPDX-License-Identifier: GPL-3.0-or-later
// Times of a step on several ranks by hand, and the text of --plan --ranks.
#include <catch2/catch.hpp>

#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/scaling.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

// 1 GB/s of memory, of which a step in f64 gets 0.955; messages 0.1 GB/s.
Machine plainMachine() {
  Machine machine;
  machine.copyBandwidth = 1e9;
  machine.nodeBandwidth = 1e8;
  machine.networkBandwidth = 1e7;
  machine.ranksPerNode = 4;
  machine.latency = 1e-3;
  machine.messageTime = 1e-4;
  machine.launchTime = 1e-5;
  return machine;
}

RankStatistics rankOf(double seconds, double borderSeconds) {
  RankStatistics rank;
  rank.tiles = 100;
  rank.cost = static_cast<std::uint64_t>(seconds * 0.955e9);
  rank.borderCost = static_cast<std::uint64_t>(borderSeconds * 0.955e9);
  rank.neighbours = 2;
  rank.populationsIn = 1000;
  rank.populationsOut = 500;
  return rank;
}

}  // namespace

TEST_CASE("Rank plan: an exchange is hidden behind the interior, and no further", "[unit]") {
  const StoredState state{false, 19, 8};
  const double exchange = 1e-3 + 2 * 1e-4 + 8000.0 / 1e8;
  const double packing = 1500 * 24.0 / 1e9;
  const StepTime hidden = stepTime(rankOf(0.01, 0.001), 4, state, plainMachine());
  CHECK(hidden.exchange == Approx(exchange));
  CHECK(hidden.compute == Approx(0.01 + packing + 2e-5));
  CHECK(hidden.step == Approx(hidden.compute));
  CHECK(hidden.unhidden == Approx(hidden.compute + exchange));
  const StepTime shown = stepTime(rankOf(0.001, 0.0004), 4, state, plainMachine());
  CHECK(shown.step == Approx(0.0004 + packing + 2e-5 + exchange));
  // Over the network.
  CHECK(stepTime(rankOf(0.01, 0.001), 5, state, plainMachine()).exchange ==
        Approx(1e-3 + 2 * 1e-4 + 8000.0 / 1e7));
}

TEST_CASE("Rank plan: efficiency is the time of one rank over that of all", "[unit]") {
  const StoredState state{false, 19, 8};
  const std::vector<RankStatistics> ranks{rankOf(0.01, 0.001), rankOf(0.02, 0.001)};
  const Prediction found = predict(ranks, state, plainMachine());
  CHECK(found.alone == Approx(0.03 + 1e-5));
  CHECK(found.balance == Approx(0.02 / 0.015));
  CHECK(found.efficiency == Approx(found.alone / (2 * found.slowest.step)));
  CHECK(found.unhidden < found.efficiency);
  RankStatistics single = rankOf(0.01, 0.0);
  single.neighbours = single.populationsIn = single.populationsOut = 0;
  CHECK(predict({single}, state, plainMachine()).efficiency == Approx(1.0));
}

TEST_CASE("Rank plan: the memory of a rank is its share and its ghost tiles", "[unit]") {
  RankStatistics rank;
  rank.tiles = 1000;
  const PlannedState state{{false, 19, 4}, D3Q19::c, false, 2};
  const double own = bytesOfRank(rank, state);
  CHECK(own == Approx(1000.0 * (2 * 64 * 19 * 4 + 128 + 12)));
  rank.ghostTiles = 10;
  CHECK(bytesOfRank(rank, state) == Approx(own + 10.0 * 2 * 64 * 19 * 4));
}

TEST_CASE("Rank plan: the text has balance, halo, memory and time", "[unit]") {
  const TilesFile tiles = builtInTiles(*builtInNamed("dense:64"));
  const PlannedState state{{false, 19, 8}, D3Q19::c, false, 2};
  const std::string text = rankPlanText(tiles.geometry, state, 2);
  CHECK_THAT(text, Catch::Contains("2048"));
  CHECK_THAT(text, Catch::Contains("0.162 MB"));
  CHECK_THAT(text, Catch::Contains("12.5 %"));
  CHECK_THAT(text, Catch::Contains("NVLink"));
  CHECK_THAT(rankPlanText(tiles.geometry, state, 16), Catch::Contains("400 Gb/s"));
  checkError(ExitCode::Usage, [&] { (void)rankPlanText(tiles.geometry, state, 5000); },
             {"5000 ranks", "4096 tiles"});
}
