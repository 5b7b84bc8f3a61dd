// SPDX-License-Identifier: GPL-3.0-or-later
// Log lines and progress on stderr; the progress bar follows https://no-color.org.
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/cli/printable_output.hpp"
#include "pipelines/stage/text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
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

// The last line of the terminal while progress has left it unfinished; threads take turns.
struct LastLine {
  std::mutex turns;
  bool isOpen = false;
};

LastLine& lastLine() {
  static LastLine line;
  return line;
}

// Replaces a line of progress, which is drawn again below.
void writeLine(const std::string& line) {
  LastLine& last = lastLine();
  const std::lock_guard<std::mutex> turn(last.turns);
  std::fputs(((last.isOpen ? "\r\033[K" : "") + line + "\n").c_str(), stderr);
  last.isOpen = false;
}

void writeOpenLine(const std::string& line) {
  LastLine& last = lastLine();
  const std::lock_guard<std::mutex> turn(last.turns);
  std::fputs(("\r" + line + "\033[K").c_str(), stderr);
  last.isOpen = true;
}

void closeLine() {
  LastLine& last = lastLine();
  const std::lock_guard<std::mutex> turn(last.turns);
  if (last.isOpen) std::fputc('\n', stderr);
  last.isOpen = false;
}

std::string duration(double seconds) {
  const auto whole = std::llround(seconds);
  if (seconds < 10.0) return fmt::format("{:.1f} s", seconds);
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

// Columns of the terminal; usualColumns elsewhere.
std::size_t columnsOfStderr() {
  winsize size{};
  if (!stderrIsTerminal() || ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return usualColumns;
  return size.ws_col;
}

// The extra text of a line between commas, each with what stands before it.
void addParts(std::string_view extra, std::vector<std::string>& parts) {
  std::string_view before = "  ";
  while (!extra.empty()) {
    const std::size_t end = std::min(extra.find(", "), extra.size());
    parts.push_back(std::string(before) + std::string(extra.substr(0, end)));
    extra.remove_prefix(std::min(end + 2, extra.size()));
    before = ", ";
  }
}

std::string bar(double fraction, std::size_t width) {
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
  return " [" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
}

}  // namespace

std::string progressLine(const ProgressLine& line, std::size_t columns) {
  constexpr std::size_t widest = 24, narrowest = 8, brackets = 3;
  // A character in the last column wraps on some terminals.
  const std::size_t room = std::max<std::size_t>(columns, 2) - 1;
  std::size_t used = widthOf(line.what);
  std::size_t shown = 0;
  for (; shown < line.parts.size() && used + widthOf(line.parts[shown]) <= room; ++shown)
    used += widthOf(line.parts[shown]);
  std::string text(beginningOf(line.what, room));
  // The bar has what the text leaves.
  if (line.fraction && used + narrowest + brackets <= room)
    text += bar(*line.fraction, std::min(widest, room - used - brackets));
  for (std::size_t k = 0; k < shown; ++k) text += line.parts[k];
  return text;
}

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

std::optional<Pace> paceOf(std::uint64_t earlier, std::uint64_t done, std::uint64_t total,
                           double seconds) {
  if (done <= earlier) return std::nullopt;
  const double rate = static_cast<double>(done - earlier) / std::max(seconds, 1e-9);
  return Pace{rate, static_cast<double>(total - std::min(done, total)) / rate};
}

Progress::Progress(std::string what, std::uint64_t total, std::uint64_t earlier)
    : what_(std::move(what)),
      total_(std::max<std::uint64_t>(total, 1)),
      earlier_(earlier),
      start_(Clock::now()),
      last_(start_),
      terminal_(stderrIsTerminal()) {}

// Leaves the terminal on a fresh line if work ended with an exception.
Progress::~Progress() {
  if (!finished_) closeLine();
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
  ProgressLine line{what_, {}, {}};
  if (terminal_) line.fraction = fraction;
  line.parts.push_back(fmt::format(" {:3.0f} %", 100.0 * fraction));
  if (const auto pace = paceOf(earlier_, done, total_, elapsed)) {
    line.parts.push_back(fmt::format("  {:.3g}/s", pace->perSecond));
    line.parts.push_back("  " + duration(pace->secondsLeft) + " left");
  }
  addParts(printable(extra), line.parts);
  const std::string text = progressLine(line, columnsOfStderr());
  terminal_ ? writeOpenLine(text) : writeLine(text);
}

void Progress::finish(std::string_view summary) {
  if (finished_) return;
  finished_ = true;
  if (verbosity() <= Verbosity::Quiet) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  ProgressLine parts{what_ + ": " + duration(elapsed), {}, {}};
  addParts(printable(summary), parts.parts);
  writeLine(progressLine(parts, columnsOfStderr()));
}

}  // namespace tessera::stage
