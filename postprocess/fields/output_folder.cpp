// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/output_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/abandoned_files.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "postprocess/fields/kept_files.hpp"

namespace tessera::postprocess::fields {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view asideEnding = ".old";  // after the temporary name

// Old results on their way out are held by a lock on their summary, which ends with its process.
int hold(const fs::path& results, int how) {
  const int descriptor = ::open((results / "summary.json").c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0 || ::flock(descriptor, how) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

// They get their name again, or go when newer ones have it or they have gone in part.
void settle(const fs::path& aside, const fs::path& target) {
  std::error_code ignored;
  const bool replaced = fs::exists(target / "summary.json", ignored);
  const bool whole = fs::exists(aside / "summary.json", ignored);
  const int held = whole ? hold(aside, LOCK_EX | LOCK_NB) : -1;
  // Somebody's still; or there are no locks here, and nothing can be told.
  if (whole && held < 0) return;
  if (!replaced && whole) fs::rename(aside, target, ignored);
  if (held >= 0) ::close(held);
  if (replaced) fs::remove_all(aside, ignored);  // on NFS what is open would keep its folder
}

// Of jobs that were killed while they had older results aside.
void settleAside(const fs::path& target) noexcept try {
  const std::string targetName = target.filename().string();
  for (const auto& entry : fs::directory_iterator(target.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(asideEnding) &&
        stage::isTemporaryOf(targetName, name.substr(0, name.size() - asideEnding.size())))
      settle(entry.path(), target);
  }
} catch (...) {
  // No such folder, or no memory for a name: they stay until the next time.
}

// Where two folders cannot be exchanged in one step the old one is moved aside first.
void moveInto(const fs::path& target, const fs::path& temporary) {
  const fs::path aside = temporary.string() + std::string(asideEnding);
  const int held = hold(target, LOCK_EX);
  const bool hadOld = ::rename(target.c_str(), aside.c_str()) == 0;
  const int reason = ::rename(temporary.c_str(), target.c_str()) == 0 ? 0 : errno;
  if (reason != 0 && hadOld) ::rename(aside.c_str(), target.c_str());
  if (held >= 0) ::close(held);
  if (reason != 0) stage::failToWrite(target, reason);
  std::error_code ignored;
  fs::remove_all(aside, ignored);  // closed, as in settle()
}

}  // namespace

void OutputFolder::check(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return;
  if (!fs::is_directory(target, error))
    stage::fail(stage::ExitCode::Usage, target.string() +
                                            " is a file, but the results are a folder; name "
                                            "another output with -o");
  if (fs::is_empty(target, error) || fs::exists(target / "summary.json", error)) return;
  stage::fail(stage::ExitCode::Usage,
              target.string() +
                  " holds other things (no summary.json in it), so it is no folder of "
                  "results; name a new folder with -o");
}

OutputFolder::OutputFolder(const fs::path& target) : target_(fs::absolute(target)) {
  target_ = target_.lexically_normal();
  if (!target_.has_filename()) target_ = target_.parent_path();
  check(target_);
  // A link keeps pointing where it did: what it points to is replaced.
  std::error_code error;
  if (fs::is_symlink(target_, error)) target_ = fs::canonical(target_);
  settleAside(target_);
  stage::removeAbandoned(target_);
  while (!isHeld()) {
  }
}

// False when the name is taken, or somebody took the folder for an abandoned one.
bool OutputFolder::isHeld() {
  temporary_ = stage::temporaryName(target_);
  if (::mkdir(temporary_.c_str(), 0777) != 0) {
    if (errno == EEXIST) return false;
    stage::failToWrite(target_, errno);
  }
  lock_ = ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) {
    const int reason = errno;
    ::rmdir(temporary_.c_str());
    if (reason == ENOENT) return false;
    stage::failToWrite(target_, reason);
  }
  if (stage::keepFromRemoval(lock_)) return true;
  ::close(lock_);
  return false;
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  ::close(lock_);
}

void OutputFolder::commit() {
  listResults(temporary_);
  for (const auto& entry : fs::recursive_directory_iterator(temporary_))
    stage::syncPath(entry.path(), entry.path());
  keepOthers(target_, temporary_);
  stage::syncPath(temporary_, temporary_);
  // The old results and the new ones change places in one step; the destructor removes the old.
  const bool swapped =
      ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0;
  if (!swapped) moveInto(target_, temporary_);
  stage::syncPath(target_.parent_path(), target_.parent_path());
}

}  // namespace tessera::postprocess::fields
