// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/system/memory.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "tests/fixtures/sanitized.hpp"

using namespace tessera;
using namespace tessera::stage;

namespace {

// Behaviour of operator new without memory.
void allocateInVain() {
  std::get_new_handler()();
}

int failOtherwise() {
  throw std::runtime_error("another");
}

struct AllocatesAtItsEnd {
  ~AllocatesAtItsEnd() { allocateInVain(); }
};

struct Ended {
  int status = 0;
  std::string said;
};

// body as a stage of a process of its own.
template <class Body>
Ended runAlone(const Body& body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // not what Catch does then
    ::dup2(ends[1], 2);
    std::_Exit(runStage("tessera-stage", body));
  }
  ::close(ends[1]);
  Ended out;
  char part[256];
  for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
    out.said.append(part, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, &out.status, 0);
  return out;
}

// Pages of the address space that 16 threads take for one small allocation each.
long pagesOfThreads() {
  const auto used = [] {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  const long before = used();
  std::vector<std::thread> threads;
  std::atomic<int> waiting{16};
  std::atomic<bool> counted{false};
  for (int k = 0; k < 16; ++k)
    threads.emplace_back([&] {
      const auto small = std::make_unique<char[]>(1000);
      --waiting;
      while (!counted) std::this_thread::yield();
    });
  while (waiting > 0) std::this_thread::yield();
  const long pages = used() - before;
  counted = true;
  for (std::thread& thread : threads) thread.join();
  return pages;
}

}  // namespace

TEST_CASE("Memory shortage: threads share the addresses that a limit leaves", "[unit]") {
  if (isSanitized) return;  // whose allocator has no arenas
  const long megabyte = (1L << 20) / ::sysconf(_SC_PAGESIZE);
  const Ended shared = runAlone([&] {
    const rlimit limit{std::uint64_t{1} << 36U, std::uint64_t{1} << 36U};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return 2;
    shareArenas();
    // 8 MB of stack each, and two arenas.
    return pagesOfThreads() < (16 * 9 + 2 * 128) * megabyte ? 0 : 1;
  });
  CHECK(shared.status == 0);
  // Without a limit each has an arena of its own.
  CHECK(runAlone([&] {
          shareArenas();
          return pagesOfThreads() > (16 * 9 + 2 * 128) * megabyte ? 0 : 1;
        }).status == 0);
}

TEST_CASE(
    "Memory shortage: a destructor without memory ends a program with a sentence and exit code 5",
    "[unit]") {
  const Ended ended = runAlone([] {
    const AllocatesAtItsEnd value;
    return 0;
  });
  REQUIRE(WIFEXITED(ended.status));
  CHECK(WEXITSTATUS(ended.status) == 5);
  CHECK(ended.said == "tessera-stage: " + std::string(notEnoughMemory) + "\n");
}

TEST_CASE("Memory shortage: a program that ends for another reason is not short of memory",
          "[unit]") {
  const Ended ended = runAlone([]() noexcept { return failOtherwise(); });
  CHECK(WIFSIGNALED(ended.status));
  CHECK(ended.said.find("memory") == std::string::npos);
}

TEST_CASE("Memory shortage: a swallowed bad_alloc is reported", "[unit]") {
  const std::new_handler before = std::get_new_handler();
  const std::terminate_handler ending = std::get_terminate();
  watchMemory("tessera-stage");
  const MemoryWatch memory;
  CHECK_NOTHROW(memory.requireEnough());
  CHECK_THROWS_AS(allocateInVain(), std::bad_alloc);
  CHECK_THROWS_AS(memory.requireEnough(), std::bad_alloc);
  CHECK_NOTHROW(MemoryWatch().requireEnough());
  std::set_new_handler(before);
  std::set_terminate(ending);
}
