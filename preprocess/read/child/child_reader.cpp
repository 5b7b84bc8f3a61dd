// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/child/child_reader.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::read {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr std::size_t mostText = 1024;
constexpr std::size_t bufferSize = std::size_t{1} << 16U;

// Whether a text is UTF-8 without control characters beyond ASCII (U+0080 to U+009F).
bool isPlainUtf8(const std::string& text) {
  const auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byteAt(i);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byteAt(i + k) & 0xc0U) != 0x80U) return false;
    const unsigned second = length > 1 ? byteAt(i + 1) : 0;
    const bool isOverlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool isNoCharacter =
        (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
    if (isOverlong || isNoCharacter || (first == 0xc2 && second < 0xa0)) return false;
    i += length;
  }
  return true;
}

void cleanText(std::string& text) {
  const bool keepsBeyondAscii = isPlainUtf8(text);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !keepsBeyondAscii)) c = '?';
  }
}

// Descriptor of a file in memory with the words, each ended by a zero byte; -1 if that fails.
int describe(const std::vector<std::string>& words) {
  const int file = ::memfd_create("tessera-task", MFD_CLOEXEC);
  if (file < 0) return -1;
  std::string all;
  for (const std::string& word : words) all.append(word).push_back('\0');
  const char* at = all.data();
  for (std::size_t left = all.size(); left > 0;) {
    const ssize_t count = ::write(file, at, left);
    if (count <= 0) {
      ::close(file);
      return -1;
    }
    at += count;
    left -= static_cast<std::size_t>(count);
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

// Starts a program with its standard input, its pipe, and nothing else; an errno.
int spawn(const std::string& path, const std::vector<std::string>& arguments, int input, int pipe,
          pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawn_file_actions_adddup2(&actions, pipe, childPipe);
  ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  for (const int stream : {1, 2})  // libraries print
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int error =
      ::posix_spawn(&process, path.c_str(), &actions, &attributes, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

ChildLimits limitsOfFiles(std::uint64_t largest, std::uint64_t all) {
  constexpr std::uint64_t base = std::uint64_t{512} << 20U;
  constexpr std::uint64_t most = std::uint64_t{1} << 50U;
  ChildLimits limits;
  limits.memory = std::min(base + 64 * std::min(largest, most), stage::availableMemory());
  limits.seconds = 10 + std::min(all, most) / 1'000'000;
  limits.patience = 60 + 10 * limits.seconds;
  return limits;
}

ChildReader::ChildReader(const ChildProgram& program, const std::string& mode,
                         const std::vector<std::string>& words, const ChildLimits& limits,
                         std::string name)
    : program_(program),
      limits_(limits),
      name_(std::move(name)),
      deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(limits.patience)) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::filesystem::path path = folder / program_.program;
  if (::access(path.c_str(), X_OK) != 0)
    fail(ExitCode::BadInput,
         fmt::format("{} is read by {}, which is not in {}; it is built where {} is found: install "
                     "the package {} and build again, or convert the file to another format.",
                     name_, program_.program, folder.string(), program_.library, program_.package));
  start(path,
        {mode, std::to_string(::getpid()), std::to_string(limits.memory),
         std::to_string(limits.seconds)},
        words);
}

ChildReader::ChildReader(const ChildProgram& program, int messages, std::string name)
    : program_(program),
      limits_{0, 0, 60},
      name_(std::move(name)),
      deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(limits_.patience)),
      pipe_(messages) {}

void ChildReader::start(const std::filesystem::path& path,
                        const std::vector<std::string>& arguments,
                        const std::vector<std::string>& words) {
  int ends[2] = {-1, -1};
  const int task = describe(words);
  int error = task < 0 || ::pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
  // Above the numbers that the child gets, so that none is overwritten before it is copied.
  const auto raise = [&](int& descriptor) {
    const int high = ::fcntl(descriptor, F_DUPFD_CLOEXEC, childPipe + 1);
    if (high < 0) error = errno;
    ::close(descriptor);
    descriptor = high;
  };
  int input = task;
  if (error == 0) raise(input);
  if (error == 0) raise(ends[1]);
  if (error == 0) error = spawn(path.string(), arguments, input, ends[1], process_);
  for (const int descriptor : {input, ends[1]})
    if (descriptor >= 0) ::close(descriptor);
  pipe_ = ends[0];
  if (error == 0) return;
  process_ = -1;
  if (pipe_ >= 0) ::close(pipe_);
  fail(ExitCode::NoResource,
       fmt::format("{} cannot be started to read {} ({}); allow more processes and memory.",
                   program_.program, name_, std::strerror(error)));
}

ChildReader::~ChildReader() {
  if (pipe_ >= 0) ::close(pipe_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  reap();
}

int ChildReader::reap() {
  int status = 0;
  if (process_ < 0) return status;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

std::string ChildReader::sentenceOf(const std::string& complaint) const {
  return fmt::format(
      "{} cannot be read by {} ({}); it is damaged or of another kind: export it "
      "again, or convert it to another format.",
      name_, program_.library, complaint);
}

void ChildReader::refuse(const std::string& complaint) const {
  fail(ExitCode::BadInput, sentenceOf(complaint));
}

void ChildReader::refuseFile(const std::string& complaint, bool tookTooLong) const {
  throw UnreadableFile(sentenceOf(complaint), complaint, tookTooLong);
}

void ChildReader::waitForBytes() {
  using std::chrono::milliseconds;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left <= milliseconds(0))
      refuse(fmt::format("the reader took more than {} s", limits_.patience));
    pollfd wait{pipe_, POLLIN, 0};
    constexpr std::int64_t longest = 1'000'000;
    const int ready =
        ::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left.count() + 1, longest)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) refuse("waiting for the reader failed");
  }
}

void ChildReader::refuseEnd() {
  const int status = reap();
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::NoResource))
    refuseFile(fmt::format("the reader needs more than {} of memory",
                           stage::formatBytes(static_cast<double>(limits_.memory))));
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU)
      refuseFile(fmt::format("the reader took more than {} s of processor time", limits_.seconds),
                 true);
    refuseFile(fmt::format("the reader crashed with signal {}", signal));
  }
  refuseFile("the reader ended too early");
}

std::size_t ChildReader::readSome(char* target, std::size_t most) {
  for (;;) {
    waitForBytes();
    const ssize_t count = ::read(pipe_, target, most);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0 || errno != EINTR) refuseEnd();
  }
}

void ChildReader::bytes(void* target, std::size_t size) {
  char* to = static_cast<char*>(target);
  while (size > 0) {
    if (at_ == buffer_.size() && size < bufferSize) {
      buffer_.resize(bufferSize);
      at_ = buffer_.size();  // nothing in it, should the next line throw
      buffer_.resize(readSome(buffer_.data(), bufferSize));
      at_ = 0;
    }
    std::size_t part = std::min(size, buffer_.size() - at_);
    if (part > 0) {
      std::memcpy(to, buffer_.data() + at_, part);
      at_ += part;
    } else {
      part = readSome(to, size);
    }
    to += part;
    size -= part;
  }
}

ChildMessage ChildReader::message() {
  if (!hasBegun_ && number() != childMagic) refuse("the reader's messages are damaged");
  hasBegun_ = true;
  const auto kind = static_cast<ChildMessage>(number());
  if (kind == ChildMessage::Refusal) refuse(stage::withoutStop(text()));
  return kind;
}

std::uint32_t ChildReader::number() {
  std::uint32_t value = 0;
  bytes(&value, sizeof value);
  return value;
}

double ChildReader::real() {
  double value = 0.0;
  bytes(&value, sizeof value);
  return value;
}

std::string ChildReader::text() {
  const std::size_t size = number();
  if (size > mostText) refuse("the reader's messages are damaged");
  std::string text(size, '\0');
  bytes(text.data(), size);
  cleanText(text);
  return text;
}

void ChildReader::finish() {
  if (message() != ChildMessage::End) refuse("the reader's messages are damaged");
}

}  // namespace tessera::preprocess::read
