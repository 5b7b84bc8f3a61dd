// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of results appears whole or not at all, and killed jobs leave nothing for good.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <set>
#include <string>

#include "postprocess/output_folder.hpp"
#include "tests/stage/expect_error.hpp"
#include "tests/temporary_folder.hpp"

using namespace tessera;
using Catch::Matchers::Contains;
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

void writeResults(const fs::path& target, const std::string& text) {
  OutputFolder folder(target);
  fs::create_directory(folder.path() / "tables");
  writeWhole(folder.path() / "tables" / "flow.csv", text);
  writeWhole(folder.path() / "summary.json", text);
  folder.commit();
}

}  // namespace

TEST_CASE("results take the place of older ones as a whole", "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "out", "first");
  writeWhole(place / "out" / "old.csv", "of the first");
  writeResults(place / "out", "second");
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
  CHECK(namesIn(place / "out") == std::set<std::string>{"summary.json", "tables"});
  CHECK(readWhole(place / "out" / "tables" / "flow.csv") == "second");
  { const OutputFolder dropped(place / "out"); }
  CHECK(readWhole(place / "out" / "summary.json") == "second");
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
}

TEST_CASE("results that killed jobs left half are removed by the next, nothing else is", "[unit]") {
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

// As a job leaves it that is killed while old and new change places, where that takes two renames.
TEST_CASE("old results that were moved aside go once there are others", "[unit]") {
  const TemporaryFolder place;
  const fs::path aside = place / "out.12-0.part.old";
  fs::create_directory(aside);
  writeWhole(aside / "summary.json", "old");
  { const OutputFolder dropped(place / "out"); }
  CHECK(readWhole(aside / "summary.json") == "old");
  writeResults(place / "out", "new");
  { const OutputFolder next(place / "out"); }
  CHECK(namesIn(place.path()) == std::set<std::string>{"out"});
}

TEST_CASE("what is no folder of results is not replaced, and what cannot be made is told",
          "[unit]") {
  const TemporaryFolder place;
  writeWhole(place / "file", "a file");
  fs::create_directory(place / "mine");
  writeWhole(place / "mine" / "letter.txt", "kept");
  const auto refusal = [&](ExitCode code, const fs::path& target) {
    return sentenceOfError(code, [&] { const OutputFolder folder(target); });
  };
  CHECK_THAT(refusal(ExitCode::Usage, place / "file"), Contains("is a file"));
  CHECK_THAT(refusal(ExitCode::Usage, place / "mine"), Contains("holds other things"));
  CHECK_THAT(refusal(ExitCode::OutputFailed, place / "none" / "out"),
             Contains("No such file or directory"));
  CHECK(readWhole(place / "mine" / "letter.txt") == "kept");
}

TEST_CASE("a link to results keeps its place", "[unit]") {
  const TemporaryFolder place;
  writeResults(place / "real", "first");
  fs::create_directory_symlink("real", place / "link");
  writeResults(place / "link", "second");
  CHECK(fs::is_symlink(place / "link"));
  CHECK(readWhole(place / "real" / "summary.json") == "second");
}
