// SPDX-License-Identifier: GPL-3.0-or-later
// The same run on 1, 2, 3, 4 and, of 8 processes, 8 ranks, each of which reads its part of a .tiles
// file: fields, monitor and checkpoint byte for byte; a checkpoint of 4 ranks resumed by others.
// Started by mpirun with 4 or 8 processes; prints differences, and then ends with 1. With
// "rank_trials cuda", by as many processes as the host has devices: the cases that are built for
// them, where ranks make two steps in a pass and one alone one; "rank_trials cpu moments" or
// "rank_trials cuda moments": those with this in their names.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "solver/file/fields_file.hpp"
#include "solver/run/initial_state.hpp"
#include "solver/run/load_part.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/solver/comm/rank_cases.hpp"
#include "tests/solver/comm/two_step_sets.hpp"

using namespace tessera;
using namespace tessera::solver::cases;
using namespace tessera::solver::comm;
using namespace tessera::solver::file;
using namespace tessera::solver::run;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t checkpointAt = 20;

// Writes run.fields, run.monitor.csv, run.ckpt and further files of the case to folder. steps: 0,
// or as many instead of the case's. from: initial fields, or none.
void runOn(const std::string& backend, Ranks& ranks, const RankCase& of, const fs::path& folder,
           bool resume, std::uint64_t steps, const fs::path& from) {
  const CaseFile file = CaseFile::parse(of.toml, "case.toml");
  LoadedPart loaded = loadPart(folder.parent_path() / "case.tiles", ranks, costsOfCase(file));
  const TilesFile& tiles = loaded.tiles;
  SolverCase run = readSolverCase(file, tiles.geometry);
  run.checkpointEverySteps = checkpointAt;
  std::optional<Fields> initial;
  if (!from.empty()) {
    initial = readInitialFields(from, tiles, loaded.part, ranks);
    run.initialHash = initial->contentHash;
  }
  if (steps > 0) run.steps = steps;
  const bool inPlace = of.inPlace && backend == "cuda";
  if (inPlace) run.copies = "1";
  Setup setup = prepare(tiles.geometry, run, backend, ranks, std::move(loaded.part));
  if (inPlace && setup.copies != 1) throw std::logic_error(of.name + ": two copies");
  setup.stepsInPass = ranks.alone() ? 1 : 2;
  Simulation simulation(tiles, std::move(setup));
  if (initial) simulation.startFrom(*initial);
  const std::atomic<bool> asked{false};
  const Provenance provenance = newProvenance("rank_trials");
  const RunFiles files{
      folder / "run.monitor.csv", folder / "run.ckpt", folder / "run", "t", of.toml,
      folder / "run.fields"};
  runToEnd(simulation, files, resume, asked, provenance);
}

// Names of files that are not the same in both folders.
std::string differences(const fs::path& a, const fs::path& b) {
  std::string names;
  for (const auto& entry : fs::directory_iterator(a)) {
    const fs::path name = entry.path().filename();
    if (name.extension() == ".prev") continue;
    if (readWhole(entry.path()) != readWhole(b / name)) names += " " + name.string();
  }
  return names;
}

// Whether one rank of another build is found by all.
bool findsOther(Ranks& ranks) {
  requireSame(ranks, "1 abc x86-64-v3", "builds");
  try {
    requireSame(ranks, ranks.rank() == 3 ? "1 def x86-64-v3" : "1 abc x86-64-v3", "builds");
  } catch (const StageError& error) {
    const std::string said = error.what();
    return said.find("rank 3 has 1 def") != std::string::npos;
  }
  return false;
}

class Trials {
 public:
  Trials(Ranks& world, std::string backend) : world_(world), backend_(std::move(backend)) {
    if (world_.isRoot()) folder_.emplace();
    std::string name = world_.isRoot() ? folder_->path().string() : "";
    name.resize(ofRoot(world_, name.size()));
    world_.broadcast(std::as_writable_bytes(std::span(name)));
    path_ = name;
    for (const int n : {1, 2, 3, 4, 8})
      if (n <= world_.size()) some_.push_back(world_.first(n));
  }

  void tryCase(const RankCase& of) {
    trySets(of);
    const fs::path expected = make(of, "expected", 0, false, 0);
    for (std::size_t k = 1; k < some_.size(); ++k)
      compare(of, expected, make(of, "made", k, false, 0), k);
    resume(of, expected);
    if (of.name == "a bent tube" || of.name == "rock of moments") startFromFields(of, expected);
  }
  // Those for two steps in a pass, of the case's geometry, openings and walls.
  void trySets(const RankCase& of) {
    onRoot(world_, [&] {
      writeTilesFile(path_ / "case.tiles", of.tiles.geometry, newProvenance("rank_trials"));
    });
    if (of.name.find("moments") != std::string::npos) compareSets(of);
  }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  // A run of its own in a fresh folder, by the first ranks of entry k.
  fs::path make(const RankCase& of, const std::string& name, std::size_t k, bool resumed,
                std::uint64_t steps, const fs::path& from = {}) {
    const fs::path folder = path_ / name;
    if (world_.isRoot() && !resumed) {
      fs::remove_all(folder);
      fs::create_directory(folder);
    }
    world_.sum({});
    if (some_[k]) runOn(backend_, *some_[k], of, folder, resumed, steps, from);
    return folder;
  }

  void compare(const RankCase& of, const fs::path& expected, const fs::path& made, std::size_t k) {
    if (!world_.isRoot()) return;
    const std::string names = differences(expected, made);
    if (names.empty()) return;
    ++failures_;
    std::printf("%s: on %d ranks other bytes than on one in%s\n", of.name.c_str(), some_[k]->size(),
                names.c_str());
  }

  void compareSets(const RankCase& of) {
    for (std::size_t k = 1; k < some_.size(); ++k) {
      if (!some_[k]) continue;
      const std::string names = twoStepDifferences(*some_[k], of, path_ / "case.tiles");
      if (names.empty()) continue;
      ++failures_;
      std::printf("%s: rank %d of %d has other sets for two steps in a pass:%s\n", of.name.c_str(),
                  world_.rank(), some_[k]->size(), names.c_str());
    }
  }

  // 4 ranks, or all, run to their first checkpoint, others resume. The last checkpoint of
  // uninterrupted runs is later.
  void resume(const RankCase& of, const fs::path& expected) {
    const std::size_t first = std::min<std::size_t>(3, some_.size() - 1);
    for (const std::size_t k : {std::size_t{0}, first < 3 ? first : first - 1}) {
      make(of, "made", first, false, checkpointAt + 5);
      const fs::path made = make(of, "made", k, true, 0);
      compare(of, expected, made, k);
    }
  }

  // Each rank reads its own nodes of the fields; those of another geometry are refused by all.
  void startFromFields(const RankCase& of, const fs::path& expected) {
    const fs::path from = path_ / "start.fields";
    onRoot(world_, [&] { fs::copy_file(expected / "run.fields", from); });
    const fs::path alone = make(of, "alone", 0, false, 0, from);
    for (const std::size_t k : {(some_.size() - 1) / 2, some_.size() - 1})
      compare(of, alone, make(of, "made", k, false, 0, from), k);
    onRoot(world_, [&] {
      fs::remove(from);
      writeTilesFile(path_ / "case.tiles", smallCase().tiles.geometry, newProvenance("t"));
    });
    if (!some_[1]) return;
    try {
      LoadedPart other = loadPart(path_ / "case.tiles", *some_[1]);
      (void)readInitialFields(expected / "run.fields", other.tiles, other.part, *some_[1]);
    } catch (const StageError& error) {
      if (std::string(error.what()).find("another geometry") != std::string::npos) return;
      if (world_.isRoot()) std::printf("%s\n", error.what());
    }
    ++failures_;
  }

  Ranks& world_;
  std::string backend_;
  std::optional<TemporaryFolder> folder_;
  fs::path path_;
  std::vector<std::unique_ptr<Ranks>> some_;
  int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<Ranks> world = launchedRanks();
  const std::string backend = argc > 1 ? argv[1] : "cpu";
  const std::string named = argc > 2 ? argv[2] : "";
  if (backend == "cpu" ? world->size() != 4 && world->size() != 8 : world->size() < 2) {
    std::printf("rank_trials: %d processes; %s started by mpirun are required\n", world->size(),
                backend == "cpu" ? "4 or 8" : "at least 2");
    return 2;
  }
  return runTogether(*world, "rank_trials", [&] {
    setVerbosity(Verbosity::Silent);
    Trials trials(*world, backend);
    const auto isNamed = [&](const RankCase& of) {
      return of.name.find(named) != std::string::npos;
    };
    for (const RankCase& of : rankCases())
      if (isNamed(of)) trials.tryCase(of);
    for (const RankCase& of : deviceCases())
      if (isNamed(of)) backend == "cuda" ? trials.tryCase(of) : trials.trySets(of);
    if (world->size() >= 4 && !findsOther(*world)) {
      std::printf("rank %d: another build of rank 3 was not found\n", world->rank());
      return 1;
    }
    return largestOf(*world, trials.failures()) == 0.0 ? 0 : 1;
  });
}
