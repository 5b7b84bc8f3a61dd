// SPDX-License-Identifier: GPL-3.0-or-later
// A file appears whole or not at all.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/system_calls.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

std::size_t filesIn(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("Atomic file: a committed file replaces the old one and leaves no other", "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  writeWhole(target, "old");
  {
    AtomicFile file(target);
    file.write("new ");
    file.write("content");
    CHECK(file.size() == 11);
    CHECK(readWhole(target) == "old");
    file.commit();
  }
  CHECK(readWhole(target) == "new content");
  CHECK(filesIn(folder.path()) == 1);
  struct stat status {};
  REQUIRE(::stat(target.c_str(), &status) == 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK((status.st_mode & 0777U) == (0666U & ~mask));
}

TEST_CASE("Atomic file: a file that is not committed leaves the old one", "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  writeWhole(target, "old");
  {
    AtomicFile file(target);
    file.write("half");
    CHECK(filesIn(folder.path()) == 2);
  }
  CHECK(readWhole(target) == "old");
  CHECK(filesIn(folder.path()) == 1);
}

void writeHalfAndDie(const fs::path& target) {
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(target);
    file.write("half");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
}

TEST_CASE("Atomic file: a job killed while it writes leaves the old file", "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  writeWhole(target, "old");
  writeHalfAndDie(target);
  CHECK(readWhole(target) == "old");
}

TEST_CASE(
    "Atomic file: files of killed jobs are removed by the next, those of running ones are not",
    "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  writeHalfAndDie(target);
  CHECK(filesIn(folder.path()) == 1);
  for (const char* other : {"out.part", "out.12-x.part", "out.12-0", "other.12-0.part"})
    writeWhole(folder / other, "of somebody else");
  AtomicFile first(target);  // removes what was left, but not what first holds
  AtomicFile second(target);
  CHECK(filesIn(folder.path()) == 6);
  first.commit();
  second.commit();
  CHECK(filesIn(folder.path()) == 5);
}

// NFS locks exclusively only files that are open for writing.
TEST_CASE("Atomic file: over NFS files of killed jobs are removed too", "[unit]") {
  const TemporaryFolder folder;
  const FailingCalls nfs({.lock = [](int descriptor) {
    return (::fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY ? EBADF : 0;
  }});
  writeHalfAndDie(folder / "out");
  AtomicFile first(folder / "out");
  CHECK(filesIn(folder.path()) == 1);
  const AtomicFile second(folder / "out");
  CHECK(fs::exists(first.temporaryPath()));
}

TEST_CASE("Atomic file: a temporary name is not used again, since other machines may remember it",
          "[unit]") {
  const TemporaryFolder folder;
  const auto name = [&] { return AtomicFile(folder / "out").temporaryPath(); };
  const fs::path first = name();
  CHECK(name() != first);
}

TEST_CASE("Atomic file: the previous file can be kept under another name", "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  const fs::path previous = folder / "out.prev";
  for (const std::string text : {"first", "second", "third"}) {
    AtomicFile file(target);
    file.write(text);
    file.commitKeeping(previous);
    CHECK(readWhole(target) == text);
  }
  CHECK(readWhole(previous) == "second");
  CHECK(filesIn(folder.path()) == 2);
  // Killed between the two names: both are one file's.
  fs::remove(previous);
  fs::create_hard_link(target, previous);
  AtomicFile file(target);
  file.write("fourth");
  file.commitKeeping(previous);
  CHECK(readWhole(target) == "fourth");
  CHECK(readWhole(previous) == "third");
  CHECK(filesIn(folder.path()) == 2);
}

TEST_CASE("Atomic file: a file system without hard links keeps the previous file too", "[unit]") {
  for (const int error : {EPERM, EOPNOTSUPP, EMLINK, ENOSYS, EXDEV, EACCES, EIO}) {
    INFO(error);
    const TemporaryFolder folder;
    const FailingCalls none({.link = [&](const std::string&) { return error; }});
    for (const std::string text : {"first", "second", "third"}) {
      AtomicFile file(folder / "out");
      file.write(text);
      CHECK(standardErrorOf([&] { file.commitKeeping(folder / "out.prev"); }).empty());
    }
    CHECK(readWhole(folder / "out") == "third");
    CHECK(readWhole(folder / "out.prev") == "second");
    CHECK(filesIn(folder.path()) == 2);
  }
}

TEST_CASE("Atomic file: a previous file that cannot be kept is replaced, with a warning",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  writeWhole(target, "old");
  const fs::path taken = folder / "taken";
  fs::create_directory(taken);
  const std::string said = standardErrorOf([&] {
    AtomicFile file(target);
    file.write("new");
    file.commitKeeping(taken);
  });
  CHECK_THAT(said, Contains("warning: ") && Contains("out") && Contains("taken"));
  CHECK(readWhole(target) == "new");
  CHECK(filesIn(folder.path()) == 2);
}

TEST_CASE("Atomic file: a library may write the temporary file itself", "[unit]") {
  const TemporaryFolder folder;
  AtomicFile file(folder / "out");
  fs::remove(file.temporaryPath());
  writeWhole(file.temporaryPath(), "by a library");
  file.commit();
  CHECK(readWhole(folder / "out") == "by a library");
  CHECK(filesIn(folder.path()) == 1);
}

TEST_CASE("Atomic file: two writers of one target use different temporary files", "[unit]") {
  const TemporaryFolder folder;
  AtomicFile first(folder / "out");
  AtomicFile second(folder / "out");
  first.write("first");
  second.write("second");
  first.commit();
  second.commit();
  CHECK(readWhole(folder / "out") == "second");
}

TEST_CASE("Atomic file: a symbolic link is followed", "[unit]") {
  const TemporaryFolder folder;
  writeWhole(folder / "file", "old");
  fs::create_symlink("file", folder / "link");
  writeTextAtomically(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(readWhole(folder / "file") == "new");
  // Before there is a file, and by more than one.
  fs::create_directory(folder / "disk");
  fs::create_symlink(folder / "disk" / "later", folder / "second");
  fs::create_symlink("second", folder / "first");
  writeTextAtomically(folder / "first", "later");
  CHECK(fs::is_symlink(folder / "first"));
  CHECK(fs::is_symlink(folder / "second"));
  CHECK(readWhole(folder / "disk" / "later") == "later");
}

TEST_CASE("Atomic file: an output that cannot be written is exit code 4", "[unit]") {
  const TemporaryFolder folder;
  const auto sentence = [](const fs::path& target) {
    return sentenceOfError(ExitCode::OutputFailed, [&] { writeTextAtomically(target, "x"); });
  };
  CHECK_THAT(sentence(folder / "absent" / "out"), Contains("No such file or directory"));
  CHECK_THAT(sentence(folder.path()), Contains("regular file"));
  CHECK_THAT(sentence("/dev/null"), Contains("regular file"));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("Atomic file: lack of space is distinguished from other failures", "[unit]") {
  const TemporaryFolder folder;
  for (const int error : {ENOSPC, EDQUOT}) {
    const FailingCalls full({.write = [&](const std::string&, std::size_t) { return error; }});
    CHECK_THROWS_AS(writeTextAtomically(folder / "out", "x"), NoSpace);
  }
  const FailingCalls broken({.write = [](const std::string&, std::size_t) { return EIO; }});
  try {
    writeTextAtomically(folder / "out", "x");
    FAIL("it was written");
  } catch (const StageError& error) {
    CHECK(dynamic_cast<const NoSpace*>(&error) == nullptr);
  }
}

// A limit on file sizes stops write() in the middle, as a full disk does.
TEST_CASE("Atomic file: a disk that fills up leaves the old file and is reported", "[unit]") {
  const TemporaryFolder folder;
  const fs::path target = folder / "out";
  writeWhole(target, "old");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string sentence = sentenceOfError(
      ExitCode::OutputFailed, [&] { writeTextAtomically(target, std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK_THAT(sentence, Contains(target.string()) && Contains("MiB free"));
  CHECK(readWhole(target) == "old");
  CHECK(filesIn(folder.path()) == 1);
}

}  // namespace
}  // namespace tessera
