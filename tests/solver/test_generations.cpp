// SPDX-License-Identifier: GPL-3.0-or-later
// The two generations of a checkpoint: which of them a run goes on from, and what it may do to
// them.
#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/solver/checkpoint_runs.hpp"
#include "tests/stage/expect_error.hpp"
#include "tests/standard_error.hpp"
#include "tests/system_calls.hpp"

using namespace tessera;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// Bytes of the files of a folder, each counted once, whatever names it has.
double bytesIn(const fs::path& folder) {
  double bytes = 0.0;
  for (const auto& entry : fs::directory_iterator(folder))
    bytes += double(entry.file_size()) / double(entry.hard_link_count());
  return bytes;
}

}  // namespace

TEST_CASE("both generations of a checkpoint go on to the bits of a run that was not stopped",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs straight{tiles};
  straight.go(false);
  const std::string expected = straight.monitor();
  Runs cut{tiles};
  cut.run.checkpointEverySteps = 60;
  cut.run.steps = 203;
  cut.run.requireConvergence = false;
  cut.go(false);
  REQUIRE(fs::exists(cut.checkpoint()));
  cut.run.steps = 401;
  // Rows after the checkpoint are in the file: they must come once.
  CHECK(cut.monitor().size() > 0);
  const std::string newest = readWhole(cut.checkpoint());
  const std::string before = readWhole(cut.checkpoint().string() + ".prev");
  for (const bool damaged : {false, true}) {
    writeWhole(cut.checkpoint(), newest);
    writeWhole(cut.checkpoint().string() + ".prev", before);
    if (damaged) flipByteIn(cut.checkpoint());
    std::string said;
    said = standardErrorOf([&] { cut.go(true); });
    CHECK_THAT(said, Contains(damaged ? "run.ckpt.prev at step 120" : "run.ckpt at step 180"));
    if (damaged)
      CHECK_THAT(said, Contains("altered in section \"populations\"") && Contains("passed over"));
    CHECK(cut.populations == straight.populations);
    CHECK(cut.monitor() == expected);
  }
  // Neither is whole: said of both, and the run starts afresh.
  flipByteIn(cut.checkpoint());
  writeWhole(cut.checkpoint().string() + ".prev", before.substr(0, before.size() - 1));
  const std::string said = standardErrorOf([&] { cut.go(true); });
  CHECK_THAT(said, Contains("truncated") && Contains("altered") && Contains("starting afresh"));
  CHECK(cut.populations == straight.populations);
}

TEST_CASE("a run that goes on from the older generation loses it at no time", "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(203);
  flipByteIn(runs.checkpoint());
  const std::string good = readWhole(runs.previous());
  runs.signal = true;
  CHECK_THAT(standardErrorOf([&] { CHECK(runs.go(true).stopped); }),
             Contains("run.ckpt.prev has taken the place of"));
  CHECK(readWhole(runs.previous()) == good);
  flipByteIn(runs.checkpoint());
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("run.ckpt.prev at step 120"));
}

// Not damaged, so nothing of it may be lost: neither generation, nor rows of the monitor.
TEST_CASE("checkpoints that cannot be read now, or by this version, are left as they are",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(203);
  const auto refused = [&](const std::string& words) {
    const std::string newest = readWhole(runs.checkpoint());
    const std::string before = readWhole(runs.previous());
    const std::string rows = runs.monitor();
    CHECK_THAT(sentenceOfError(ExitCode::BadInput, [&] { runs.go(true); }), Contains(words));
    CHECK(readWhole(runs.checkpoint()) == newest);
    CHECK(readWhole(runs.previous()) == before);
    CHECK(runs.monitor() == rows);
  };
  const auto isNewest = [](const std::string& path) { return path.ends_with("run.ckpt"); };
  for (const int error : {EIO, EACCES, ESTALE}) {
    const FailingCalls away(
        {.open = [&](std::string& path, int) { return isNewest(path) ? error : 0; }});
    refused("run.ckpt cannot be opened: ");
  }
  {
    const FailingCalls broken(
        {.read = [&](const std::string& path) { return isNewest(path) ? EIO : 0; }});
    refused("run.ckpt cannot be read: Input/output error");
  }
  std::string newer = readWhole(runs.checkpoint());
  newer[20] = 2;  // major
  writeWhole(runs.checkpoint(), newer);
  refused("run.ckpt has format version 2.0");
  // Nor when the other one cannot be read, and the newest is damaged.
  flipByteIn(runs.checkpoint());
  newer[20] = 1;
  newer[newer.size() / 2] = static_cast<char>(newer[newer.size() / 2] ^ 4);
  writeWhole(runs.checkpoint(), newer);
  const FailingCalls away(
      {.open = [&](std::string& path, int) { return path.ends_with(".prev") ? EIO : 0; }});
  refused("run.ckpt.prev cannot be opened: ");
}

TEST_CASE("where run.ckpt is a link both generations are where it leads", "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(203);
  const TemporaryFolder scratch;
  const fs::path moved = scratch / "run.ckpt";
  fs::rename(runs.checkpoint(), moved);
  fs::create_symlink(moved, runs.checkpoint());
  // The one that stayed is looked for as well.
  const std::string newest = readWhole(moved);
  flipByteIn(moved);
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("run.ckpt.prev at step 120"));
  fs::remove(runs.previous());
  writeWhole(moved, newest);
  runs.run.steps = 401;
  runs.go(true);
  CHECK(fs::is_symlink(runs.checkpoint()));
  CHECK_FALSE(fs::exists(runs.previous()));
  REQUIRE(fs::exists(scratch / "run.ckpt.prev"));
  flipByteIn(moved);
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("run.ckpt.prev at step 300"));
  removeCheckpoints(runs.checkpoint());
  CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE("a run that is asked to stop gives up the older generation for room", "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(70);
  const double room = 2.5 * double(fs::file_size(runs.checkpoint()));
  const FailingCalls disk({.write = [&](const std::string& path, std::size_t bytes) {
    const bool fits = bytesIn(runs.folder.path()) + double(bytes) < room;
    return path.ends_with(".part") && !fits ? ENOSPC : 0;
  }});
  runs.run.steps = 203;
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }),
             Contains("checkpoint of step 180 could not be written") &&
                 Contains("That of step 120 is kept; the run goes on"));
  const std::string kept = readWhole(runs.checkpoint());
  runs.signal = true;
  CHECK_THAT(standardErrorOf([&] { CHECK(runs.go(true).stopped); }),
             Contains("run.ckpt.prev is given up to make room"));
  CHECK(readWhole(runs.checkpoint()) != kept);
  CHECK(readWhole(runs.previous()) == kept);
}

TEST_CASE("the older generation is given up for one that is whole alone", "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(130);
  flipByteIn(runs.checkpoint());
  CHECK_FALSE(giveUpPrevious(runs.checkpoint()));
  CHECK(fs::exists(runs.previous()));
  flipByteIn(runs.checkpoint());
  CHECK(giveUpPrevious(runs.checkpoint()));
  CHECK_FALSE(fs::exists(runs.previous()));
  CHECK(fs::exists(runs.checkpoint()));
}
