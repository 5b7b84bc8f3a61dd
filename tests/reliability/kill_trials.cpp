// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of tessera-solver that are killed and told to stop at random moments, and resumed until they
// are done: `kill_trials KILLS STOPS [RANKS [SEED]]`. Prints a table; exit code 1 when a field, a
// line of the monitor or an exit code differs from an undisturbed run. With ranks a random one is
// killed, and another number of ranks, or one process alone, resumes.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/fixtures/child.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::reliability;
namespace fs = std::filesystem;

namespace {

struct Tally {
  int kills = 0;         // or stops
  int inWrites = 0;      // that met a file being written
  int restarts = 0;      // that went on from what was there, without help
  int ended = 0;         // runs that came to their end
  int identical = 0;     // with the bytes of a run left alone
  int wrong = 0;         // exit codes, checkpoints that are not whole, temporary files left
  int stood = 0;         // mpirun that did not end though its ranks were gone
  double slowest = 0.0;  // s from the signal to the exit
};

// ranks 0: a process alone.
std::vector<std::string> command(const std::string& name, int ranks) {
  std::vector<std::string> words{"tessera-solver", "tube.tiles", "--case",  name + ".toml",
                                 "--backend",      "cpu",        "--quiet", "--resume",
                                 "--threads",      "1",          "-o",      name + ".fields"};
#if defined(TESSERA_MPIRUN)
  if (ranks > 0) {
    words[0] = std::string(TESSERA_BIN) + "/tessera-solver";
    const std::vector<std::string> launch{TESSERA_MPIRUN,
                                          "--allow-run-as-root",
                                          "--oversubscribe",
                                          "--bind-to",
                                          "none",
                                          "--mca",
                                          "mpi_yield_when_idle",
                                          "1",
                                          "-np",
                                          std::to_string(ranks)};
    words.insert(words.begin(), launch.begin(), launch.end());
  }
#else
  (void)ranks;
#endif
  return words;
}

// Files of a run: fields, those of phases, the monitor. A checkpoint remains where more steps are
// possible; the previous one may differ, and the report, which has the time.
std::string results(const fs::path& folder, const std::string& name) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool isOf = entry.path().filename().string().starts_with(name + ".");
    const std::string ending = entry.path().extension().string();
    if (isOf && ending != ".toml" && ending != ".ckpt" && ending != ".prev" && ending != ".json")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) all += file.filename().string() + readWhole(file);
  return all;
}

void removeResults(const fs::path& folder, const std::string& name) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(name + ".") &&
        entry.path().extension() != ".toml")
      fs::remove(entry.path());
}

class Trials {
 public:
  Trials(const fs::path& folder, std::string name, int ranks)
      : folder_(folder), name_(std::move(name)), ranks_(ranks) {
    mustRun(folder_, command(name_, 0));
    expected_ = results(folder_, name_);
    removeResults(folder_, name_);
    const double start = secondsNow();
    mustRun(folder_, command(name_, ranks_));
    seconds_ = secondsNow() - start;
    removeResults(folder_, name_);
  }

  // One start, and a signal at a random moment unless the run is done before.
  void strike(int signal, std::mt19937& random, Tally& tally) {
    const int ranks =
        ranks_ > 0 ? std::uniform_int_distribution<int>(std::max(1, ranks_ - 1), ranks_)(random)
                   : 0;
    Child child(folder_, command(name_, ranks));
    if (started_) ++tally.restarts;
    started_ = true;
    // A program that is starting has nothing to lose and catches no signal.
    if (signal == SIGTERM) waitUntilCaught(child, ranks);
    const double delay = std::uniform_real_distribution<double>(0.0, 1.0)(random);
    int code = child.waitFor(delay * seconds_);
    if (code < 0) {
      tell(child, signal, random);
      ++tally.kills;
      const double told = secondsNow();
      code = child.waitFor(120.0);
      if (code < 0 && signal == SIGKILL && child.children().empty())
        code = endOfMpirun(child, tally);
      tally.slowest = std::max(tally.slowest, secondsNow() - told);
      if (signal == SIGKILL && temporaryFiles(folder_) > 0) ++tally.inWrites;
    }
    if (code == 0) return end(tally);
    if (code != (signal == SIGKILL ? 128 + SIGKILL : 75)) return report(tally, code, child);
    if (signal == SIGTERM && !checkpointIsWhole()) report(tally, code, child);
  }

  // To the end, without signals.
  void finish(Tally& tally) {
    if (!started_) return;
    ++tally.restarts;
    Child child(folder_, command(name_, 0));
    const int code = child.wait();
    code == 0 ? end(tally) : report(tally, code, child);
  }

 private:
  // Until every process of the run catches the request to stop, or the run has ended.
  void waitUntilCaught(Child& child, int ranks) const {
    const auto caught = [&] {
      if (ranks == 0) return catches(child.id(), SIGTERM);
      const std::vector<pid_t> all = child.children();
      return all.size() == static_cast<std::size_t>(ranks) &&
             std::all_of(all.begin(), all.end(), [](pid_t one) { return catches(one, SIGUSR1); });
    };
    while (!caught() && child.waitFor(0.002) < 0) continue;
  }
  // Several ranks: one of them is killed, before there are any mpirun; SIGUSR1 is what mpirun
  // passes on and then ends as they do.
  void tell(const Child& child, int signal, std::mt19937& random) const {
    if (ranks_ == 0) return child.signal(signal);
    if (signal == SIGTERM) return child.signal(SIGUSR1);
    const std::vector<pid_t> ranks = child.children();
    if (ranks.empty()) return child.signal(SIGKILL);
    ::kill(ranks[std::uniform_int_distribution<std::size_t>(0, ranks.size() - 1)(random)], SIGKILL);
  }
  // mpirun of OpenMPI 4.1 may hang when a rank dies while it connects ("PMIX ERROR: UNREACHABLE");
  // a batch system kills it at its time limit.
  static int endOfMpirun(Child& child, Tally& tally) {
    ++tally.stood;
    child.signal(SIGKILL);
    return child.wait();
  }
  bool checkpointIsWhole() const {
    return Child(folder_, {"tessera-info", "--check", name_ + ".ckpt"}).wait() == 0;
  }
  void end(Tally& tally) {
    ++tally.ended;
    if (results(folder_, name_) == expected_)
      ++tally.identical;
    else
      std::fprintf(stderr, "%s: another result than a run left alone\n", name_.c_str());
    if (temporaryFiles(folder_) > 0) {
      std::fprintf(stderr, "%s: temporary files are left\n", name_.c_str());
      ++tally.wrong;
    }
    removeResults(folder_, name_);
    started_ = false;
  }
  void report(Tally& tally, int code, const Child& child) const {
    ++tally.wrong;
    std::fprintf(stderr, "%s: exit code %d: %s\n", name_.c_str(), code, child.errors().c_str());
  }

  fs::path folder_;
  std::string name_;
  int ranks_;
  std::string expected_;
  double seconds_ = 0.0;
  bool started_ = false;
};

void printRow(const char* signal, const Tally& t) {
  std::printf("%-8s %8d %10d %9d %6d %10d %6d %12.2f\n", signal, t.kills, t.inWrites, t.restarts,
              t.ended, t.identical, t.wrong, t.slowest);
}

bool allWell(const Tally& t) {
  return t.wrong == 0 && t.ended > 0 && t.identical == t.ended;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: kill_trials KILLS STOPS [RANKS [SEED]]\n");
    return 2;
  }
  const int ranks = argc > 3 ? std::atoi(argv[3]) : 0;
  const int wanted[] = {std::atoi(argv[1]), std::atoi(argv[2])};
  const TemporaryFolder place;
  const fs::path folder = place / "runs";
  fs::create_directory(folder);
  prepareTube(folder, 14, "40 steps");
  std::mt19937 random(argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 11U);
  Tally tallies[2];
  for (const char* name : {"steady", "pulse"}) {
    Trials trials(folder, name, ranks);
    for (const int k : {0, 1}) {
      const int share = name == std::string("pulse") ? wanted[k] : (wanted[k] + 1) / 2;
      while (tallies[k].kills < share && tallies[k].wrong < 5)
        trials.strike(k == 0 ? SIGKILL : SIGTERM, random, tallies[k]);
      trials.finish(tallies[k]);
    }
  }
  std::printf("signal    signals  in writes  restarts  ended  identical  wrong  slowest, s\n");
  printRow("SIGKILL", tallies[0]);
  printRow("SIGTERM", tallies[1]);
  if (tallies[0].stood > 0)
    std::printf("mpirun stood still after its ranks had ended, and was killed: %d\n",
                tallies[0].stood);
  return allWell(tallies[0]) && allWell(tallies[1]) ? 0 : 1;
}
