// SPDX-License-Identifier: GPL-3.0-or-later
// The two generations of a checkpoint: which one a run resumes from, and how it replaces them.
#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/fixtures/case/checkpoint_runs.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/system_calls.hpp"

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

TEST_CASE("Checkpoint generations: both resume to the bits of an uninterrupted run", "[unit]") {
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
    CHECK_THAT(said, Contains(damaged ? "run.ckpt.prev" : "run.ckpt") &&
                         Contains(damaged ? "step 120" : "step 180"));
    if (damaged) CHECK_THAT(said, Contains("\"populations\""));
    CHECK(cut.populations == straight.populations);
    CHECK(cut.monitor() == expected);
  }
  // Neither is intact: both are reported, and the run starts from the beginning.
  flipByteIn(cut.checkpoint());
  writeWhole(cut.checkpoint().string() + ".prev", before.substr(0, before.size() - 1));
  const std::string said = standardErrorOf([&] { cut.go(true); });
  CHECK_THAT(said, Contains("truncated") && Contains("altered"));
  CHECK(cut.populations == straight.populations);
}

TEST_CASE("Checkpoint generations: a run resumed from the older one loses it at no time",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(203);
  flipByteIn(runs.checkpoint());
  const std::string good = readWhole(runs.previous());
  runs.signal = true;
  CHECK_THAT(standardErrorOf([&] { CHECK(runs.go(true).stopped); }), Contains("run.ckpt.prev"));
  CHECK(readWhole(runs.previous()) == good);
  flipByteIn(runs.checkpoint());
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("step 120"));
}

// Not damaged, so nothing of it may be lost: neither generation, nor rows of the monitor.
TEST_CASE("Checkpoint generations: unreadable ones and those of another version are left unchanged",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(203);
  const auto refused = [&](const std::string& fact) {
    const std::string newest = readWhole(runs.checkpoint());
    const std::string before = readWhole(runs.previous());
    const std::string rows = runs.monitor();
    checkError(ExitCode::BadInput, [&] { runs.go(true); }, {fact});
    CHECK(readWhole(runs.checkpoint()) == newest);
    CHECK(readWhole(runs.previous()) == before);
    CHECK(runs.monitor() == rows);
  };
  const auto isNewest = [](const std::string& path) { return path.ends_with("run.ckpt"); };
  for (const int error : {EIO, EACCES, ESTALE}) {
    const FailingCalls away(
        {.open = [&](std::string& path, int) { return isNewest(path) ? error : 0; }});
    refused(std::generic_category().message(error));
  }
  {
    const FailingCalls broken(
        {.read = [&](const std::string& path) { return isNewest(path) ? EIO : 0; }});
    refused("Input/output error");
  }
  std::string newer = readWhole(runs.checkpoint());
  newer[20] = 2;  // major
  writeWhole(runs.checkpoint(), newer);
  refused("2.4");
  // Nor when the other one cannot be read, and the newest is damaged.
  flipByteIn(runs.checkpoint());
  newer[20] = 1;
  newer[newer.size() / 2] = static_cast<char>(newer[newer.size() / 2] ^ 4);
  writeWhole(runs.checkpoint(), newer);
  const FailingCalls away(
      {.open = [&](std::string& path, int) { return path.ends_with(".prev") ? EIO : 0; }});
  refused("run.ckpt.prev");
}

TEST_CASE("Checkpoint generations: where run.ckpt is a symbolic link both are at its target",
          "[unit]") {
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
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("step 120"));
  fs::remove(runs.previous());
  writeWhole(moved, newest);
  runs.run.steps = 401;
  runs.go(true);
  CHECK(fs::is_symlink(runs.checkpoint()));
  CHECK_FALSE(fs::exists(runs.previous()));
  REQUIRE(fs::exists(scratch / "run.ckpt.prev"));
  flipByteIn(moved);
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("step 300"));
  removeCheckpoints(runs.checkpoint());
  CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE("Checkpoint generations: a run that is asked to stop gives up the older one for room",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs runs{tiles};
  runs.leaveCheckpoints(70);
  const double room = 2.5 * double(fs::file_size(runs.checkpoint()));
  const FailingCalls disk({.write = [&](const std::string& path, std::size_t bytes) {
    const bool fits = bytesIn(runs.folder.path()) + double(bytes) < room;
    return path.ends_with(".part") && !fits ? ENOSPC : 0;
  }});
  runs.run.steps = 203;
  CHECK_THAT(standardErrorOf([&] { runs.go(true); }), Contains("step 180") && Contains("step 120"));
  const std::string kept = readWhole(runs.checkpoint());
  runs.signal = true;
  CHECK_THAT(standardErrorOf([&] { CHECK(runs.go(true).stopped); }), Contains("run.ckpt.prev"));
  CHECK(readWhole(runs.checkpoint()) != kept);
  CHECK(readWhole(runs.previous()) == kept);
}

TEST_CASE("Checkpoint generations: the older one is given up only for one that is intact",
          "[unit]") {
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
