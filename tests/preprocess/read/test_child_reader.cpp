// SPDX-License-Identifier: GPL-3.0-or-later
// Reading by a child process that misbehaves: the parent has one sentence, and nothing is left.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "preprocess/read/child/child_reader.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/sanitized.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

const ChildProgram misbehaving{"tessera-read-misbehaving", "a library", "its-package"};

constexpr ChildLimits usual{std::uint64_t{512} << 20U, 10, 300};

// Reads the messages of a mode: its process, then a number or a text.
void readAll(const std::string& mode, const ChildLimits& limits = usual) {
  ChildReader child(misbehaving, mode, {}, limits, "scan.dcm");
  CHECK(child.message() == ChildMessage::Unit);
  child.number();
  if (mode == "long") child.text();
  child.finish();
}

std::uint32_t answerOf(const std::string& mode, const std::vector<std::string>& words) {
  ChildReader child(misbehaving, mode, words, usual, "scan.dcm");
  child.message();
  child.number();
  const std::uint32_t answer = child.number();
  child.finish();
  return answer;
}

std::string textThrough(const std::string& text) {
  ChildReader child(misbehaving, "text", {text}, usual, "scan.dcm");
  child.message();
  child.number();
  std::string answer = child.text();
  child.finish();
  return answer;
}

bool haveChildren() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0;
}

// Whether a process runs; one that has ended may wait for its parent.
bool runs(pid_t process) {
  const std::string stat = readWhole("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name = stat.rfind(')');
  return name != std::string::npos && stat.substr(name + 2, 1) != "Z";
}

}  // namespace

TEST_CASE(
    "Child reader: a crash, an exception, an early end and damaged messages are refusals that "
    "name the file",
    "[unit]") {
  for (const std::string mode : {"crash", "throw", "leave", "long"})
    checkError(ExitCode::BadInput, [&] { readAll(mode); }, {"scan.dcm", "a library"});
  CHECK_THAT(sentenceOfError(ExitCode::BadInput, [] { readAll("crash"); }),
             Catch::Contains(std::to_string(SIGSEGV)));
  CHECK_FALSE(haveChildren());
}

TEST_CASE("Child reader: processor time, memory and patience are limited", "[unit]") {
  checkError(ExitCode::BadInput,
             [] {
               readAll("spin", {usual.memory, 1, 300});
             },
             {"scan.dcm", "1 s of processor time"});
  checkError(ExitCode::BadInput,
             [] {
               readAll("hang", {usual.memory, 10, 1});
             },
             {"scan.dcm", "more than 1 s"});
  if (!isSanitized) checkError(ExitCode::BadInput, [] { readAll("eat"); }, {"scan.dcm", "memory"});
  CHECK_FALSE(haveChildren());
}

TEST_CASE("Child reader: the child has no descriptors but its own, and no file takes its bytes",
          "[unit]") {
  const int inherited = ::open("/dev/null", O_RDONLY);  // not closed on exec
  CHECK(answerOf("descriptors", {}) == 4);
  ::close(inherited);
  const TemporaryFolder folder;
  CHECK(answerOf("write", {folder / "bytes"}) == 0);
  readAll("print");  // not into the messages
}

TEST_CASE("Child reader: limits that are lower already stay", "[unit]") {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit few{8, 8};  // fewer than the child's own limit
    bool isRead = ::setrlimit(RLIMIT_NOFILE, &few) == 0;
    try {
      readAll("print");
    } catch (const StageError&) {
      isRead = false;
    }
    std::_Exit(isRead ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("Child reader: texts of the child have no control characters and no broken UTF-8",
          "[unit]") {
  const std::string sentence = sentenceOfError(ExitCode::BadInput, [] { readAll("refuse"); });
  CHECK_THAT(sentence, Catch::Contains("no ?[31m? good"));
  CHECK(textThrough("Gef\xc3\xa4\xc3\x9f") == "Gef\xc3\xa4\xc3\x9f");
  CHECK(textThrough("a\nb\xc2\x9b") == "a?b??");
  CHECK(textThrough("\xed\xa0\x80 \xc0\xaf") == "??? ??");
}

TEST_CASE("Child reader: a child ends with its reader, and with the process that runs it",
          "[unit]") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ChildReader child(misbehaving, "hang", {}, usual, "scan.dcm");
    child.message();
    const std::uint32_t process = child.number();
    if (::write(ends[1], &process, sizeof process) == sizeof process) ::pause();
    std::_Exit(1);
  }
  std::uint32_t process = 0;
  REQUIRE(::read(ends[0], &process, sizeof process) == sizeof process);
  CHECK(runs(static_cast<pid_t>(process)));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (int turn = 0; turn < 12000 && runs(static_cast<pid_t>(process)); ++turn)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(runs(static_cast<pid_t>(process)));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("Child reader: a reader that is not installed is refused with its package", "[unit]") {
  checkError(ExitCode::BadInput,
             [] {
               ChildReader({"tessera-read-none", "Library", "lib-dev"}, "", {}, usual, "a.3mf");
             },
             {"a.3mf", "tessera-read-none", "lib-dev"});
}
