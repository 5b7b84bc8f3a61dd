// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded before a program (LD_PRELOAD), makes one call of its write paths fail, so that what is
// tested is what is shipped. TESSERA_FAULT=CALL:N:ERROR, CALL open, write, sync, rename,
// allocation or reading, the N-th of them counted from 1, ERROR the number of an errno or 0 for
// half a write; when it has failed the file TESSERA_FAULT_MARK is there. Counted are calls on files
// that a program opens to write, on temporary files and on folders; allocations (operator new)
// while one of these is open; reading: allocations while a case file (.toml) is. CALL path: the
// first allocation to which the path of calls N leads; CALL paths: TESSERA_FAULT_PATHS=FILE lists
// these, once each in the order of their first allocations. CALL fork: one run serves all paths. At
// the first allocation of each the program goes on in a copy of its process, where it fails
// (forked_trials.hpp).
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include "tests/reliability/fork_message.hpp"

namespace {

using tessera::reliability::ForkMessage;

constexpr int mostFiles = 1024;
std::atomic<bool> ours[mostFiles];
std::atomic<int> openOnes{0};
std::atomic<FILE*> openCase{nullptr};
std::atomic<unsigned long> counted{0};

struct Fault {
  const char* call = "";
  std::size_t length = 0;
  unsigned long number = 0;
  int error = 0;
};

const Fault& fault() {
  static const Fault chosen = [] {
    Fault out;
    const char* text = std::getenv("TESSERA_FAULT");
    if (text == nullptr) return out;
    const char* colon = std::strchr(text, ':');
    if (colon == nullptr) return out;
    out.call = text;
    out.length = static_cast<std::size_t>(colon - text);
    char* end = nullptr;
    out.number = std::strtoul(colon + 1, &end, 10);
    if (*end == ':') out.error = static_cast<int>(std::strtol(end + 1, nullptr, 10));
    return out;
  }();
  return chosen;
}

bool isAbout(const char* call) {
  const Fault& f = fault();
  return f.length == std::strlen(call) && std::strncmp(f.call, call, f.length) == 0;
}

bool leaveMark() {
  if (const char* mark = std::getenv("TESSERA_FAULT_MARK"))
    ::syscall(SYS_close, ::syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
  return true;
}

// Whether this is the call that is to fail.
bool isDue(const char* call) {
  return isAbout(call) && counted.fetch_add(1) + 1 == fault().number && leaveMark();
}

// By errno; false for a fault without one.
bool failsNow(const char* call) {
  if (!isDue(call)) return false;
  errno = fault().error;
  return true;
}

bool isTemporary(const char* path) {
  return std::strstr(path, ".part") != nullptr;
}

// The folder that the run is in, which is synced after a rename.
bool isHere(const char* path) {
  char here[4096];
  return std::strcmp(path, ".") == 0 ||
         (::getcwd(here, sizeof here) != nullptr && std::strcmp(path, here) == 0);
}

bool isOurs(int descriptor) {
  return descriptor >= 0 && descriptor < mostFiles && ours[descriptor].load();
}

int opened(const char* path, int flags, mode_t mode) {
  const bool counts = (flags & (O_WRONLY | O_RDWR)) != 0 || isTemporary(path) || isHere(path);
  if (counts && failsNow("open")) return -1;
  const auto descriptor =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode));
  if (descriptor >= 0 && descriptor < mostFiles && counts && !ours[descriptor].exchange(true))
    ++openOnes;
  return descriptor;
}

// Half of it, for a fault without errno.
std::size_t lengthNow(std::size_t length, bool& fails) {
  fails = false;
  if (!isDue("write")) return length;
  if (fault().error == 0) return length > 1 ? length / 2 : length;
  fails = true;
  errno = fault().error;
  return length;
}

// Return addresses of the call stack outside this library, each relative to its own library or
// program, so that they are the same in every run.
unsigned long pathOfCalls() {
  void* frames[128];
  const int depth = ::backtrace(frames, 128);
  dl_find_object object{};
  ::_dl_find_object(frames[0], &object);
  const void* own = object.dlfo_map_start;
  unsigned long hash = 14695981039346656037U;
  for (int k = 1; k < depth; ++k) {
    if (::_dl_find_object(frames[k], &object) != 0 || object.dlfo_map_start == own) continue;
    const auto place = reinterpret_cast<std::uintptr_t>(frames[k]) -
                       reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
    hash = (hash ^ place) * 1099511628211U;
  }
  return hash;
}

// Whether a path has not been met. Where more lead to allocations than there is room for, none is
// new from then on.
bool isNew(unsigned long path) {
  static std::atomic<unsigned long> met[1U << 17U];
  constexpr unsigned long most = std::size(met);
  for (unsigned long k = 0; k < most; ++k) {
    unsigned long empty = 0;
    if (met[(path + k) % most].compare_exchange_strong(empty, path)) return true;
    if (empty == path) return false;
  }
  return false;
}

void list(unsigned long path) {
  static const long file = ::syscall(SYS_openat, AT_FDCWD, std::getenv("TESSERA_FAULT_PATHS"),
                                     O_CREAT | O_WRONLY | O_TRUNC, 0600);
  char line[32];
  const int length = std::snprintf(line, sizeof line, "%lu\n", path);
  ::syscall(SYS_write, file, line, length);
}

// Tells the trials, which then change files, and waits for their answer.
bool answerTo(const ForkMessage& message) {
  static const int in = std::atoi(std::getenv("TESSERA_FORK_ANSWERS"));
  static const int out = std::atoi(std::getenv("TESSERA_FORK_MESSAGES"));
  char answer = 0;
  if (::syscall(SYS_write, out, &message, sizeof message) != sizeof message ||
      ::syscall(SYS_read, in, &answer, 1) != 1)
    ::_exit(126);
  return answer != 0;
}

// Opens this process's files anew by their names, to which the trials have given copies, at the
// same positions and with locks of its own.
void openCopies() {
  const char* kept = std::getenv("TESSERA_FORK_KEPT");
  const char* folder = std::getenv("TESSERA_FORK_FOLDER");
  const std::size_t length = std::strlen(kept);
  for (int file = 3; file < mostFiles; ++file) {
    char link[32], now[4096] = "", copy[8192];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (::readlink(link, now, sizeof now - 1) < 0 || std::strncmp(now, kept, length) != 0) continue;
    std::snprintf(copy, sizeof copy, "%s%s", folder, now + length);
    const auto fresh = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, copy, ::fcntl(file, F_GETFL) | O_LARGEFILE));
    if (fresh < 0) continue;
    ::lseek(fresh, ::lseek(file, 0, SEEK_CUR), SEEK_SET);
    ::flock(fresh, LOCK_EX | LOCK_NB);
    ::dup3(fresh, file, O_CLOEXEC);
    ::syscall(SYS_close, fresh);
  }
}

// True in a copy of this process, false in this one, which waits for its end.
bool isCopy(unsigned long path) {
  struct stat threads {};
  ::stat("/proc/self/task", &threads);
  const int others = static_cast<int>(threads.st_nlink) - 3;
  if (!answerTo({path, ForkMessage::before, others})) return false;
  const pid_t copy = ::fork();
  if (copy == 0) {
    ::alarm(ForkMessage::longest);
    ::dup2(static_cast<int>(::syscall(SYS_openat, AT_FDCWD, std::getenv("TESSERA_FORK_ERRORS"),
                                      O_CREAT | O_WRONLY | O_TRUNC, 0600)),
           2);
    openCopies();
    return true;
  }
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  answerTo({path, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), others});
  return false;
}

// Allocations by this and by the unwinder are not counted again.
bool isPathDue() {
  static std::atomic<bool> hasFailed{false};
  thread_local bool isWithin = false;
  const bool lists = isAbout("paths"), forks = isAbout("fork");
  if (isWithin || hasFailed.load() || !(lists || forks || isAbout("path"))) return false;
  isWithin = true;
  const unsigned long path = pathOfCalls();
  const bool isFirst = (lists || forks) && isNew(path);
  if (lists && isFirst) list(path);
  bool fails = forks ? isFirst && isCopy(path) : path == fault().number;
  fails = fails && !lists && !hasFailed.exchange(true);
  isWithin = false;
  return fails && (forks || leaveMark());
}

void* allocated(std::size_t size, std::size_t alignment) {
  if (openOnes.load() > 0 && (isDue("allocation") || isPathDue())) return nullptr;
  if (openCase.load() != nullptr && isDue("reading")) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

// As the C++ library does: calls the program's new handler.
void* allocatedOrThrown(std::size_t size, std::size_t alignment) {
  void* memory = allocated(size, alignment);
  if (memory != nullptr) return memory;
  if (const std::new_handler tell = std::get_new_handler()) tell();
  throw std::bad_alloc();
}

void* allocatedOrNull(std::size_t size, std::size_t alignment) noexcept try {
  return allocatedOrThrown(size, alignment);
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool isCase(const char* path) {
  const std::size_t length = std::strlen(path);
  return length > 5 && std::strcmp(path + length - 5, ".toml") == 0;
}

template <class Function>
Function* nextOne(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

// By which std::ifstream opens and closes.
FILE* fopen64(const char* path, const char* mode) {
  FILE* file = nextOne<FILE*(const char*, const char*)>("fopen64")(path, mode);
  if (file != nullptr && isCase(path)) openCase = file;
  return file;
}
int fclose(FILE* file) {
  FILE* closed = file;
  openCase.compare_exchange_strong(closed, nullptr);
  return nextOne<int(FILE*)>("fclose")(file);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags, mode);
}
ssize_t write(int descriptor, const void* bytes, size_t length) {
  bool fails = false;
  if (isOurs(descriptor)) length = lengthNow(length, fails);
  return fails ? -1 : ::syscall(SYS_write, descriptor, bytes, length);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t length, off_t at) {
  bool fails = false;
  if (isOurs(descriptor)) length = lengthNow(length, fails);
  return fails ? -1 : ::syscall(SYS_pwrite64, descriptor, bytes, length, at);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t length, off64_t at) {
  return pwrite(descriptor, bytes, length, at);
}
int fsync(int descriptor) {
  if (isOurs(descriptor) && failsNow("sync")) return -1;
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
int rename(const char* from, const char* to) noexcept {
  if (failsNow("rename")) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned flags) noexcept {
  if (failsNow("rename")) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, fromFolder, from, toFolder, to, flags));
}
int link(const char* from, const char* to) noexcept {
  if (failsNow("rename")) return -1;
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int close(int descriptor) {
  if (descriptor >= 0 && descriptor < mostFiles && ours[descriptor].exchange(false)) --openOnes;
  return static_cast<int>(::syscall(SYS_close, descriptor));
}

}  // extern "C"

void* operator new(std::size_t size) {
  return allocatedOrThrown(size, 1);
}
void* operator new[](std::size_t size) {
  return allocatedOrThrown(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocatedOrThrown(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocatedOrThrown(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocatedOrNull(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocatedOrNull(size, 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
