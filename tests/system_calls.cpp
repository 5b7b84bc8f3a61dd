// SPDX-License-Identifier: GPL-3.0-or-later
// The linker sends the calls here (--wrap).
#include "tests/system_calls.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdarg>
#include <utility>

namespace tessera {

namespace {

SystemCalls calls;

std::string pathOf(int descriptor) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored)
      .string();
}

bool fails(int error) {
  if (error != 0) errno = error;
  return error != 0;
}

}  // namespace

FailingCalls::FailingCalls(SystemCalls wanted) {
  calls = std::move(wanted);
}

FailingCalls::~FailingCalls() {
  calls = {};
}

}  // namespace tessera

// The names are the linker's.
// NOLINTBEGIN
extern "C" {

int __real_open(const char* path, int flags, ...);
ssize_t __real_pread(int descriptor, void* bytes, size_t length, off_t at);
ssize_t __real_write(int descriptor, const void* bytes, size_t length);
int __real_link(const char* from, const char* to);
int __real_flock(int descriptor, int operation);

int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  std::string name = path;
  if (tessera::calls.open && tessera::fails(tessera::calls.open(name, flags))) return -1;
  return __real_open(name.c_str(), flags, mode);
}
ssize_t __wrap_pread(int descriptor, void* bytes, size_t length, off_t at) {
  if (tessera::calls.read && tessera::fails(tessera::calls.read(tessera::pathOf(descriptor))))
    return -1;
  return __real_pread(descriptor, bytes, length, at);
}
ssize_t __wrap_write(int descriptor, const void* bytes, size_t length) {
  if (tessera::calls.write &&
      tessera::fails(tessera::calls.write(tessera::pathOf(descriptor), length)))
    return -1;
  return __real_write(descriptor, bytes, length);
}
int __wrap_link(const char* from, const char* to) {
  if (tessera::calls.link && tessera::fails(tessera::calls.link(from))) return -1;
  return __real_link(from, to);
}
int __wrap_flock(int descriptor, int operation) {
  if (tessera::calls.lock && tessera::fails(tessera::calls.lock(descriptor))) return -1;
  return __real_flock(descriptor, operation);
}

}  // extern "C"
// NOLINTEND
