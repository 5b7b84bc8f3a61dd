// SPDX-License-Identifier: GPL-3.0-or-later
// Progress on stderr: plain lines in a file, a bar on a terminal.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "pipelines/stage/cli/progress.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;

// Sends stderr to a descriptor while an action runs.
template <class Action>
void withStderr(int descriptor, Action action) {
  const int before = ::dup(STDERR_FILENO);
  std::fflush(stderr);
  ::dup2(descriptor, STDERR_FILENO);
  action();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
}

template <class Action>
std::string inFile(Action action) {
  const TemporaryFolder folder;
  const int file = ::open((folder / "err").c_str(), O_CREAT | O_WRONLY, 0600);
  withStderr(file, action);
  ::close(file);
  return readWhole(folder / "err");
}

// A bare chroot has no pseudo-terminals.
bool terminalsAreHere() {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal >= 0) ::close(terminal);
  if (terminal < 0) WARN("skipped: this machine has no pseudo-terminals");
  return terminal >= 0;
}

template <class Action>
std::string onTerminal(Action action, unsigned short columns = 0) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const int end = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(end >= 0);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  REQUIRE(::ioctl(terminal, TIOCSWINSZ, &size) == 0);
  withStderr(end, action);
  ::close(end);
  std::string text;
  char part[512];
  // Ends with EIO, since no one has the other end.
  for (ssize_t count = 0; (count = ::read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  ::close(terminal);
  return text;
}

// A step after more than the second between two lines, and one at once after it. Returns the time
// between these two, s: on a busy machine a line may be due for the second one as well.
double work() {
  using Clock = std::chrono::steady_clock;
  Progress progress("solve", 1000);
  progress.update(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const Clock::time_point before = Clock::now();
  progress.update(500, "512 MFLUPS");
  progress.update(501, "too soon for another line");
  const double between = std::chrono::duration<double>(Clock::now() - before).count();
  progress.finish("1000 steps");
  progress.finish("once only");
  return between;
}

TEST_CASE("Progress: in a file it is plain lines, and few", "[unit]") {
  double between = 1.0;
  std::string text;
  while (between > 0.5) text = inFile([&] { between = work(); });
  CHECK_THAT(text, Contains("solve  50 %") && Contains("/s") && Contains("left  512 MFLUPS\n"));
  CHECK_THAT(text, Contains("solve: ") && Contains(" s  1000 steps\n"));
  CHECK_THAT(text, !Contains("too soon") && !Contains("once only"));
  CHECK_THAT(text, !Contains("\r") && !Contains("\033"));
}

TEST_CASE("Progress: on a terminal it is a bar", "[unit]") {
  if (!terminalsAreHere()) return;
  ::setenv("TERM", "xterm", 1);
  CHECK_THAT(onTerminal(work), Contains("\rsolve [############............]  50 %"));
}

TEST_CASE("Progress: text that another thread logs takes the place of the bar", "[unit]") {
  if (!terminalsAreHere()) return;
  ::setenv("TERM", "xterm", 1);
  const std::string text = onTerminal([] {
    Progress progress("solve", 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    progress.update(500);
    std::thread([] { logInfo("opening 1\nopening 2"); }).join();
    logInfo("opening 3");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    progress.update(600);
    progress.finish();
    logInfo("done");
  });
  CHECK_THAT(text, Contains("left\033[K\r\033[Kopening 1\r\nopening 2\r\nopening 3\r\n\rsolve ["));
  CHECK_THAT(text, Contains("left\033[K\r\033[Ksolve: ") && Contains(" s\r\ndone\r\n"));
}

TEST_CASE("Progress: a line fits its columns; the bar yields first, then the last parts",
          "[unit]") {
  const ProgressLine line{
      "step", 0.5, {"  50 %", "  12.5/s", "  3 min 20 s left", "  512 MFLUPS", ", change 1.2e-05"}};
  CHECK(progressLine(line, 200) ==
        "step [############............]  50 %  12.5/s  3 min 20 s left  512 MFLUPS, change "
        "1.2e-05");
  CHECK(progressLine(line, 80) ==
        "step [######.......]  50 %  12.5/s  3 min 20 s left  512 MFLUPS, change 1.2e-05");
  CHECK(progressLine(line, 55) == "step  50 %  12.5/s  3 min 20 s left  512 MFLUPS");
  CHECK(progressLine(line, 20) == "step  50 %  12.5/s");
  for (std::size_t columns = 2; columns < 120; ++columns)
    CHECK(progressLine(line, columns).size() < columns);
  CHECK(progressLine({"\u00e9\u00e9\u00e9\u00e9", {}, {}}, 4) == "\u00e9\u00e9\u00e9");
}

TEST_CASE("Progress: rate and time left are of what this process did", "[unit]") {
  CHECK_FALSE(paceOf(0, 0, 100, 5.0));
  CHECK_FALSE(paceOf(60, 60, 100, 5.0));
  CHECK(paceOf(0, 50, 100, 10.0)->perSecond == Approx(5.0));
  const auto resumed = paceOf(900, 910, 1000, 10.0);
  CHECK(resumed->perSecond == Approx(1.0));
  CHECK(resumed->secondsLeft == Approx(90.0));
}

TEST_CASE("Progress: on a terminal no line is wider than it", "[unit]") {
  if (!terminalsAreHere()) return;
  ::setenv("TERM", "xterm", 1);
  for (const int columns : {30, 60, 80}) {
    const std::string text = onTerminal(work, static_cast<unsigned short>(columns));
    std::size_t width = 0;
    for (const char c : text) {
      width = c == '\r' || c == '\n' || c == '\033' ? 0 : width + 1;
      CHECK(width < static_cast<std::size_t>(columns));
    }
  }
}

TEST_CASE("Progress: verbosity chooses the messages", "[unit]") {
  const auto everything = [] {
    logInfo("information");
    logDetail("detail");
    logWarning("caution");
    work();
  };
  const auto at = [&](Verbosity chosen) {
    setVerbosity(chosen);
    const std::string text = inFile(everything);
    setVerbosity(Verbosity::Normal);
    return text;
  };
  CHECK(at(Verbosity::Quiet) == "warning: caution\n");
  CHECK_THAT(at(Verbosity::Normal), Contains("information\n") && !Contains("detail"));
  CHECK_THAT(at(Verbosity::Verbose), Contains("information\ndetail\nwarning: caution\nsolve"));
}

TEST_CASE("Progress: colour only on a terminal, and not with NO_COLOR", "[unit]") {
  if (!terminalsAreHere()) return;
  const auto warn = [] { logWarning("caution"); };
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  CHECK_THAT(onTerminal(warn), Contains("\033[33mwarning:\033[0m caution"));
  ::setenv("NO_COLOR", "1", 1);
  CHECK_THAT(onTerminal(warn), Contains("warning: caution") && !Contains("\033"));
  ::unsetenv("NO_COLOR");
}

}  // namespace
}  // namespace tessera
