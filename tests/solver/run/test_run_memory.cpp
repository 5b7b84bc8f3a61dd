// SPDX-License-Identifier: GPL-3.0-or-later
// Runs with too little memory: refused before the first step, or nothing is lost.
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>

#include "solver/run/memory_needs.hpp"
#include "tests/fixtures/case/run_in_folder.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::cases;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// Allocations of just so many bytes fail, from one on so many times.
std::atomic<std::size_t> size{0};
std::atomic<int> granted{0};
std::atomic<int> refused{0};
std::atomic<bool>* told = nullptr;  // set when such a one is asked for

void refuse(std::size_t bytes, int first, int times) {
  granted = first;
  refused = times;
  size = bytes;
}

std::uint64_t sumsBytes(const TilesFile& tiles) {
  return tiles.geometry.tiles() * tileNodes * solver::model::meanValues * sizeof(float);
}

}  // namespace

// Not inlined: GCC 12 would take malloc and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (bytes == size && told != nullptr) *told = true;
  if (bytes == size && bytes > 0 && granted-- <= 0 && refused-- > 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

TEST_CASE("Memory of a run: without room for the copy of the state no step is made", "[unit]") {
  const TilesFile tiles = shortDuct();
  RunInFolder run{tiles, ductOfSteps(300)};
  run.prepared = [&] { refuse(tiles.geometry.tiles() * tileNodes * 19 * sizeof(float), 0, 1); };
  checkError(ExitCode::NoResource, [&] { run.go(false); }, {"checkpoint", "MB", "coarser"});
  CHECK_FALSE(fs::exists(run.files.monitor));
}

TEST_CASE("Memory of a run: a checkpoint without memory is reported, and the run continues",
          "[unit]") {
  const TilesFile tiles = shortDuct();
  RunInFolder straight{tiles, ductInCycles()};
  const std::string expected = straight.go(false);
  RunInFolder tight{tiles, ductInCycles()};
  // Several of each cycle.
  tight.run.checkpointEverySteps = straight.result.step / straight.result.cycles / 4;
  std::string found;
  tight.prepared = [&] { refuse(sumsBytes(tiles), 1, 1); };  // the first are the sums themselves
  const std::string said = standardErrorOf([&] { found = tight.go(false); });
  CHECK(found == expected);
  CHECK_THAT(said, Contains("checkpoint") && Contains("memory"));
}

TEST_CASE("Memory of a run: results without memory leave a checkpoint, from which they are made",
          "[unit]") {
  const TilesFile tiles = shortDuct();
  const std::uint64_t stress = tiles.geometry.fluidNodes * 6 * sizeof(float);
  const struct {
    SolverCase run;
    std::size_t bytes;
  } lacks[]{{ductOfSteps(300), stress}, {steadyDuct(), stress}, {ductInCycles(), sumsBytes(tiles)}};
  for (const auto& [run, bytes] : lacks) {
    RunInFolder straight{tiles, run};
    const std::string expected = straight.go(false);
    RunInFolder tight{tiles, run};
    tight.prepared = [bytes = bytes] { refuse(bytes, 0, 1); };
    checkError(ExitCode::NoResource, [&] { tight.go(false); },
               {"memory", tight.files.checkpoint.string()});
    tight.prepared = [] {};
    CHECK_FALSE(fs::exists(tight.files.fields));
    CHECK(tight.go(true) == expected);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take much themselves
TEST_CASE("Memory of a run: without a thread checkpoints are written synchronously", "[unit]") {
  const TilesFile tiles = shortDuct();
  pthread_attr_t before;
  REQUIRE(::pthread_getattr_default_np(&before) == 0);
  pthread_attr_t huge = before;
  ::pthread_attr_setstacksize(&huge, std::size_t{1} << 46U);
  RunInFolder run{tiles, ductOfSteps(300)};
  run.run.checkpointEverySteps = 100;
  REQUIRE(::pthread_setattr_default_np(&huge) == 0);
  const std::string said = standardErrorOf([&] { run.go(false); });
  ::pthread_setattr_default_np(&before);
  CHECK_THAT(said, Contains("step 200"));
  CHECK(fs::exists(run.files.checkpoint.string() + ".prev"));
  // Signals come as before.
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(::sigismember(&blocked, SIGTERM) == 0);
}

TEST_CASE("Memory of a run: the check counts the state, its copy and the results", "[unit]") {
  const TilesFile tiles = openBox({80, 80, 80});
  const Setup setup = prepare(tiles.geometry, ductOfSteps(300), "cpu");
  CHECK(resultBytes(setup) == 512000 * 40);
  CHECK(keptBytes(setup) == 512000 * 80);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const std::uint64_t all = stateBytes(setup) + checkpointBytes(setup) + resultBytes(setup);
  for (const std::int64_t more : {-4000000, 4000000}) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before;
    limit.rlim_cur = pages * 4096 + all + static_cast<std::uint64_t>(more);
    REQUIRE(::setrlimit(RLIMIT_AS, &limit) == 0);
    if (more < 0)
      CHECK_THROWS_AS(checkMemory(setup), StageError);
    else
      CHECK_NOTHROW(checkMemory(setup));
    ::setrlimit(RLIMIT_AS, &before);
  }
}

TEST_CASE("Memory of a run: tables of columns of moments on a GPU are counted", "[unit]") {
  const TilesFile open = openBox({80, 80, 80});
  const TilesFile closed = imageGeometry({80, 80, 80}, [](int, int, int) { return true; },
                                         {true, true, true}, {}, 1e-4, {0, 0, 0});
  // 20 layers of 5 x 5 columns, or of 3 x 5 for two steps in fp32, in pieces of 2 layers for one
  // step and of 4 for two, the shortest that are tried; two tables while they are.
  const double ofOne = 25 * 10 * (8 + 4 * 36 * 8);
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
    const double ofTwo =
        precision == PrecisionId::F64 ? 25 * 5 * (8 + 6 * 36 * 8) : 15 * 5 * (8 + 6 * 60 * 8);
    for (const TilesFile* tiles : {&open, &closed}) {
      SolverCase run = ductOfSteps(300);
      run.state = StateId::Moments;
      run.collision = CollisionId::Regularised;
      run.precision = precision;
      if (tiles == &closed) run.openings.clear(), run.latticeVelocity.reset(), run.tau = 0.8;
      Setup setup = prepare(tiles->geometry, run, "cpu");
      CHECK(columnTableBytes(setup, tiles->geometry) == 0.0);
      setup.backend = BackendKind::Cuda;
      const std::uint64_t before = stateBytes(setup);
      setup.columnBytes = columnTableBytes(setup, tiles->geometry);
      CHECK(setup.columnBytes == ofOne + 2 * ofTwo);
      CHECK(stateBytes(setup) - before == static_cast<std::uint64_t>(setup.columnBytes));
      // A state of populations has none.
      run.state = StateId::Populations;
      setup = prepare(tiles->geometry, run, "cpu");
      setup.backend = BackendKind::Cuda;
      CHECK(columnTableBytes(setup, tiles->geometry) == 0.0);
    }
  }
}

TEST_CASE("Memory of a run: without room for states to go back to it runs, and says so", "[unit]") {
  const TilesFile tiles = openBox({80, 80, 80});
  RunInFolder one{tiles, ductOfSteps(3)};
  // One arena: that of a thread which starts late would take 128 MB of the address space at once.
  REQUIRE(::mallopt(M_ARENA_MAX, 1) == 1);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const Setup setup = prepare(tiles.geometry, one.run, "cpu");
  for (const bool room : {true, false}) {
    // Besides the state, which the simulation has by then.
    one.prepared = [&] {
      std::uint64_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      rlimit limit = before;
      limit.rlim_cur = pages * 4096 + checkpointBytes(setup, true) + resultBytes(setup) +
                       (room ? keptBytes(setup) + 100000000 : keptBytes(setup) * 3 / 4);
      REQUIRE(::setrlimit(RLIMIT_AS, &limit) == 0);
    };
    std::string said = standardErrorOf([&] { one.go(false); });
    ::setrlimit(RLIMIT_AS, &before);
    INFO(said);
    CHECK(fs::exists(one.files.fields));
    CHECK((said.find("should the run diverge, it ends there") == std::string::npos) == room);
  }
}
#endif

TEST_CASE("Memory of a run: a stop request while fields are made does not change them", "[unit]") {
  const TilesFile tiles = shortDuct();
  RunInFolder straight{tiles, steadyDuct()};
  const std::string expected = straight.go(false);
  RunInFolder late{tiles, steadyDuct()};
  late.prepared = [&] {
    refuse(tiles.geometry.fluidNodes * 6 * sizeof(float), 1, 0);
    told = &late.signal;
  };
  CHECK(late.go(false) == expected);
  told = nullptr;
  CHECK(late.signal);
  CHECK_FALSE(late.result.stopped);
}
