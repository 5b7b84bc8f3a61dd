// SPDX-License-Identifier: GPL-3.0-or-later
// Write to a temporary file, sync, rename.
#include "pipelines/stage/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/abandoned_files.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

fs::path resolveTarget(const fs::path& named) {
  std::error_code ignored;
  fs::path target = followLink(named);
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) {
    fail(ExitCode::OutputFailed,
         fmt::format("{} is not a regular file and would be replaced; name a file for the output.",
                     target.string()));
  }
  return target;
}

// Result of a system call, repeated when a signal interrupts it.
template <class Call>
int uninterrupted(const Call& call) {
  int result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Gives the target a second name, replacing the file of that name. False if that fails: file
// systems without hard links report it in different ways.
bool linkAs(const fs::path& previous, const fs::path& target) {
  const fs::path between = temporaryName(target);
  ::unlink(between.c_str());
  if (::link(target.c_str(), between.c_str()) != 0) return false;
  const bool hasIt = ::rename(between.c_str(), previous.c_str()) == 0;
  ::unlink(between.c_str());  // remains if both names were one file before
  return hasIt;
}

// A failure is a warning: the new file matters more than the old one.
void keepAs(const fs::path& previous, const fs::path& target) {
  if (linkAs(previous, target) || ::rename(target.c_str(), previous.c_str()) == 0) return;
  if (errno == ENOENT) return;
  logWarning(fmt::format("{} is replaced, because {} cannot be written: {}", target.string(),
                         previous.string(), std::generic_category().message(errno)));
}

// Remedy for an errno.
std::string adviceOn(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "; make the folder first, or correct the name.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; ask for write permission there, or choose another folder for the output.";
    case ENAMETOOLONG:
      return "; choose a shorter name.";
    case EFBIG:
      return "; raise the limit on the size of files (ulimit -f), or choose another folder for the "
             "output.";
    default:
      return "; free space or choose another folder for the output.";
  }
}

}  // namespace

void failToWrite(const fs::path& target, int error) {
  std::string sentence = fmt::format("{} cannot be written: {}", target.string(),
                                     std::generic_category().message(error));
  struct statvfs space {};
  if (error != ENAMETOOLONG && statvfs(folderOf(target).c_str(), &space) == 0) {
    sentence += fmt::format(" ({} MiB free)", (space.f_bavail * space.f_frsize) >> 20U);
  }
  sentence += adviceOn(error);
  if (error == ENOSPC || error == EDQUOT) throw NoSpace(sentence);
  fail(ExitCode::OutputFailed, sentence);
}

fs::path followLink(fs::path target) {
  constexpr int mostLinks = 40;  // as Linux
  std::error_code error;
  for (int link = 0; link < mostLinks && fs::is_symlink(target, error); ++link) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;
  }
  return target;
}

void syncPath(const fs::path& path, const fs::path& target) {
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) failToWrite(target, errno);
  const int error = uninterrupted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder; the rename is valid anyway.
  if (error != 0 && error != EINVAL) failToWrite(target, error);
}

AtomicFile::AtomicFile(const fs::path& target) : target_(resolveTarget(target)) {
  removeAbandoned(target_);
  while (descriptor_ < 0) {
    temporary_ = temporaryName(target_);
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
    if (written == 0) failToWrite(target_, ENOSPC);  // otherwise endless
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

// The descriptor, and with it the lock, stays open until the file has its name. Synced is the file
// of the temporary name, which a library may have replaced.
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
  keepAs(previous, target_);
  renameAndSyncFolder();
}

void writeTextAtomically(const fs::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

}  // namespace tessera::stage
