// SPDX-License-Identifier: GPL-3.0-or-later
// Write beside, sync, rename.
#include "pipelines/stage/atomic_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

[[noreturn]] void failToWrite(const fs::path& target, int error) {
  std::string sentence =
      target.string() + " cannot be written: " + std::generic_category().message(error);
  struct statvfs space {};
  if (statvfs(folderOf(target).c_str(), &space) == 0) {
    sentence += " (" + std::to_string((space.f_bavail * space.f_frsize) >> 20U) + " MiB free)";
  }
  fail(ExitCode::OutputFailed, sentence + "; free space or choose another place for the output.");
}

// A link is followed, so that the file it names is replaced and not the link.
fs::path resolveTarget(fs::path target) {
  std::error_code ignored;
  if (fs::is_symlink(target, ignored)) {
    const fs::path resolved = fs::weakly_canonical(target, ignored);
    if (!ignored) target = resolved;
  }
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) {
    fail(ExitCode::OutputFailed, target.string() +
                                     " is not a regular file and would be replaced; name a file "
                                     "for the output.");
  }
  return target;
}

void syncPath(const fs::path& path, const fs::path& target) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) failToWrite(target, errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder; the rename stands all the same.
  if (error != 0 && error != EINVAL) failToWrite(target, error);
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(resolveTarget(std::move(target))) {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = target_;
    temporary_ += "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".part";
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) failToWrite(target_, errno);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      failToWrite(target_, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::commit() {
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) failToWrite(target_, errno);
  syncPath(temporary_, target_);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) failToWrite(target_, errno);
  committed_ = true;
  syncPath(folderOf(target_), target_);
}

void writeTextAtomically(const fs::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

}  // namespace tessera
