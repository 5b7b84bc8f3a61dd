// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a reader over damaged files where there is no libFuzzer.
// fuzz_READER COUNT [FIRST]: the seeds, then COUNT mutations, the first of them FIRST (1 unless
// given; for several processes at a time); fails at the first broken promise
//
// fuzz_READER --write N FILE: keeps mutation N
//
// fuzz_READER --seeds FOLDER: writes the seeds, as a corpus for libFuzzer
//
// fuzz_READER --sentences COUNT: what COUNT mutations are refused for, and how many of them: do the
// mutations reach what is behind the header?
//
// fuzz_READER --flips [all|large]: of our own files, a bit of every byte changed, every length cut
// to; all: every bit; large: every bit of the largest seed, which has 64 KiB and more then
//
// Promised is: a result or StageError(BadInput), memory below 4 x file + 256 MB (the file's own
// bytes included), 5 s of processor time. Prints one line of figures.
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/fuzz/allocation_meter.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace tessera::fuzz;

constexpr int mostSeconds = 5;
volatile std::uint64_t running = 0;  // number of the input, for the handler
char program[256];

void tellInput(int signal) {
  char line[512];
  const int length = std::snprintf(
      line, sizeof line, "%s: input %llu ended in signal %d%s; see --write\n", program,
      static_cast<unsigned long long>(running), signal, signal == SIGPROF ? " (too slow)" : "");
  if (::write(2, line, static_cast<std::size_t>(length)) < 0) std::_Exit(2);
  std::_Exit(1);
}

void handleSignals() {
  static char stack[1 << 16];  // the reader's own may be exhausted
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = tellInput;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF})
    ::sigaction(signal, &action, nullptr);
  struct sigaction known {};  // a sanitizer tells more about this one and aborts then
  ::sigaction(SIGSEGV, nullptr, &known);
  if (known.sa_handler == SIG_DFL) ::sigaction(SIGSEGV, &action, nullptr);
}

void limitSeconds(int seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

double processorSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Largest {
  double value = 0.0;
  std::uint64_t input = 0;
  void take(double other, std::uint64_t number) {
    if (other <= value) return;
    value = other;
    input = number;
  }
};

struct Figures {
  Largest seconds;
  Largest bytes;
};

void runOne(const std::string& input, std::uint64_t number, Figures& figures) {
  running = number;
  const double before = processorSeconds();
  limitSeconds(mostSeconds);
  startMeter(3 * input.size() + (std::size_t{256} << 20));  // the fourth is the file, held by us
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  figures.bytes.take(static_cast<double>(stopMeter() + input.size()), number);
  limitSeconds(0);
  figures.seconds.take(processorSeconds() - before, number);
}

int runAll(std::uint64_t count, std::uint64_t first) {
  const std::vector<std::string> valid = seeds();
  const std::vector<Inside> parts = insides();
  Figures figures;
  for (const std::string& seed : valid) {
    runOne(seed, 0, figures);
    if (outcomes.refused == 0) continue;
    std::fprintf(stderr, "%s: seed %zu is refused; all seeds must be valid, see --seeds\n", program,
                 static_cast<std::size_t>(&seed - valid.data()));
    return 1;
  }
  for (const Inside& part : parts) runOne(part.wrap(part.bytes), 0, figures);
  if (outcomes.refused > 0) {
    std::fprintf(stderr, "%s: a part that is not damaged is refused: %s\n", program,
                 outcomes.sentence.c_str());
    return 1;
  }
  outcomes = {};
  for (std::uint64_t n = first; n < first + count; ++n)
    runOne(mutated(valid, parts, n), n, figures);
  std::printf(
      "%s: %zu seeds and %llu mutations, %llu of them read, %llu refused; slowest %.3f s (input "
      "%llu), most memory %.1f MB (input %llu)\n",
      program, valid.size(), static_cast<unsigned long long>(count),
      static_cast<unsigned long long>(outcomes.read),
      static_cast<unsigned long long>(outcomes.refused), figures.seconds.value,
      static_cast<unsigned long long>(figures.seconds.input), 1e-6 * figures.bytes.value,
      static_cast<unsigned long long>(figures.bytes.input));
  return outcomes.refused > 0 ? 0 : 1;  // nothing refused: nothing was damaged
}

// Sentences that differ in numbers alone count as one.
std::string withoutNumbers(const std::string& sentence) {
  std::string kind;
  for (const char c : sentence.substr(0, 300)) {
    const bool isDigit = c >= '0' && c <= '9';
    if (!isDigit)
      kind += c < ' ' || c > '~' ? '?' : c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind.substr(0, 110);
}

int countSentences(std::uint64_t count) {
  const std::vector<std::string> valid = seeds();
  const std::vector<Inside> parts = insides();
  std::map<std::string, std::uint64_t> times;
  for (std::uint64_t n = 1; n <= count; ++n) {
    const std::string input = mutated(valid, parts, n);
    outcomes = {};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++times[outcomes.refused > 0 ? withoutNumbers(outcomes.sentence) : "read"];
  }
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [sentence, number] : times) order.emplace_back(number, sentence);
  std::sort(order.rbegin(), order.rend());
  for (const auto& [number, sentence] : order)
    std::printf("%8llu %s\n", static_cast<unsigned long long>(number), sentence.c_str());
  return 0;
}

// For files with checksums: every bit changed, every length it can be cut to.
class FlipsAndCuts {
 public:
  int run() {
    std::vector<std::string> files = seeds();
    if (seedsAreLarge) files = {*std::max_element(files.begin(), files.end(), isShorter)};
    for (std::string& seed : files) {
      bytes_ += seed.size();
      if (seedsAreLarge && seed.size() < std::size_t{64} << 10U) {
        std::fprintf(stderr, "%s: the large seed has %zu bytes; at least 65536 are required\n",
                     program, seed.size());
        return 1;
      }
      for (std::size_t k = 0; k < seed.size(); ++k)
        for (unsigned bit = 0; bit < 8; ++bit) {
          if (!everyBit && bit != k % 8) continue;
          seed[k] = static_cast<char>(seed[k] ^ (1 << bit));
          tryOne(seed.data(), seed.size());
          seed[k] = static_cast<char>(seed[k] ^ (1 << bit));
        }
      for (std::size_t length = 0; length < seed.size(); ++length) tryOne(seed.data(), length);
    }
    std::printf(
        "%s: files of %zu bytes, %zu bits changed and lengths cut to, %zu refused, %zu of "
        "them without the section or part\n",
        program, bytes_, tried_, refused_, unnamed_);
    return refused_ == tried_ && unnamed_ == 0 ? 0 : 1;
  }

 private:
  static bool isShorter(const std::string& a, const std::string& b) { return a.size() < b.size(); }
  void tryOne(const char* data, std::size_t size) {
    outcomes = {};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(data), size);
    ++tried_;
    if (outcomes.refused == 0) return;
    ++refused_;
    for (const char* part : {"section", "header", "trailer", "padding", "version", "file of kind",
                             "not an OpenVDB file", "truncated to"})
      if (outcomes.sentence.find(part) != std::string::npos) return;
    if (unnamed_++ < 5) std::fprintf(stderr, "%s\n", outcomes.sentence.c_str());
  }

  std::size_t bytes_ = 0;
  std::size_t tried_ = 0;
  std::size_t refused_ = 0;
  std::size_t unnamed_ = 0;
};

void writeFile(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

int writeSeeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::size_t number = 0;
  for (const std::string& seed : seeds())
    writeFile(folder / ("seed" + std::to_string(number++)), seed);
  return 0;
}

bool isNumber(const char* text, std::uint64_t& value) {
  const char* end = text + std::strlen(text);
  return std::from_chars(text, end, value).ptr == end;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  name.copy(program, sizeof program - 1);
  std::uint64_t number = 0;
  const std::string first = argc > 1 ? argv[1] : "";
  const std::string which = argc == 3 && first == "--flips" ? argv[2] : "";
  seedsAreLarge = which == "large";
  everyBit = seedsAreLarge || which == "all";
  if (first == "--flips" && (argc == 2 || everyBit)) return FlipsAndCuts().run();
  if (argc == 3 && first == "--seeds") return writeSeeds(argv[2]);
  if (argc == 4 && first == "--write" && isNumber(argv[2], number)) {
    writeFile(argv[3], mutated(seeds(), insides(), number));
    return 0;
  }
  if (argc == 3 && first == "--sentences" && isNumber(argv[2], number))
    return countSentences(number);
  std::uint64_t start = 1;
  const bool isRun = argc == 2 || (argc == 3 && isNumber(argv[2], start));
  if (isRun && isNumber(argv[1], number)) {
    handleSignals();
    return runAll(number, start);
  }
  std::fprintf(stderr,
               "usage: %s COUNT [FIRST] | --write N FILE | --seeds FOLDER | --sentences COUNT | "
               "--flips [all|large]\n",
               program);
  return 2;
}
