// SPDX-License-Identifier: GPL-3.0-or-later
// Log lines and progress on stderr; the progress bar follows https://no-color.org.
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/cli/printable_output.hpp"
#include "pipelines/stage/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tessera::stage {
namespace {

using Clock = std::chrono::steady_clock;

Verbosity& currentVerbosity() {
  static Verbosity verbosity = Verbosity::Normal;
  return verbosity;
}

bool stderrIsTerminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

// Any value of NO_COLOR but the empty one forbids colour.
bool colourAllowed() {
  const char* noColour = std::getenv("NO_COLOR");
  return stderrIsTerminal() && (noColour == nullptr || noColour[0] == '\0');
}

void writeLine(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

std::string duration(double seconds) {
  const auto whole = std::llround(seconds);
  if (seconds < 10.0) return fmt::format("{:.1f} s", seconds);
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string withExtra(std::string line, std::string_view extra) {
  if (!extra.empty()) line.append("  ").append(extra);
  return line;
}

}  // namespace

void setVerbosity(Verbosity verbosity) {
  currentVerbosity() = verbosity;
}

Verbosity verbosity() {
  return currentVerbosity();
}

void logInfo(std::string_view text) {
  if (verbosity() > Verbosity::Quiet) writeLine(printable(text));
}

void logDetail(std::string_view text) {
  if (verbosity() == Verbosity::Verbose) writeLine(printable(text));
}

void logWarning(std::string_view text) {
  if (verbosity() == Verbosity::Silent) return;
  const bool colour = colourAllowed();
  writeLine(std::string(colour ? "\033[33mwarning:\033[0m " : "warning: ") + printable(text));
}

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(std::max<std::uint64_t>(total, 1)),
      start_(Clock::now()),
      last_(start_),
      terminal_(stderrIsTerminal()) {}

// Leaves the terminal on a fresh line if work ended with an exception.
Progress::~Progress() {
  if (!finished_ && terminal_ && last_ != start_) std::fputc('\n', stderr);
}

void Progress::update(std::uint64_t done, std::string_view extra) {
  if (finished_ || verbosity() <= Verbosity::Quiet) return;
  const Clock::time_point now = Clock::now();
  const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double sinceLast = std::chrono::duration<double>(now - last_).count();
  const int tenth = static_cast<int>(fraction * 10.0);
  // Terminal: 10 times a second. Elsewhere: at each tenth, at most once a second, and every 30 s
  // when tenths are far apart.
  const bool due = terminal_ ? sinceLast >= 0.1
                             : (sinceLast >= 30.0 || (tenth > lastTenth_ && sinceLast >= 1.0));
  if (!due) return;
  last_ = now;
  lastTenth_ = tenth;

  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string line = what_;
  if (terminal_) {
    constexpr std::size_t width = 24;
    const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
    line += " [" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
  }
  line += fmt::format(" {:3.0f} %  {:.3g}/s", 100.0 * fraction,
                      static_cast<double>(done) / std::max(elapsed, 1e-9));
  if (done > 0) line += "  " + duration(elapsed * (1.0 - fraction) / fraction) + " left";
  line = printable(withExtra(std::move(line), extra));
  if (terminal_) {
    std::fputs(("\r" + line + "\033[K").c_str(), stderr);
  } else {
    writeLine(line);
  }
}

void Progress::finish(std::string_view summary) {
  if (finished_) return;
  finished_ = true;
  if (verbosity() <= Verbosity::Quiet) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string line =
      printable(withExtra(what_ + ": " + duration(elapsed), summary));
  writeLine(terminal_ && last_ != start_ ? "\r" + line + "\033[K" : line);
}

}  // namespace tessera::stage
