// SPDX-License-Identifier: GPL-3.0-or-later
// Under AddressSanitizer by its hooks, otherwise by replacing glibc's malloc family ("Replacing
// malloc" in its manual).
#include "tests/fuzz/allocation_meter.hpp"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>

#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_ADDRESS_SANITIZER
#endif
#endif

namespace tessera::fuzz {
namespace {

std::atomic<std::ptrdiff_t> held{0};
std::atomic<std::ptrdiff_t> peak{0};
std::atomic<std::ptrdiff_t> limit{std::numeric_limits<std::ptrdiff_t>::max()};
std::ptrdiff_t atStart = 0;

void count(std::size_t bytes) {
  const auto change = static_cast<std::ptrdiff_t>(bytes);
  const std::ptrdiff_t now = held.fetch_add(change) + change;
  std::ptrdiff_t known = peak.load();
  while (now > known && !peak.compare_exchange_weak(known, now)) {
  }
  if (now <= limit.load()) return;
  limit = std::numeric_limits<std::ptrdiff_t>::max();
  constexpr char sentence[] = "the reader's promise is broken: more memory than it may use\n";
  if (::write(2, sentence, sizeof sentence - 1) >= 0) std::abort();
  std::abort();
}

void uncount(std::size_t bytes) {
  held -= static_cast<std::ptrdiff_t>(bytes);
}

}  // namespace
}  // namespace tessera::fuzz

#ifdef TESSERA_ADDRESS_SANITIZER
// As in sanitizer/allocator_interface.h, which g++ 12 has in its library but not among its headers.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*,
                                                                           std::size_t),
                                                         void (*freed)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* at);

// One allocation of a size out of all proportion ends there; a sanitizer's end runs our handler.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:max_allocation_size_mb=2000:handle_abort=0";
}
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

namespace {
const int hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { tessera::fuzz::count(size); },
    [](const volatile void* at) {
      if (at != nullptr) tessera::fuzz::uncount(__sanitizer_get_allocated_size(at));
    });
}  // namespace
#else
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* at, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* at);
}

namespace {
void* counted(void* at) {
  if (at != nullptr) tessera::fuzz::count(::malloc_usable_size(at));
  return at;
}
}  // namespace

extern "C" {
void* malloc(std::size_t size) noexcept {
  return counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return counted(__libc_calloc(count, size));
}
void* realloc(void* at, std::size_t size) noexcept {
  const std::size_t before = at == nullptr ? 0 : ::malloc_usable_size(at);
  void* moved = __libc_realloc(at, size);
  if (moved != nullptr || size == 0) tessera::fuzz::uncount(before);
  return counted(moved);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** at, std::size_t alignment, std::size_t size) noexcept {
  *at = counted(__libc_memalign(alignment, size));
  return *at == nullptr ? ENOMEM : 0;
}
void free(void* at) noexcept {
  if (at != nullptr) tessera::fuzz::uncount(::malloc_usable_size(at));
  __libc_free(at);
}
}
#endif

namespace tessera::fuzz {

void startMeter(std::size_t mostBytes) {
  atStart = held;
  peak = atStart;
  limit = atStart + static_cast<std::ptrdiff_t>(mostBytes);
}

std::size_t stopMeter() {
  limit = std::numeric_limits<std::ptrdiff_t>::max();
  return static_cast<std::size_t>(peak - atStart);
}

}  // namespace tessera::fuzz
