// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged files and command lines through the shipped programs, to their exit.
//   fuzz_programs COUNT [FIRST [STATE]]
// Files of every input format and of every stage, those of Tessera damaged behind checksums that
// are true again; cases, waveforms, summaries, arguments. Each run must end within 20 s with an
// exit code of the README, not by a signal nor an internal error, below a bound of memory, with its
// target if and only if the code is 0, and without temporary files. STATE: a file with the number
// of the next trial; with it, a run that was stopped continues. Prints a table; exit status 1, and
// the trial's folder stays, where a promise is broken; it also stays where COUNT is 1.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "preprocess/file/vdb_trailer.hpp"
#include "tests/fixtures/child.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fuzz/own_file.hpp"

// The seeds here are files that the programs write.
std::vector<std::string> tessera::fuzz::seeds() {
  return {};
}
std::vector<tessera::fuzz::Inside> tessera::fuzz::insides() {
  return {};
}

namespace tessera::fuzz {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

#if defined(__SANITIZE_ADDRESS__)
constexpr long mostKilobytes = 4'000'000;
constexpr unsigned mostSeconds = 120;
#else
constexpr long mostKilobytes = 1'000'000;
constexpr unsigned mostSeconds = 20;
#endif

// One kind of damaged input: where it is put, and the commands that read it, one of them a trial.
struct Kind {
  std::string name;
  std::string file;  // empty: the arguments themselves are damaged
  std::vector<std::string> seeds;
  std::vector<Inside> insides;
  std::vector<Words> commands;
};

struct End {
  int status = 0;  // of wait
  long kilobytes = 0;
  double seconds = 0.0;
};

End runIn(const fs::path& folder, const Words& command) {
  const double start = reliability::secondsNow();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    for (const auto& [name, descriptor] :
         {std::pair("../said.out", 1), std::pair("../said.err", 2)})
      ::dup2(::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
    Words words = command;
    const std::string program = std::string(TESSERA_BIN) + "/" + command[0];
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    // By default a sanitizer ends a program with 1, which is an exit code of the README.
    ::setenv("ASAN_OPTIONS", "abort_on_error=1:handle_abort=0:detect_leaks=0", 1);
    ::setenv("UBSAN_OPTIONS", "abort_on_error=1:print_stacktrace=1", 1);
    ::alarm(mostSeconds);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  End end;
  rusage usage{};
  ::wait4(child, &end.status, 0, &usage);
  end.kilobytes = usage.ru_maxrss;
  end.seconds = reliability::secondsNow() - start;
  return end;
}

// The output of a command; empty where it has none.
std::string targetOf(const Words& command) {
  const auto at = std::find(command.begin(), command.end(), "-o");
  const bool only = std::find(command.begin(), command.end(), "--plan") != command.end();
  return only || at == command.end() || at + 1 == command.end() ? "" : *(at + 1);
}

// The broken promise, or nothing.
std::string judge(const fs::path& box, const Words& command, const End& end) {
  const std::string said = readWhole(box.parent_path() / "said.err");
  if (said.find("Sanitizer") != std::string::npos ||
      said.find("runtime error:") != std::string::npos)
    return "a sanitizer's report";
  if (WIFSIGNALED(end.status))
    return WTERMSIG(end.status) == SIGALRM ? "it hangs"
                                           : "signal " + std::to_string(WTERMSIG(end.status));
  const int code = WEXITSTATUS(end.status);
  if (!std::set<int>{0, 1, 2, 3, 4, 5, 75}.contains(code))
    return "exit code " + std::to_string(code);
  if (said.find("Internal error") != std::string::npos) return "an internal error";
  if (code != 0 && said.empty() && command[1] != "--check") return "no sentence";
  if (end.kilobytes > mostKilobytes) return std::to_string(end.kilobytes) + " kB";
  const std::string target = targetOf(command);
  if (!target.empty() && fs::exists(box / target) != (code == 0))
    return code == 0 ? "no target" : "a target although it failed";
  if (reliability::temporaryFiles(box) > 0) return "temporary files";
  return {};
}

Words split(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

struct Foreign {
  const char* extension;
  bool isSurface;
  const char* target;  // of fuzzing
};
constexpr Foreign foreignFormats[] = {
#define SURFACE_FORMAT(extension, name, begin, reader, target) {extension, true, #target},
#define IMAGE_FORMAT(extension, name, begin, reader, target) {extension, false, #target},
#include "preprocess/read/formats.def"
#undef SURFACE_FORMAT
#undef IMAGE_FORMAT
};

class Trials {
 public:
  explicit Trials(const fs::path& folder)
      : folder_(folder), good_(folder / "good"), box_(folder / "box") {
    fs::create_directory(good_);
    prepare();
    addOwnKinds();
    addForeignKinds();
  }

  // The broken promise of a trial, or nothing.
  std::string run(std::uint64_t number) {
    // Every second trial has a file of Tessera behind true checksums.
    const std::uint64_t half = number / 2;
    const std::size_t first = number % 2 == 0 ? 0 : checksummed_;
    const std::size_t count = number % 2 == 0 ? checksummed_ : kinds_.size() - checksummed_;
    const Kind& kind = kinds_[first + half % count];
    const std::uint64_t round = half / count;
    fs::remove_all(box_);
    fs::copy(good_, box_, fs::copy_options::recursive);
    command_ = kind.commands[round % kind.commands.size()];
    if (kind.file.empty())
      damageArguments(round);
    else
      writeWhole(box_ / kind.file, mutated(kind.seeds, kind.insides, round + 1));
    const std::string target = targetOf(command_);
    if (!target.empty() && !kind.file.empty()) fs::remove_all(box_ / target);
    const End end = runIn(box_, command_);
    Tally& tally = tallies_[kind.name];
    ++(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0 ? tally.done : tally.refused);
    tally.kilobytes = std::max(tally.kilobytes, end.kilobytes);
    tally.seconds = std::max(tally.seconds, end.seconds);
    // Damaged arguments may name any target, and ask for help.
    Words judged = command_;
    if (kind.file.empty()) judged = {command_[0], "--check"};
    return judge(box_, judged, end);
  }

  [[nodiscard]] std::string lastCommand() const {
    std::string text;
    for (const std::string& word : command_) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  void print() const {
    std::printf("%-14s %8s %8s %10s %8s\n", "input", "done", "refused", "MB", "s");
    for (const auto& [name, tally] : tallies_)
      std::printf("%-14s %8llu %8llu %10.0f %8.2f\n", name.c_str(),
                  static_cast<unsigned long long>(tally.done),
                  static_cast<unsigned long long>(tally.refused),
                  static_cast<double>(tally.kilobytes) / 1e3, tally.seconds);
  }

 private:
  struct Tally {
    std::uint64_t done = 0, refused = 0;
    long kilobytes = 0;
    double seconds = 0.0;
  };

  // A chain of whole files; a checkpoint of a run that is stopped.
  void prepare() {
    const auto must = [&](const std::string& command) {
      const End end = runIn(good_, split(command));
      if (end.status == 0 || (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 75)) return;
      std::fprintf(stderr, "%s: %s", command.c_str(), readWhole(folder_ / "said.err").c_str());
      std::exit(2);
    };
    writeWhole(good_ / "wave.csv", "time[s],velocity[m/s]\n0,0.01\n0.5,0.02\n1,0.01\n");
    const std::string fluid =
        "[fluid]\ndensity = \"1000 kg/m3\"\nviscosity = \"1e-6 m2/s\"\n[[opening]]\nid = 1\nkind = "
        "\"velocity\"\n";
    const std::string rest =
        "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"0 Pa\"\n[stop]\nsteps = 40\n";
    writeWhole(good_ / "case.toml", fluid + "mean = \"0.01 m/s\"\n" + rest);
    writeWhole(good_ / "wave.toml", fluid + "waveform = \"wave.csv\"\n" + rest);
    must("tessera-sample tube --diameter 2mm --length 4mm -o tube.stl");
    must("tessera-preprocess tube.stl --unit mm --across 5 -o tube.vdb --report tube.json");
    must("tessera-tiler tube.vdb -o tube.tiles");
    must("tessera-solver tube.tiles --case case.toml --backend cpu -o run.fields");
    must("tessera-postprocess run.fields tube.tiles -o good.out");
    writeWhole(good_ / "STOP", "");
    must("tessera-solver tube.tiles --case case.toml --backend cpu -o kept.fields");
    fs::remove(good_ / "STOP");
  }

  // seed: in the folder of whole files.
  void add(const std::string& name, const std::string& seed,
           const std::vector<std::string>& commands, std::vector<Inside> insides = {}) {
    Kind kind{name, seed, {readWhole(good_ / seed)}, std::move(insides), {}};
    for (const std::string& command : commands) kind.commands.push_back(split(command));
    kinds_.push_back(std::move(kind));
  }

  std::vector<Inside> sections(const std::string& seed) {
    return sectionsOf(readWhole(good_ / seed));
  }

  void addOwnKinds() {
    const std::string solve = "tessera-solver tube.tiles --backend cpu --steps 3 ";
    const std::string vdb = readWhole(good_ / "tube.vdb");
    const std::size_t archive = preprocess::file::readVdbTrailer(good_ / "tube.vdb").vdbBytes;
    add("vdb", "tube.vdb", {"tessera-tiler tube.vdb -o out.tiles", "tessera-info --check tube.vdb"},
        sectionsOf(vdb, archive, sizeof(preprocess::file::VdbTrailer),
                   [before = vdb.substr(0, archive)](const std::string& container) {
                     return latticeFileOf(before, container);
                   }));
    // The part of OpenVDB, before a container that is whole.
    const std::string container =
        vdb.substr(archive, vdb.size() - archive - sizeof(preprocess::file::VdbTrailer));
    add("vdb-archive", "tube.vdb", {"tessera-tiler tube.vdb -o out.tiles"},
        {{vdb.substr(0, archive),
          [container](const std::string& bytes) { return latticeFileOf(bytes, container); }}});
    add("tiles", "tube.tiles",
        {solve + "--case case.toml -o out.fields", "tessera-info --check tube.tiles",
         "tessera-solver tube.tiles --case case.toml --plan"},
        sections("tube.tiles"));
    add("fields", "run.fields",
        {"tessera-postprocess run.fields tube.tiles -o out", "tessera-info run.fields",
         solve + "--case case.toml --initial run.fields -o out.fields"},
        sections("run.fields"));
    add("checkpoint", "kept.ckpt",
        {"tessera-solver tube.tiles --case case.toml --backend cpu --resume -o kept.fields",
         "tessera-info kept.ckpt"},
        sections("kept.ckpt"));
    checksummed_ = kinds_.size();
    add("case", "case.toml",
        {solve + "--case case.toml -o out.fields",
         "tessera-solver tube.tiles --case case.toml --plan", "tessera-info --inputs case.toml"});
    add("waveform", "wave.csv", {solve + "--case wave.toml -o out.fields"});
    add("report", "tube.json",
        {"tessera-postprocess run.fields tube.tiles --preprocess-report tube.json -o out",
         "tessera-info tube.json"});
    fs::create_directory(good_ / "other.out");
    fs::copy(good_ / "good.out", good_ / "other.out", fs::copy_options::recursive);
    add("summary", "other.out/summary.json", {"tessera-compare good.out other.out -o out"});
    kinds_.push_back({"arguments", "", {}, {}, {}});
    for (const char* command :
         {"tessera-preprocess tube.stl --unit mm --across 5 --openings 2 -o out.vdb",
          "tessera-tiler tube.vdb --offset 0,0,0 -o out.tiles",
          "tessera-solver tube.tiles --case case.toml --backend cpu --steps 3 --threads 1 -o "
          "out.fields",
          "tessera-postprocess run.fields tube.tiles --line a=0mm,0mm,0mm;1mm,0mm,0mm;10 -o out",
          "tessera-compare good.out other.out -o out", "tessera-info --json tube.tiles",
          "tessera-sample tube --diameter 2mm --length 4mm -o out.stl"})
      kinds_.back().commands.push_back(split(command));
  }

  // Seeds of the readers' own fuzz targets.
  void addForeignKinds() {
    for (const Foreign& format : foreignFormats) {
      const std::string ending = std::string(".") + format.extension;
      const std::string target = std::string("fuzz_") + format.target;
      if (ending == ".raw" || !fs::exists(fs::path(TESSERA_BIN) / target)) continue;
      const fs::path corpus = folder_ / "corpus";
      fs::remove_all(corpus);
      fs::create_directory(corpus);
      const End end = runIn(good_, {target, "--seeds", corpus.string()});
      if (end.status != 0) continue;
      Kind kind{ending.substr(1), "in" + ending, {}, {}, {}};
      for (const auto& entry : fs::directory_iterator(corpus))
        kind.seeds.push_back(readWhole(entry.path()));
      std::sort(kind.seeds.begin(), kind.seeds.end());
      const std::string common = "tessera-preprocess in" + ending;
      if (format.isSurface)
        kind.commands = {split(common + " --unit mm --longest 10 -o out.vdb"),
                         split(common + " --unit mm --longest 10 --wrap 0.5mm -o out.vdb")};
      else
        kind.commands = {
            split(common + " --voxel 1mm --threshold 1,255 --max-nodes 1000000 -o out.vdb"),
            split("tessera-info in" + ending)};
      if (!kind.seeds.empty()) kinds_.push_back(std::move(kind));
    }
  }

  void damageArguments(std::uint64_t number) {
    static const Words hostile{
        "",          "-1",       "0",      "1e999",     "nan",        "--help",
        "--version", "-",        "--",     "/",         "/dev/null",  "=",
        "\x1b[31m",  "1e-300m",  "--plan", "--threads", "65536",      "99999999999999999999",
        "a,b,c",     "\xff\xfe", ".",      "--report",  "--openings", "--quiet"};
    std::mt19937_64 random(number);
    const auto below = [&](std::size_t bound) {
      return static_cast<std::size_t>(random() % bound);
    };
    for (std::size_t damage = 1 + below(3); damage > 0; --damage) {
      const std::size_t at = 1 + below(command_.size() - 1);
      const std::string& word = hostile[below(hostile.size())];
      switch (below(4)) {
        case 0:
          command_[at] = word;
          break;
        case 1:
          command_.insert(command_.begin() + static_cast<std::ptrdiff_t>(at), word);
          break;
        case 2:
          command_[at].insert(below(command_[at].size() + 1), word);
          break;
        default:
          if (command_.size() > 2)
            command_.erase(command_.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }

  fs::path folder_, good_, box_;
  std::vector<Kind> kinds_;
  std::size_t checksummed_ = 0;  // kinds before this index have checksums
  std::map<std::string, Tally> tallies_;
  Words command_;
};

int run(std::uint64_t count, std::uint64_t first, const char* state) {
  std::uint64_t next = first;
  if (state != nullptr) std::ifstream(state) >> next;
  const TemporaryFolder folder;
  Trials trials(folder.path());
  int broken = 0;
  for (; next < first + count; ++next) {
    const std::string promise = trials.run(next);
    if (!promise.empty() || count == 1) {
      broken += promise.empty() ? 0 : 1;
      const fs::path kept = fs::temp_directory_path() / ("fuzz_programs-" + std::to_string(next));
      fs::remove_all(kept);
      fs::copy(folder.path() / "box", kept, fs::copy_options::recursive);
      std::fprintf(stderr, "trial %llu, %s: %s; its files are in %s\n%s",
                   static_cast<unsigned long long>(next), trials.lastCommand().c_str(),
                   promise.empty() ? "as promised" : promise.c_str(), kept.c_str(),
                   readWhole(folder.path() / "said.err").substr(0, 4000).c_str());
    }
    if (state != nullptr && next % 20 == 19)
      std::ofstream(state, std::ios::trunc) << next + 1 << "\n";
  }
  if (state != nullptr) std::ofstream(state, std::ios::trunc) << next << "\n";
  trials.print();
  std::printf("%d promises broken\n", broken);
  return broken == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: fuzz_programs COUNT [FIRST [STATE]]\n");
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  return tessera::fuzz::run(count, first, argc > 3 ? argv[3] : nullptr);
}
