// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and progress on stderr: a bar with rate and time left on a terminal, plain lines (at
// each tenth, or every 30 s) elsewhere. Lines of progress fit the terminal, or 80 columns, and so
// never wrap. Any thread may log: on a terminal the text takes the place of a line of progress,
// which follows it again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::stage {

// Silent: no warnings either, because another process prints them.
enum class Verbosity { Silent, Quiet, Normal, Verbose };
void setVerbosity(Verbosity verbosity);
[[nodiscard]] Verbosity verbosity();

void logInfo(std::string_view text);     // not when quiet
void logDetail(std::string_view text);   // only when verbose
void logWarning(std::string_view text);  // "warning: ...", coloured on a terminal; unless silent

struct ProgressLine {
  std::string what;
  std::optional<double> fraction;  // with a bar
  std::vector<std::string> parts;  // behind it, each with the blanks before it
};

// Text of a line that is shorter than so many columns: the bar is narrower, then absent, and the
// last parts are left out.
std::string progressLine(const ProgressLine& line, std::size_t columns);

// Rate and time left of work that has been going on for some seconds; nullopt before any is done.
struct Pace {
  double perSecond = 0.0;
  double secondsLeft = 0.0;
};
std::optional<Pace> paceOf(std::uint64_t earlier, std::uint64_t done, std::uint64_t total,
                           double seconds);

class Progress {
 public:
  // earlier: of `total`, done before this process, which the rate does not count.
  Progress(std::string what, std::uint64_t total, std::uint64_t earlier = 0);
  ~Progress();
  // extra: appended text, e.g. "512 MFLUPS, inlet 3.1 ml/s". Cheap, because it prints rarely.
  void update(std::uint64_t done, std::string_view extra = {});
  void finish(std::string_view summary = {});

 private:
  std::string what_;
  std::uint64_t total_, earlier_;
  std::chrono::steady_clock::time_point start_, last_;
  int lastTenth_ = 0;
  bool terminal_ = false;
  bool finished_ = false;
};

}  // namespace tessera::stage
