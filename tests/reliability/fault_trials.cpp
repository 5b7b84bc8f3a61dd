// SPDX-License-Identifier: GPL-3.0-or-later
// Every program with every call of its write paths made to fail in turn: `fault_trials quick|all
// [PROGRAM [CALL [PART PARTS]]]` (quick: of many calls the first and some further ones; PART of
// PARTS, counted from 1: each PARTS-th call, for as many at a time as there are cores). CALL path:
// of some ten thousand allocations one for each path of calls that leads to any. One run on one
// thread serves all of them: at the first allocation of each path a copy of the process goes on,
// in which it fails, with copies of the files (fork server; M. Zalewski, afl-fuzz, 2014). Paths of
// several threads alone have a run each. What was there before must stay, or the whole new file be
// there, nothing of half a one, and the exit code and sentence be right.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/fixtures/child.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/reliability/fork_message.hpp"

using namespace tessera;
using namespace tessera::reliability;
namespace fs = std::filesystem;

namespace {

// Which of a program's allocations fail in turn.
enum class Allocations { None, Each, EachPath };

struct Stage {
  std::vector<std::string> command;
  std::string target;  // a file, or a folder with summary.json in it
  Allocations allocations = Allocations::Each;
  std::vector<std::string> shorter = {};  // options of a next run that only removes what is left
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
     "out/summary.json",
     Allocations::EachPath,
     {"--no-pictures"}},
    // Without memory its threads cannot inform each other, so they do not pass for processes then.
    {{"shared_file_trial", "out.shared"}, "out.shared", Allocations::None}};

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
                         {"path", "no memory", ENOMEM, false},
                         {"reading", "no memory", ENOMEM, false}};

// Only some programs are given a case, and not all allocate.
bool applies(const Failure& failure, const Stage& stage) {
  if (failure.call == std::string("allocation")) return stage.allocations == Allocations::Each;
  if (failure.call == std::string("path")) return stage.allocations == Allocations::EachPath;
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

using Paths = std::unordered_set<unsigned long>;

// The two ends of a pipe, of which a child inherits one.
struct Pipe {
  explicit Pipe(std::size_t own) {
    if (::pipe(end.data()) != 0 || ::fcntl(end[own], F_SETFD, FD_CLOEXEC) != 0) std::exit(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  void close(std::size_t k) {
    if (end[k] >= 0) ::close(std::exchange(end[k], -1));
  }
  std::array<int, 2> end{-1, -1};  // to read and to write
};

class Trials {
 public:
  Trials(const fs::path& folder, const Stage& stage) : folder_(folder), stage_(stage) {
    mustRun(folder_, stage_.command);
    whole_ = readWhole(folder_ / stage_.target);
    if (fs::exists(marker())) mark_ = readWhole(marker());
  }

  // The paths of calls that lead to allocations, in the order of their first ones.
  [[nodiscard]] std::vector<unsigned long> paths() const {
    const fs::path list = above("paths.txt");
    Child child(folder_, stage_.command,
                {std::string("LD_PRELOAD=") + TESSERA_FAULT_LIBRARY, "TESSERA_FAULT=paths:0:0",
                 "TESSERA_FAULT_PATHS=" + list.string()});
    child.wait();
    std::istringstream lines(readWhole(list));
    return {std::istream_iterator<unsigned long>(lines), {}};
  }

  // The n-th call, or path n. False when there is none.
  bool strike(const Failure& failure, unsigned long n, Tally& tally) const {
    clear();
    putOld();
    const fs::path mark = above("mark");
    fs::remove(mark);
    Child child(folder_, stage_.command,
                {std::string("LD_PRELOAD=") + TESSERA_FAULT_LIBRARY,
                 "TESSERA_FAULT=" + (std::string(failure.call) + ":" + std::to_string(n) + ":" +
                                     std::to_string(failure.error)),
                 "TESSERA_FAULT_MARK=" + mark.string()});
    const int code = child.wait();
    if (!fs::exists(mark)) return false;
    judge(failure, n, code, child.errors(), tally);
    return true;
  }

  // Those paths of a run on one thread for which `isAsked`, each in a copy of the process. Returns
  // all.
  template <class Function>
  Paths strikePaths(const Failure& failure, Function isAsked, Tally& tally) const {
    clear();
    putOld();
    Pipe messages(0), answers(1);
    std::vector<std::string> command = stage_.command;
    command.insert(command.end(), {"--threads", "1"});
    Child child(
        folder_, command,
        {std::string("LD_PRELOAD=") + TESSERA_FAULT_LIBRARY, "TESSERA_FAULT=fork:0:0",
         "TESSERA_FORK_MESSAGES=" + std::to_string(messages.end[1]),
         "TESSERA_FORK_ANSWERS=" + std::to_string(answers.end[0]),
         "TESSERA_FORK_ERRORS=" + above("copy.txt").string(),
         "TESSERA_FORK_FOLDER=" + folder_.string(), "TESSERA_FORK_KEPT=" + above("kept").string()});
    messages.close(1);
    answers.close(0);
    Paths paths;
    ForkMessage said{};
    while (::read(messages.end[0], &said, sizeof said) == sizeof said) {
      char goesOn = 1;
      if (said.code == ForkMessage::before) {
        paths.insert(said.path);
        goesOn = isAsked() ? 1 : 0;
        mustBe(said.others == 0, "another thread runs");
        if (goesOn == 1) copyOut();
      } else {
        judge(failure, said.path, said.code, readWhole(above("copy.txt")), tally);
        putBack();
      }
      mustBe(::write(answers.end[1], &goesOn, 1) == 1, "the program is gone");
    }
    mustBe(child.wait() == 0 && readWhole(folder_ / stage_.target) == whole_,
           "the run on one thread did not end well");
    return paths;
  }

 private:
  static constexpr const char* old = "of before";

  [[nodiscard]] fs::path above(const char* name) const { return folder_.parent_path() / name; }

  void mustBe(bool condition, const char* otherwise) const {
    if (condition) return;
    std::fprintf(stderr, "%s: %s\n", stage_.command[0].c_str(), otherwise);
    std::exit(1);
  }

  void judge(const Failure& failure, unsigned long n, int code, const std::string& said,
             Tally& tally) const {
    ++tally.calls;
    const std::string defect = defectOf(failure, code, said);
    if (defect.empty()) {
      ++(code == 0 ? tally.gone : tally.refused);
      if (code != 0 && readWhole(folder_ / stage_.target) == whole_) ++tally.stands;
      return;
    }
    ++tally.wrong;
    std::fprintf(stderr, "%s, %s %lu %s: %s (exit code %d: %s)\n", stage_.command[0].c_str(),
                 failure.call, n, failure.name, defect.c_str(), code, said.c_str());
  }

  // Files of the program that are there; putBack() undoes what its copy did.
  [[nodiscard]] std::vector<fs::path> outputs(const fs::path& folder) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("out")) found.push_back(entry.path());
    return found;
  }
  void copyOut() const {
    fs::create_directories(above("kept"));
    for (const fs::path& path : outputs(folder_)) {
      const fs::path kept = above("kept") / path.filename();
      fs::rename(path, kept);
      fs::copy(kept, path, fs::copy_options::recursive);
    }
  }
  void putBack() const {
    clear();
    for (const fs::path& path : outputs(above("kept"))) fs::rename(path, folder_ / path.filename());
  }

  // List of the files of a folder of results, without which the folder is not replaced.
  [[nodiscard]] fs::path marker() const {
    return folder_ / fs::path(stage_.target).parent_path() / ".results";
  }

  // Removes the files of the previous trial.
  void clear() const {
    for (const fs::path& path : outputs(folder_)) fs::remove_all(path);
  }
  void putOld() const {
    const fs::path target = folder_ / stage_.target;
    fs::create_directories(target.parent_path());
    writeWhole(target, old);
    if (!mark_.empty()) writeWhole(marker(), mark_);
  }
  // After warnings, if any.
  [[nodiscard]] bool endsInOneSentence(const std::string& said) const {
    const std::size_t last = said.rfind('\n', said.size() < 2 ? 0 : said.size() - 2);
    const std::string line = said.substr(last == std::string::npos ? 0 : last + 1);
    return line.starts_with(stage_.command[0] + ": ") && line.ends_with("\n") &&
           said.find(stage_.command[0] + ": ") + line.size() == said.size();
  }
  // Where the destructor of a library has no memory the program ends at once; its files are removed
  // by the next, like those of a killed one.
  [[nodiscard]] bool nextRemoves() const {
    std::vector<std::string> command = stage_.command;
    command.insert(command.end(), stage_.shorter.begin(), stage_.shorter.end());
    mustRun(folder_, command);
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
  std::string mark_;
};

// Selection on the command line.
struct Asked {
  bool quick = false;
  std::string program;  // empty: all
  std::string call;
  unsigned long part = 1;
  unsigned long parts = 1;

  // quick: the first and then ever fewer.
  [[nodiscard]] unsigned long after(unsigned long n) const { return quick ? 4 * n : n + parts; }
  [[nodiscard]] bool isFor(const Stage& stage, const Failure& failure) const {
    return (program.empty() || stage.command[0] == program) &&
           (call.empty() ? applies(failure, stage) : failure.call == call);
  }
};

bool read(int argc, char** argv, Asked& asked) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.size() == 4 || words.size() > 5) return false;
  asked.quick = words[0] == "quick";
  if (words.size() > 1) asked.program = words[1];
  if (words.size() > 2) asked.call = words[2];
  if (words.size() > 4) {
    asked.part = std::strtoul(words[3].c_str(), nullptr, 10);
    asked.parts = std::strtoul(words[4].c_str(), nullptr, 10);
  }
  return (asked.quick || words[0] == "all") && asked.part > 0 && asked.part <= asked.parts;
}

void strikeAll(const Trials& trials, const Failure& failure, const Asked& asked, Tally& tally) {
  if (failure.call != std::string("path")) {
    for (unsigned long n = asked.part; trials.strike(failure, n, tally); n = asked.after(n)) {
    }
    return;
  }
  unsigned long met = 0, next = asked.part;
  const auto isAsked = [&] {
    if (++met != next) return false;
    next = asked.after(next);
    return true;
  };
  const Paths ofOne = trials.strikePaths(failure, isAsked, tally);
  std::vector<unsigned long> others = trials.paths();
  std::erase_if(others, [&](unsigned long path) { return ofOne.contains(path); });
  int unmet = 0;  // where threads share work otherwise than before
  for (unsigned long k = asked.part; k <= others.size(); k = asked.after(k))
    unmet += trials.strike(failure, others[k - 1], tally) ? 0 : 1;
  std::printf("%zu paths of calls on one thread, %zu others on several, %d not met again\n",
              ofOne.size(), others.size(), unmet);
}

}  // namespace

int main(int argc, char** argv) {
  Asked asked;
  if (!read(argc, argv, asked)) {
    std::fprintf(stderr, "usage: fault_trials quick|all [PROGRAM [CALL [PART PARTS]]]\n");
    return 2;
  }
  const TemporaryFolder place;
  const fs::path folder = fs::canonical(place.path()) / "runs";
  fs::create_directory(folder);
  prepareTube(folder, 8, "20 steps");
  mustRun(folder, {"tessera-solver", "tube.tiles", "--case", "steady.toml", "--steps", "60",
                   "--backend", "cpu", "--quiet", "-o", "tube.fields"});
  std::printf("%-20s %-11s %-10s %6s %8s %8s %6s\n", "program", "call", "fails by", "calls",
              "refused", "went on", "wrong");
  int wrong = 0;
  for (const Stage& stage : stages) {
    if (!asked.program.empty() && stage.command[0] != asked.program) continue;
    const Trials trials(folder, stage);
    for (const Failure& failure : failures) {
      if (!asked.isFor(stage, failure)) continue;
      Tally tally;
      strikeAll(trials, failure, asked, tally);
      std::printf("%-20s %-11s %-10s %6d %8d %8d %6d\n", stage.command[0].c_str(), failure.call,
                  failure.name, tally.calls, tally.refused, tally.gone, tally.wrong);
      std::fflush(stdout);
      wrong += tally.wrong + (tally.calls == 0 ? 1 : 0);
      if (asked.quick || asked.parts > 1 || failure.call != std::string("sync") ||
          failure.isOvercome)
        continue;
      if (tally.stands > 0) continue;
      std::fprintf(stderr, "%s: the folder is not synced after the rename\n",
                   stage.command[0].c_str());
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}
