// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of results appears whole or not at all, and killed jobs leave nothing behind.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "pipelines/stage/io/atomic_file.hpp"
#include "postprocess/fields/output_folder.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

// Calls in place of the library's, for file systems that lack them.
namespace {
bool hasExchange = true, hasLinks = true;
}

extern "C" int renameat2(int from, const char* old, int to, const char* fresh,
                         unsigned flags) noexcept {
  if (hasExchange) return static_cast<int>(::syscall(SYS_renameat2, from, old, to, fresh, flags));
  errno = EINVAL;
  return -1;
}

extern "C" int link(const char* from, const char* to) noexcept {
  if (hasLinks) return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
  errno = ENOSYS;
  return -1;
}

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::stage;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

std::set<std::string> namesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

// In a child that is killed before the folder has its name.
void writeAndDie(const fs::path& target) {
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputFolder folder(target);
    writeWhole(folder.path() / "summary.json", "half");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
}

// extra: a table besides.
void writeResults(const fs::path& target, const std::string& text, const std::string& extra = "") {
  OutputFolder folder(target);
  fs::create_directory(folder.path() / "tables");
  writeWhole(folder.path() / "tables" / "flow.csv", text);
  writeWhole(folder.path() / "summary.json", text);
  if (!extra.empty()) writeWhole(folder.path() / "tables" / extra, text);
  folder.commit();
}

}  // namespace

TEST_CASE("Output folder: results replace older ones as a whole", "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "out", "first", "old.csv");
  writeResults(place / "out", "second");
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
  CHECK(namesIn(place / "out") == std::set<std::string>{".results", "summary.json", "tables"});
  CHECK(namesIn(place / "out" / "tables") == std::set<std::string>{"flow.csv"});
  CHECK(readWhole(place / "out" / "tables" / "flow.csv") == "second");
  { const OutputFolder dropped(place / "out"); }
  CHECK(readWhole(place / "out" / "summary.json") == "second");
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
}

TEST_CASE("Output folder: the user's files among results stay", "[unit]") {
  const TemporaryFolder place;
  const fs::path out = place / "out";
  std::tie(hasExchange, hasLinks) =
      GENERATE(std::tuple(true, true), std::tuple(false, true), std::tuple(true, false));
  writeResults(out, "first", "old.csv");
  writeWhole(out / "notes.txt", "mine");
  writeWhole(out / "tables" / "flow2.csv", "mine");
  fs::create_directories(out / "views" / "none");
  writeWhole(out / "views" / "summary.json", "mine");
  fs::create_symlink("nowhere", out / "link");
  writeResults(out, "second");
  writeResults(out, "third");
  hasExchange = hasLinks = true;
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
  CHECK(namesIn(out) ==
        std::set<std::string>{".results", "link", "notes.txt", "summary.json", "tables", "views"});
  CHECK(namesIn(out / "tables") == std::set<std::string>{"flow.csv", "flow2.csv"});
  CHECK(readWhole(out / "summary.json") == "third");
  for (const char* mine : {"notes.txt", "tables/flow2.csv", "views/summary.json"})
    CHECK(readWhole(out / mine) == "mine");
  CHECK(fs::is_empty(out / "views" / "none"));
  CHECK(fs::read_symlink(out / "link") == "nowhere");
}

TEST_CASE("Output folder: only a folder that is marked as results is replaced", "[unit]") {
  const TemporaryFolder place;
  const fs::path out = place / "out";
  fs::create_directory(out);
  writeWhole(out / "summary.json", "{\"mine\": 1}");
  writeWhole(out / "report.html", "mine");
  const auto refused = [&] {
    checkError(ExitCode::Usage, [&] { OutputFolder::check(out); }, {"out", "-o"});
  };
  refused();
  ::mkfifo((out / ".results").c_str(), 0600);
  refused();
  fs::remove(out / ".results");
  fs::create_symlink("summary.json", out / ".results");
  refused();
  fs::remove(out / ".results");
  CHECK(readWhole(out / "report.html") == "mine");
  // A summary of version 0.1, before there was a list.
  writeWhole(out / "summary.json", "{\n \"schema_version\": 1,");
  CHECK_NOTHROW(OutputFolder::check(out));
  writeResults(out, "new");
  CHECK(readWhole(out / "report.html") == "mine");
}

TEST_CASE("Output folder: a file that cannot be kept leaves the old results", "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "out", "first");
  fs::create_directory(place / "out" / "extra.csv");
  writeWhole(place / "out" / "extra.csv" / "notes.txt", "mine");
  checkError(ExitCode::OutputFailed,
             [&] {
               OutputFolder folder(place / "out");
               writeWhole(folder.path() / "summary.json", "second");
               writeWhole(folder.path() / "extra.csv", "second");
               folder.commit();
             },
             {"extra.csv"});
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
  CHECK(readWhole(place / "out" / "summary.json") == "first");
  CHECK(readWhole(place / "out" / "extra.csv" / "notes.txt") == "mine");
}

TEST_CASE(
    "Output folder: results that a killed job had set aside get their name again, or are removed",
    "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "out", "first");
  writeWhole(place / "out" / "notes.txt", "mine");
  fs::rename(place / "out", place / "out.7-0.part.old");
  const std::set<std::string> others{"out.part.old", "out.2.7-0.part.old"};
  for (const std::string& other : others) fs::create_directory(place / other);
  writeResults(place / "out", "second");
  CHECK(readWhole(place / "out" / "summary.json") == "second");
  CHECK(readWhole(place / "out" / "notes.txt") == "mine");
  fs::copy(place / "out", place / "out.8-0.part.old");
  writeResults(place / "out", "third");
  CHECK(readWhole(place / "out" / "summary.json") == "third");
  std::set<std::string> left = others;
  left.insert("out");
  CHECK(namesIn(place.path()) == left);
}

TEST_CASE(
    "Output folder: partial results of killed jobs are removed by the next job, nothing else is",
    "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "out", "old");
  writeAndDie(place / "out");
  CHECK(namesIn(place.path()).size() == 2);
  CHECK(readWhole(place / "out" / "summary.json") == "old");
  const std::set<std::string> others{"out.part", "out.12-x.part", "out.12-0", "other.12-0.part"};
  for (const std::string& other : others) fs::create_directory(place / other);
  {
    const OutputFolder first(place / "out");  // held, so the second leaves it alone
    writeWhole(first.path() / "summary.json", "new");
    const OutputFolder second(place / "out");
    CHECK(namesIn(place.path()).size() == 1 + others.size() + 2);
    CHECK(first.path() != second.path());
    CHECK(readWhole(first.path() / "summary.json") == "new");
  }
  std::set<std::string> left = others;
  left.insert("out");
  CHECK(namesIn(place.path()) == left);
}

TEST_CASE(
    "Output folder: a folder of other files is not replaced, and one that cannot be made is "
    "reported",
    "[unit]") {
  const TemporaryFolder place;
  writeWhole(place / "file", "a file");
  fs::create_directory(place / "mine");
  writeWhole(place / "mine" / "letter.txt", "kept");
  const auto refusal = [&](ExitCode code, const fs::path& target) {
    return sentenceOfError(code, [&] { const OutputFolder folder(target); });
  };
  CHECK_THAT(refusal(ExitCode::Usage, place / "file"), Contains("is a file"));
  CHECK_THAT(refusal(ExitCode::Usage, place / "mine"), Contains("contains other files"));
  CHECK_THAT(refusal(ExitCode::OutputFailed, place / "none" / "out"),
             Contains("No such file or directory"));
  CHECK(readWhole(place / "mine" / "letter.txt") == "kept");
}

TEST_CASE("Output folder: a symbolic link to results stays where it is", "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "real", "first");
  fs::create_directory_symlink("real", place / "link");
  writeResults(place / "link", "second");
  CHECK(fs::is_symlink(place / "link"));
  CHECK(readWhole(place / "real" / "summary.json") == "second");
}

TEST_CASE("Output folder: errors name the files by their target", "[unit]") {
  TemporaryFolder place;
  const fs::path target = place / "out";
  const auto sentenceOf = [&](const std::function<void(const fs::path&)>& files) {
    try {
      OutputFolder(target).write(files);
    } catch (const StageError& error) {
      CHECK(error.code() == ExitCode::OutputFailed);
      CHECK(namesIn(place.path()).empty());
      return std::string(error.what());
    }
    return std::string();
  };
  for (const auto& text : {sentenceOf([](const fs::path& folder) {
                             writeTextAtomically(folder / "absent" / "flow.csv", "x");
                           }),
                           sentenceOf([](const fs::path& folder) {
                             fs::create_directory(folder / "absent" / "flow.csv");
                           }),
                           sentenceOf([](const fs::path& folder) {
                             failToWrite(folder / "absent" / "flow.csv", ENOSPC);
                           })})
    CHECK_THAT(text, StartsWith((target / "absent" / "flow.csv").string() + " cannot be written"));
  CHECK(sentenceOf([](const fs::path& folder) {
          writeTextAtomically(folder / "flow.csv", "x");
        }).empty());
  CHECK(fs::exists(target / "flow.csv"));
}
