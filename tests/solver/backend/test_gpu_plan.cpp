// SPDX-License-Identifier: GPL-3.0-or-later
// The plan of a run on a GPU (emulated): its time by the peak bandwidth that the driver reports, by
// a speed that --bench has stored, and unknown where there is neither; its state and copies, where
// the case leaves them to the program.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "solver/backend/gpu/device.hpp"
#include "solver/bench/stored_speeds.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run_plan.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/solver/backend/emulated_gpu.hpp"

using namespace tessera;
using namespace tessera::solver;
using namespace tessera::solver::model;
using namespace tessera::testing;

namespace {

// The user's cache in a folder of the test.
class CacheIn {
 public:
  explicit CacheIn(const std::filesystem::path& folder) {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) before_ = value;
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  CacheIn(const CacheIn&) = delete;
  CacheIn& operator=(const CacheIn&) = delete;
  ~CacheIn() {
    if (before_)
      ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    else
      ::unsetenv("XDG_CACHE_HOME");
  }

 private:
  std::optional<std::string> before_;
};

// A plan makes no backend; the registry is a vector of this program, where no build has a GPU.
void giveGpu(const VariantAxes& axes) {
  auto& variant = const_cast<backend::VariantInfo&>(backend::findVariant(axes));
  variant.makeCuda = variant.makeCpu;
}

}  // namespace

TEST_CASE("Plan on a GPU: time by the peak bandwidth, by a stored speed, or unknown", "[unit]") {
  const TemporaryFolder folder;
  const CacheIn cache(folder.path());
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-6);
  giveGpu({.precision = run.precision});
  const run::Setup setup = run::prepare(tiles.geometry, run, "cuda");
  REQUIRE(setup.backend == run::BackendKind::Cuda);
  const auto planned = [&] { return planOf(setup, tiles.geometry, false, {}); };

  // 4.8 TB/s, of which a copy has 88 % and a step 85 % of that.
  REQUIRE(backend::findDevice()->peakBandwidth == Approx(4.8e12));
  const auto nodes = static_cast<double>(tiles.geometry.fluidNodes);
  const double utilisation = nodes / (64.0 * static_cast<double>(tiles.geometry.tiles()));
  const double mflups = 1e-6 * 0.85 * 0.88 * 4.8e12 * utilisation / setup.variant->bytesPerNode();
  const RunPlan byPeak = planned();
  CHECK(byPeak.mflups == Approx(mflups));
  CHECK(byPeak.seconds == Approx(nodes * static_cast<double>(run.steps) / (1e6 * mflups)));
  CHECK_THAT(runPlanText(byPeak, setup),
             Catch::Contains("for 20000 steps at ") &&
                 Catch::Contains("from 88 % of the device's peak, 4800 GB/s; --bench step"));

  emulated::memoryClock() = 0;
  const RunPlan unknown = planned();
  CHECK(unknown.seconds == 0.0);
  CHECK_THAT(runPlanText(unknown, setup),
             Catch::Contains("time         unknown: tessera-solver --bench step measures"));
  CHECK(runPlanJson(unknown)["seconds"].is_null());

  bench::storeSpeeds(bench::speedsFile(),
                     {{"emulated", setup.variant->name(), setup.copies, 500.0, utilisation, 4e12}});
  const RunPlan stored = planned();
  CHECK(stored.mflups == Approx(500.0));
  CHECK(stored.speedSource == "measured by --bench");
  emulated::memoryClock() = 3'125'000;
  CHECK(planned().mflups == Approx(500.0));
}

TEST_CASE("Plan on a GPU: moments are chosen where they hold all that the collision keeps",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-6);
  run.collision = CollisionId::Regularised;
  giveGpu({.precision = run.precision});
  giveGpu({.collision = CollisionId::Regularised, .precision = run.precision});
  giveGpu({.collision = CollisionId::Regularised,
           .precision = run.precision,
           .state = StateId::Moments});
  const auto chosen = [&](const SolverCase& of, const char* backend = "cuda") {
    const run::Setup setup = run::prepare(tiles.geometry, of, backend);
    CHECK((setup.stateReason == run::StateReason::Holds) == setup.variant->storesMoments());
    CHECK(setup.run.state == setup.variant->axes.state);
    return setup.variant->axes.state;
  };
  CHECK(chosen(run) == StateId::Populations);  // the case says so
  setState("auto", run);
  CHECK(chosen(run) == StateId::Moments);
  CHECK(chosen(run, "cpu") == StateId::Populations);
  SolverCase other = run;
  other.walls = WallScheme::SingleNode;
  CHECK(chosen(other) == StateId::Populations);
  other = run;
  other.collision = CollisionId::Trt;
  CHECK(chosen(other) == StateId::Populations);
}

TEST_CASE("Plan on a GPU: one copy of the state where two do not fit with walls and openings",
          "[unit]") {
  const TilesFile tiles = straightDuct(400);  // longer than a window
  SolverCase run = steadyDuctFlow(1e-6);
  giveGpu({.precision = run.precision});
  const std::size_t all = emulated::freeMemory();
  const auto planned = [&](std::size_t bytes) {
    emulated::freeMemory() = bytes;
    run::Setup setup = run::prepare(tiles.geometry, run, "cuda");
    emulated::freeMemory() = all;
    return setup;
  };
  const run::Setup two = planned(all);
  REQUIRE(two.copies == 2);
  const std::uint64_t needed = run::stateBytes(two);
  CHECK(planned(needed).copies == 2);
  const run::Setup one = planned(needed - 1);
  CHECK(one.copies == 1);
  CHECK(one.window.shift > 0);
  CHECK(one.walls.links.size() == two.walls.links.size());
  CHECK(run::stateBytes(one) < needed);
  run.copies = "2";
  CHECK(planned(needed - 1).copies == 2);
}
