// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/system/memory_shortage.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "pipelines/stage/error.hpp"

namespace tessera::stage {
namespace {

std::atomic<std::size_t> failed{0};
std::terminate_handler before = nullptr;
char start[128];  // of the sentence

[[noreturn]] void countAndThrow() {
  failed.fetch_add(1);
  throw std::bad_alloc();
}

bool isForWantOfMemory() {
  const std::exception_ptr error = std::current_exception();
  if (!error) return failed.load() > 0;
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Nothing here may allocate.
[[noreturn]] void endTold() {
  static std::atomic_flag begun;  // looking at the exception may end here again
  if (begun.test_and_set()) std::_Exit(static_cast<int>(ExitCode::NoResource));
  if (isForWantOfMemory()) {
    for (const char* text : {static_cast<const char*>(start), notEnoughMemory, "\n"})
      if (::write(2, text, std::strlen(text)) < 0) break;
    std::_Exit(static_cast<int>(ExitCode::NoResource));
  }
  if (before != nullptr) before();
  std::abort();
}

}  // namespace

const char* const notEnoughMemory =
    "There is not enough memory; use a coarser spacing or a machine with more.";

void watchMemory(const std::string& program) {
  const std::string text = program + ": ";
  start[text.copy(start, sizeof start - 1)] = '\0';
  std::set_new_handler(countAndThrow);
  const std::terminate_handler found = std::set_terminate(endTold);
  if (found != endTold) before = found;
}

std::size_t failedAllocations() {
  return failed.load();
}

void MemoryWatch::requireEnough() const {
  if (failedAllocations() != before_) throw std::bad_alloc();
}

}  // namespace tessera::stage
