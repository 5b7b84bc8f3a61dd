// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/child/confined.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::read {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool isSanitized = true;  // sanitizers reserve terabytes of address space
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif
#else
constexpr bool isSanitized = false;
#endif

[[noreturn]] void leave(stage::ExitCode code) {
  std::_Exit(static_cast<int>(code));
}

// Lowers a limit; one that is lower already, such as a batch system's, stays.
void limit(__rlimit_resource resource, std::uint64_t most, std::uint64_t hard) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) != 0) leave(stage::ExitCode::RunFailed);
  limits.rlim_max = std::min<rlim_t>(limits.rlim_max, hard);
  limits.rlim_cur = std::min<rlim_t>(limits.rlim_max, std::min<rlim_t>(limits.rlim_cur, most));
  if (::setrlimit(resource, &limits) != 0) leave(stage::ExitCode::RunFailed);
}

void limit(__rlimit_resource resource, std::uint64_t most) {
  limit(resource, most, most);
}

void closeOthers() {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, childPipe + 1, ~0U, 0) == 0) return;
#endif
  const long most = ::sysconf(_SC_OPEN_MAX);
  for (int descriptor = childPipe + 1; descriptor < most; ++descriptor) ::close(descriptor);
}

void confine(pid_t parent, std::uint64_t memory, std::uint64_t seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) leave(stage::ExitCode::RunFailed);  // it ended before that
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  closeOthers();
  if (!isSanitized) limit(RLIMIT_AS, memory);
  limit(RLIMIT_CPU, seconds, seconds + 1);  // SIGXCPU first, which says why
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_NOFILE, 16);
}

std::uint64_t numberOf(const char* text) {
  std::uint64_t value = 0;
  const char* end = text + std::strlen(text);
  if (std::from_chars(text, end, value).ptr != end) leave(stage::ExitCode::Usage);
  return value;
}

// Words on standard input, each ended by a zero byte.
std::vector<std::string> readWords() {
  std::string all;
  char part[1 << 16];
  for (ssize_t count = 0; (count = ::read(0, part, sizeof part)) != 0;) {
    if (count < 0 && errno != EINTR) leave(stage::ExitCode::RunFailed);
    if (count > 0) all.append(part, static_cast<std::size_t>(count));
  }
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

void ChildWriter::text(std::string_view text) {
  text = text.substr(0, 1024);
  number(static_cast<std::uint32_t>(text.size()));
  bytes(text.data(), text.size());
}

void ChildWriter::bytes(const void* data, std::size_t size) {
  buffer_.append(static_cast<const char*>(data), size);
  if (buffer_.size() >= std::size_t{1} << 16U) flush();
}

void ChildWriter::flush() {
  const char* at = buffer_.data();
  for (std::size_t left = buffer_.size(); left > 0;) {
    const ssize_t count = ::write(childPipe, at, left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) leave(stage::ExitCode::OutputFailed);
    at += count;
    left -= static_cast<std::size_t>(count);
  }
  buffer_.clear();
}

void runConfined(int argc, char** argv,
                 const std::function<void(const ChildTask&, ChildWriter&)>& body) {
  if (argc != 5) {
    std::fprintf(stderr, "%s: it is run by tessera-preprocess; give the file to that program.\n",
                 argc > 0 ? argv[0] : "");
    leave(stage::ExitCode::Usage);
  }
  confine(static_cast<pid_t>(numberOf(argv[2])), numberOf(argv[3]), numberOf(argv[4]));
  ChildWriter writer;
  const auto refuse = [&](const char* sentence) {
    writer.begin(ChildMessage::Refusal);
    writer.text(sentence);
  };
  try {
    writer.number(childMagic);
    body({argv[1], readWords()}, writer);
    writer.begin(ChildMessage::End);
    writer.flush();
    leave(stage::ExitCode::Done);
  } catch (const std::bad_alloc&) {
    leave(stage::ExitCode::NoResource);
  } catch (const std::exception& error) {
    refuse(error.what());
  } catch (...) {
    refuse("an unknown error");
  }
  writer.flush();
  leave(stage::ExitCode::BadInput);
}

}  // namespace tessera::preprocess::read
