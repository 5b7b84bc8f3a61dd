// SPDX-License-Identifier: GPL-3.0-or-later
// Fields and checkpoints that processes write together: byte for byte those of one, and back to any
// number of processes.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/container.hpp"
#include "solver/run/checkpoint_writer.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tests/fixtures/system_calls.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/threads_as_processes.hpp"
#include "tests/solver/file/shared_state.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::solver::file;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

TilesFile strewnBox(const Int3& nodes = {61, 42, 37}) {
  const auto lattice =
      plain::geometryOf(plain::randomLattice(nodes, 0.6, 3, 1), {false, false, false});
  return {coverWithTiles(lattice, {1, 0, 2}), {}, "of the tiles"};
}

Provenance someProvenance() {
  return newProvenance("test");
}

// The state is another one before it is written.
void writePart(const fs::path& path, const WholeState& whole, const StateOfProcess& part,
               Processes& processes) {
  std::vector<std::byte> state = part.state;
  const TileLayout layout = part.layout(whole);
  CheckpointTogether writing(path, part.checkpoint, state, layout, part.own, someProvenance(),
                             processes);
  std::fill(state.begin(), state.end(), std::byte{1});
  writing.write();
  writing.finish();
}

void writeTogether(const fs::path& path, const WholeState& whole, int size, unsigned longest) {
  const auto owners = randomOwners(whole.nonSolid.size(), size, longest, 3);
  asProcesses(size, [&](Processes& processes) {
    const StateOfProcess part = divide(whole, owners, processes);
    writePart(path, whole, part, processes);
  });
}

// Messages of all processes; empty where nothing was thrown.
std::vector<std::string> sentences(ExitCode code, int size,
                                   const std::function<void(Processes&)>& body) {
  std::vector<std::string> said(static_cast<std::size_t>(size));
  asProcesses(size, [&](Processes& processes) {
    try {
      body(processes);
    } catch (const StageError& error) {
      if (error.code() == code) said[static_cast<std::size_t>(processes.rank())] = error.what();
    }
  });
  return said;
}

// Whether a process read back its values, solid nodes apart.
bool isBack(const WholeState& whole, const StateOfProcess& part, const Checkpoint& found) {
  const std::size_t node = whole.bytes;
  for (std::size_t k = 0; k < part.fileTile.size(); ++k)
    for (std::size_t n = 0; n < std::size_t{64} * whole.values; ++n) {
      const std::size_t at = (part.slotOfTile[k] * std::size_t{64} * whole.values + n) * node;
      const bool solid = part.nodeType[64 * k + n % 64] == 0;
      if (!solid && std::memcmp(&found.state[at], &part.state[at], node) != 0) return false;
    }
  return found.walls == part.checkpoint.walls && found.step == part.checkpoint.step &&
         found.monitorRows == part.checkpoint.monitorRows &&
         found.cycles.wall == part.checkpoint.cycles.wall &&
         found.cycles.samples == part.checkpoint.cycles.samples;
}

struct Reading {
  std::vector<std::uint64_t> steps;  // of each process; 0: none
  int back = 0;                      // of them that got what they have
  std::string said;
};

Reading readTogether(const fs::path& path, const WholeState& whole, int size) {
  Reading out;
  out.steps.resize(static_cast<std::size_t>(size));
  std::atomic<int> back{0};
  const auto owners = randomOwners(whole.nonSolid.size(), size, 7, 8);
  out.said = standardErrorOf([&] {
    asProcesses(size, [&](Processes& processes) {
      const StateOfProcess part = divide(whole, owners, processes);
      const auto found =
          readCheckpoint(path, whole.checkpoint, part.layout(whole), part.own, processes);
      if (!found) return;
      out.steps[static_cast<std::size_t>(processes.rank())] = found->step;
      if (isBack(whole, part, *found)) ++back;
    });
  });
  out.back = back;
  return out;
}

std::uint64_t offsetOf(const fs::path& path, const std::string& name) {
  const ContainerReader reader(path, "ckpt", 1);
  for (const SectionInfo& section : reader.sections())
    if (section.name == name) return section.offset;
  return 0;
}

void flip(const fs::path& path, std::uint64_t at) {
  std::string bytes = readWhole(path);
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  writeWhole(path, bytes);
}

}  // namespace

TEST_CASE("Shared files: a checkpoint is the same file for any owners of its tiles", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = strewnBox();
  for (const unsigned bytes : {4U, 8U, 2U}) {
    WholeState whole(tiles, bytes == 8 ? 10 : 19, bytes);
    if (bytes == 8) whole.checkpoint.cycles = {};  // of a run that does not pulsate
    writeCheckpoint(folder / "alone", whole.checkpoint, whole.state, whole.layout(),
                    someProvenance());
    const std::string alone = readWhole(folder / "alone");
    REQUIRE(alone.size() > 3'000'000);
    for (const int size : {1, 2, 3, 5, 8})
      for (const unsigned longest : {1U, 60U}) {
        writeTogether(folder / "run.ckpt", whole, size, longest);
        INFO(bytes << " bytes a value, " << size << " processes");
        CHECK((readWhole(folder / "run.ckpt") == alone));
      }
    CHECK((readWhole(folder / "run.ckpt.prev") == alone));
  }
}

TEST_CASE(
    "Shared files: fields are the same file for any owners of their nodes, and are read back by "
    "part",
    "[unit]") {
  const TemporaryFolder folder;
  WholeState whole(strewnBox());
  for (const bool means : {true, false}) {
    if (!means) whole.fields.means.reset();
    writeFieldsFile(folder / "alone.fields", whole.fields);
    const std::string alone = readWhole(folder / "alone.fields");
    for (const int size : {1, 2, 3, 5, 8}) {
      const auto owners = randomOwners(whole.nonSolid.size(), size, 9, 5);
      std::atomic<int> back{0};
      asProcesses(size, [&](Processes& processes) {
        StateOfProcess part = divide(whole, owners, processes);
        writeFieldsTogether(folder / "run.fields", part.fields, part.nodes, part.own.wallPoints,
                            processes);
        const Fields found = readFieldsPart(folder / "run.fields", part.nodes);
        if (found.pressure == part.fields.pressure && found.velocity == part.fields.velocity &&
            found.stress == part.fields.stress && found.monitorRows == part.fields.monitorRows)
          ++back;
      });
      INFO(size << " processes");
      CHECK((readWhole(folder / "run.fields") == alone));
      CHECK(back == size);
    }
  }
}

TEST_CASE(
    "Shared files: fields with a value that is not a number on one process are written by none",
    "[unit]") {
  const TemporaryFolder folder;
  const WholeState whole(strewnBox({20, 20, 20}));
  const auto owners = randomOwners(whole.nonSolid.size(), 3, 4, 5);
  const auto said = sentences(ExitCode::RunFailed, 3, [&](Processes& processes) {
    StateOfProcess part = divide(whole, owners, processes);
    if (processes.rank() == 2) part.fields.velocity[5][1] = std::nanf("");
    writeFieldsTogether(folder / "run.fields", part.fields, part.nodes, part.own.wallPoints,
                        processes);
  });
  CHECK_THAT(said[0], Contains("numbers"));
  CHECK((said == std::vector<std::string>(3, said[0])));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("Shared files: a checkpoint is resumed by any number of processes, and one process by it",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.ckpt";
  const WholeState whole(strewnBox());
  writeTogether(path, whole, 4, 5);
  for (const int size : {1, 3, 8}) {
    const Reading reading = readTogether(path, whole, size);
    CHECK(reading.back == size);
    CHECK_THAT(reading.said, Contains("run.ckpt") && Contains("step 4711"));
    CHECK(reading.said.find("4711") == reading.said.rfind("4711"));
  }
  std::optional<Checkpoint> alone;
  (void)standardErrorOf([&] { alone = readCheckpoint(path, whole.checkpoint, whole.layout()); });
  REQUIRE(alone);
  CHECK(alone->walls == whole.checkpoint.walls);
  CHECK(alone->cycles.wall == whole.checkpoint.cycles.wall);
}

TEST_CASE("Shared files: a checkpoint that is damaged for one process is skipped by all",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.ckpt";
  WholeState whole(strewnBox());
  whole.checkpoint.step = 100;
  writeTogether(path, whole, 2, 5);
  whole.checkpoint.step = 200;
  writeTogether(path, whole, 2, 5);
  CHECK((readTogether(path, whole, 3).steps == std::vector<std::uint64_t>(3, 200)));
  // A byte of the last value of the last tile.
  flip(path, offsetOf(path, "cycles") - 4);
  whole.checkpoint.step = 100;
  const Reading second = readTogether(path, whole, 3);
  CHECK((second.steps == std::vector<std::uint64_t>(3, 100)));
  CHECK(second.back == 3);
  CHECK_THAT(second.said,
             Contains("\"populations\"") && Contains("run.ckpt.prev") && Contains("step 100"));
  flip(path, 3'000'000);  // the same one, in the place of the damaged
  const Reading none = readTogether(path, whole, 3);
  CHECK((none.steps == std::vector<std::uint64_t>(3, 0)));
  CHECK_THAT(none.said, Contains("run.ckpt") && Contains("\"populations\""));
}

TEST_CASE("Shared files: a checkpoint that one process cannot read is left unchanged by all",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.ckpt";
  const WholeState whole(strewnBox({20, 20, 20}));
  writeTogether(path, whole, 2, 5);
  writeTogether(path, whole, 2, 5);
  flip(path, offsetOf(path, "cycles") - 4);
  const std::string damaged = readWhole(path);
  const auto owners = randomOwners(whole.nonSolid.size(), 3, 7, 8);
  std::atomic<int> opened{0};
  const FailingCalls away({.open = [&](std::string& name, int) {
    return name.ends_with(".ckpt") && ++opened == 2 ? ESTALE : 0;
  }});
  const auto said = sentences(ExitCode::BadInput, 3, [&](Processes& processes) {
    const StateOfProcess part = divide(whole, owners, processes);
    (void)readCheckpoint(path, whole.checkpoint, part.layout(whole), part.own, processes);
  });
  CHECK_THAT(said[0], Contains("run.ckpt") && Contains("Stale file handle"));
  CHECK((said == std::vector<std::string>(3, said[0])));
  CHECK((readWhole(path) == damaged));
}

TEST_CASE("Shared files: a checkpoint of another run is refused by all processes alike", "[unit]") {
  const TemporaryFolder folder;
  const WholeState whole(strewnBox({20, 20, 20}));
  writeTogether(folder / "run.ckpt", whole, 2, 5);
  const auto owners = randomOwners(whole.nonSolid.size(), 3, 7, 8);
  const auto said = sentences(ExitCode::BadInput, 3, [&](Processes& processes) {
    const StateOfProcess part = divide(whole, owners, processes);
    Checkpoint other = whole.checkpoint;
    other.physics = "other";
    (void)readCheckpoint(folder / "run.ckpt", other, part.layout(whole), part.own, processes);
  });
  CHECK_THAT(said[0], Contains("another fluid"));
  CHECK((said == std::vector<std::string>(3, said[0])));
}

TEST_CASE("Shared files: a full disk leaves both generations unchanged, and all processes know",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.ckpt";
  WholeState whole(strewnBox());
  writeTogether(path, whole, 2, 5);
  whole.checkpoint.step = 4712;
  writeTogether(path, whole, 3, 5);
  const std::string newest = readWhole(path);
  const std::string before = readWhole(path.string() + ".prev");
  const auto owners = randomOwners(whole.nonSolid.size(), 3, 7, 8);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const double room : {0.0, 0.5, 0.99}) {
    rlimit small = limit;
    small.rlim_cur = static_cast<rlim_t>(room * static_cast<double>(newest.size()));
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto said = sentences(ExitCode::OutputFailed, 3, [&](Processes& processes) {
      const StateOfProcess part = divide(whole, owners, processes);
      writePart(path, whole, part, processes);
    });
    ::setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_THAT(said[0], Contains("run.ckpt") && Contains("File too large"));
    CHECK((said == std::vector<std::string>(3, said[0])));
    CHECK((readWhole(path) == newest));
    CHECK((readWhole(path.string() + ".prev") == before));
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}) == 2);
  }
}

TEST_CASE("Shared files: a background writer of several processes ends alike on all of them",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.ckpt";
  WholeState whole(strewnBox());
  writeCheckpoint(folder / "alone", whole.checkpoint, whole.state, whole.layout(),
                  someProvenance());
  const auto owners = randomOwners(whole.nonSolid.size(), 3, 7, 8);
  std::atomic<int> kept{0};
  std::atomic<int> failed{0};
  const std::string said = standardErrorOf([&] {
    asProcesses(3, [&](Processes& processes) {
      const StateOfProcess part = divide(whole, owners, processes);
      CheckpointWriter writer(path, part.layout(whole), part.own, someProvenance(), processes);
      if (writer.busy()) return;
      std::vector<std::byte> state = part.state;
      writer.start(part.checkpoint, state);
      std::fill(state.begin(), state.end(), std::byte{2});
      while (writer.busy()) (void)processes.allGather({});  // as a run does meanwhile
      if (writer.keptStep() == 4711U && writer.failure().empty()) ++kept;
      CheckpointWriter nowhere(folder / "none/run.ckpt", part.layout(whole), part.own,
                               someProvenance(), processes);
      nowhere.start(part.checkpoint, part.state);
      nowhere.wait();
      if (!nowhere.keptStep() && nowhere.failure().find("No such file") != std::string::npos)
        ++failed;
    });
  });
  CHECK(kept == 3);
  CHECK(failed == 3);
  CHECK((readWhole(path) == readWhole(folder / "alone")));
  CHECK_THAT(said, Contains("step 4711") && Contains("none/run.ckpt"));
  CHECK(said.find("No such file") == said.rfind("No such file"));
}
