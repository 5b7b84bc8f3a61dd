// SPDX-License-Identifier: GPL-3.0-or-later
// Every program with every call of its write paths made to fail in turn: `fault_trials quick|all
// [PROGRAM]` (quick: of many calls the first and some further ones). What was there before must
// stay, or the whole new file be there, nothing of half a one, and the exit code and sentence be
// right.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include "tests/reliability/child.hpp"
#include "tests/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::reliability;
namespace fs = std::filesystem;

namespace {

struct Stage {
  std::vector<std::string> command;
  std::string target;  // a file, or a folder with summary.json in it
  bool allocates = true;
};

const std::vector<Stage> stages{
    {{"tessera-sample", "tube", "--quiet", "--diameter", "2 mm", "--length", "6 mm", "-o",
      "out.stl"},
     "out.stl"},
    {{"tessera-preprocess", "tube.stl", "--quiet", "--unit", "mm", "--across", "8", "-o",
      "out.vdb"},
     "out.vdb"},
    {{"tessera-tiler", "tube.vdb", "--quiet", "-o", "out.tiles"}, "out.tiles"},
    {{"tessera-solver", "tube.tiles", "--case", "steady.toml", "--steps", "60", "--backend", "cpu",
      "--quiet", "-o", "out.fields"},
     "out.fields"},
    {{"tessera-postprocess", "tube.fields", "tube.tiles", "--quiet", "-o", "out"},
     "out/summary.json"},
    // Without memory its threads cannot tell each other, so they do not pass for processes then.
    {{"shared_file_trial", "out.shared"}, "out.shared", false}};

struct Failure {
  const char* call;
  const char* name;
  int error;        // 0: half a write
  bool isOvercome;  // tried again, so the program goes on
};

const Failure failures[]{{"open", "ENOSPC", ENOSPC, false},
                         {"open", "EIO", EIO, false},
                         {"write", "ENOSPC", ENOSPC, false},
                         {"write", "EIO", EIO, false},
                         {"write", "EINTR", EINTR, true},
                         {"write", "half", 0, true},
                         {"sync", "EIO", EIO, false},
                         {"sync", "EINTR", EINTR, true},
                         {"rename", "EIO", EIO, false},
                         {"rename", "ENOSPC", ENOSPC, false},
                         {"allocation", "no memory", ENOMEM, false},
                         {"reading", "no memory", ENOMEM, false}};

// Only some programs are given a case, and not all allocate.
bool applies(const Failure& failure, const Stage& stage) {
  if (failure.call == std::string("allocation")) return stage.allocates;
  return failure.call != std::string("reading") ||
         std::find(stage.command.begin(), stage.command.end(), "--case") != stage.command.end();
}

struct Tally {
  int calls = 0;
  int refused = 0;  // exit code 4, of allocations 5
  int gone = 0;     // went on to the end: it was overcome, or of no consequence
  int stands = 0;   // refused, and the whole new file has its name
  int wrong = 0;
};

class Trials {
 public:
  Trials(const fs::path& folder, const Stage& stage) : folder_(folder), stage_(stage) {
    mustRun(folder_, stage_.command);
    whole_ = readWhole(folder_ / stage_.target);
  }

  // The n-th call. False when there is none.
  bool strike(const Failure& failure, int n, Tally& tally) const {
    clear();
    putOld();
    const fs::path mark = folder_.parent_path() / "mark";
    fs::remove(mark);
    Child child(folder_, stage_.command,
                {std::string("LD_PRELOAD=") + TESSERA_FAULT_LIBRARY,
                 "TESSERA_FAULT=" + (std::string(failure.call) + ":" + std::to_string(n) + ":" +
                                     std::to_string(failure.error)),
                 "TESSERA_FAULT_MARK=" + mark.string()});
    const int code = child.wait();
    if (!fs::exists(mark)) return false;
    ++tally.calls;
    const std::string defect = defectOf(failure, code, child.errors());
    if (defect.empty()) {
      ++(code == 0 ? tally.gone : tally.refused);
      if (code != 0 && readWhole(folder_ / stage_.target) == whole_) ++tally.stands;
      return true;
    }
    ++tally.wrong;
    std::fprintf(stderr, "%s, %s %d %s: %s (exit code %d: %s)\n", stage_.command[0].c_str(),
                 failure.call, n, failure.name, defect.c_str(), code, child.errors().c_str());
    return true;
  }

 private:
  static constexpr const char* old = "of before";

  // Of what the trial before wrote.
  void clear() const {
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("out")) fs::remove_all(entry.path());
  }
  void putOld() const {
    const fs::path target = folder_ / stage_.target;
    fs::create_directories(target.parent_path());
    writeWhole(target, old);
  }
  // After warnings, if any.
  [[nodiscard]] bool endsInOneSentence(const std::string& said) const {
    const std::size_t last = said.rfind('\n', said.size() < 2 ? 0 : said.size() - 2);
    const std::string line = said.substr(last == std::string::npos ? 0 : last + 1);
    return line.starts_with(stage_.command[0] + ": ") && line.ends_with("\n") &&
           said.find(stage_.command[0] + ": ") + line.size() == said.size();
  }
  // Where a destructor that is not ours had no memory the program ends at once; what it leaves is
  // removed by the next, as that of a killed one.
  [[nodiscard]] bool nextRemoves() const {
    mustRun(folder_, stage_.command);
    return temporaryFiles(folder_) == 0;
  }
  [[nodiscard]] std::string defectOf(const Failure& failure, int code,
                                     const std::string& said) const {
    const bool isAllocation = failure.error == ENOMEM;
    const std::string found = readWhole(folder_ / stage_.target);
    if (temporaryFiles(folder_) > 0 && !(isAllocation && code == 5 && nextRemoves()))
      return "a temporary file is left";
    if (code == 0) return found == whole_ ? "" : "the target is not the new one";
    if (failure.isOvercome) return "it was not tried again";
    if (code != (isAllocation ? 5 : 4)) return "another exit code";
    // A folder that could not be synced has the whole new file in it.
    if (found != old && found != whole_) return "the target is neither the old nor the new one";
    if (!endsInOneSentence(said)) return "not one sentence at the end";
    if (!isAllocation &&
        (said.find("out") == std::string::npos || said.find("free") == std::string::npos))
      return "without path or free space";
    return "";
  }

  fs::path folder_;
  Stage stage_;
  std::string whole_;
};

// quick: the first and then ever fewer.
int after(int n, bool quick) {
  return quick ? 4 * n : n + 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string form = argc == 2 || argc == 3 ? argv[1] : "";
  const std::string only = argc == 3 ? argv[2] : "";
  if (form != "quick" && form != "all") {
    std::fprintf(stderr, "usage: fault_trials quick|all [PROGRAM]\n");
    return 2;
  }
  const TemporaryFolder place;
  const fs::path folder = place / "runs";
  fs::create_directory(folder);
  prepareTube(folder, 8, "20 steps");
  mustRun(folder, {"tessera-solver", "tube.tiles", "--case", "steady.toml", "--steps", "60",
                   "--backend", "cpu", "--quiet", "-o", "tube.fields"});
  std::printf("%-20s %-11s %-10s %6s %8s %8s %6s\n", "program", "call", "fails by", "calls",
              "refused", "went on", "wrong");
  int wrong = 0;
  for (const Stage& stage : stages) {
    if (!only.empty() && stage.command[0] != only) continue;
    const Trials trials(folder, stage);
    for (const Failure& failure : failures) {
      if (!applies(failure, stage)) continue;
      Tally tally;
      for (int n = 1; trials.strike(failure, n, tally); n = after(n, form == "quick")) {
      }
      std::printf("%-20s %-11s %-10s %6d %8d %8d %6d\n", stage.command[0].c_str(), failure.call,
                  failure.name, tally.calls, tally.refused, tally.gone, tally.wrong);
      std::fflush(stdout);
      wrong += tally.wrong + (tally.calls == 0 ? 1 : 0);
      if (form == "quick" || failure.call != std::string("sync") || failure.isOvercome) continue;
      if (tally.stands > 0) continue;
      std::fprintf(stderr, "%s: the folder is not synced after the rename\n",
                   stage.command[0].c_str());
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}
