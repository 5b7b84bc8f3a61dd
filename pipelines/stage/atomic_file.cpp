// SPDX-License-Identifier: GPL-3.0-or-later
// Write beside, sync, rename.
#include "pipelines/stage/atomic_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "pipelines/stage/abandoned_files.hpp"
#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
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

// The result of a call that a signal may interrupt.
template <class Call>
int uninterrupted(const Call& call) {
  int result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Gives the target a second name, in place of what had it. A file system without hard links is
// told by false.
bool linkAs(const fs::path& previous, const fs::path& target) {
  const fs::path between = temporaryName(target, -1);
  ::unlink(between.c_str());
  if (::link(target.c_str(), between.c_str()) != 0) {
    if (errno == ENOENT) return true;  // nothing there yet
    if (errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK) return false;
    failToWrite(previous, errno);
  }
  const int error = ::rename(between.c_str(), previous.c_str()) == 0 ? 0 : errno;
  ::unlink(between.c_str());  // still there when both names were one file's already
  if (error != 0) failToWrite(previous, error);
  return true;
}

// What a person does about it.
std::string adviceOn(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "; make the folder first, or correct the name.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; ask for the right to write there, or choose another place for the output.";
    case ENAMETOOLONG:
      return "; choose a shorter name.";
    default:
      return "; free space or choose another place for the output.";
  }
}

}  // namespace

void failToWrite(const fs::path& target, int error) {
  std::string sentence =
      target.string() + " cannot be written: " + std::generic_category().message(error);
  struct statvfs space {};
  if (error != ENAMETOOLONG && statvfs(folderOf(target).c_str(), &space) == 0) {
    sentence += " (" + std::to_string((space.f_bavail * space.f_frsize) >> 20U) + " MiB free)";
  }
  fail(ExitCode::OutputFailed, sentence + adviceOn(error));
}

void syncPath(const fs::path& path, const fs::path& target) {
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) failToWrite(target, errno);
  const int error = uninterrupted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder; the rename stands all the same.
  if (error != 0 && error != EINVAL) failToWrite(target, error);
}

AtomicFile::AtomicFile(fs::path target) : target_(resolveTarget(std::move(target))) {
  removeAbandoned(target_);
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = temporaryName(target_, attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) failToWrite(target_, errno);
    if (descriptor_ < 0 || keepFromRemoval(descriptor_)) continue;
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      failToWrite(target_, errno);
    }
    if (written == 0) failToWrite(target_, ENOSPC);  // it would go on for ever
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

// The descriptor, and with it the lock, is kept until the file has its name. What is synced is the
// file that has the temporary name, which a library may have put there.
void AtomicFile::renameAndSyncFolder() {
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) failToWrite(target_, errno);
  committed_ = true;
  ::close(descriptor_);
  descriptor_ = -1;
  syncPath(folderOf(target_), target_);
}

void AtomicFile::commit() {
  syncPath(temporary_, target_);
  renameAndSyncFolder();
}

void AtomicFile::commitKeeping(const fs::path& previous) {
  syncPath(temporary_, target_);
  if (!linkAs(previous, target_) && ::rename(target_.c_str(), previous.c_str()) != 0)
    failToWrite(previous, errno);
  renameAndSyncFolder();
}

void writeTextAtomically(const fs::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

}  // namespace tessera
