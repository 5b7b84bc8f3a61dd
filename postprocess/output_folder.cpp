// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/output_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "pipelines/stage/abandoned_files.hpp"
#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/error.hpp"

namespace tessera {

namespace fs = std::filesystem;

void OutputFolder::check(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return;
  if (!fs::is_directory(target, error))
    fail(ExitCode::Usage, target.string() +
                              " is a file, but the results are a folder; name "
                              "another output with -o");
  if (fs::is_empty(target, error) || fs::exists(target / "summary.json", error)) return;
  fail(ExitCode::Usage, target.string() +
                            " holds other things (no summary.json in it) and would "
                            "be replaced as a whole; name a new folder with -o");
}

OutputFolder::OutputFolder(const fs::path& target) : target_(fs::absolute(target)) {
  target_ = target_.lexically_normal();
  if (!target_.has_filename()) target_ = target_.parent_path();
  check(target_);
  // A link keeps pointing where it did: what it points to is replaced.
  std::error_code error;
  if (fs::is_symlink(target_, error)) target_ = fs::canonical(target_);
  removeAbandoned(target_);
  while (!isHeld()) {
  }
}

// False when the name is taken, or somebody took the folder for an abandoned one.
bool OutputFolder::isHeld() {
  temporary_ = temporaryName(target_);
  if (::mkdir(temporary_.c_str(), 0777) != 0) {
    if (errno == EEXIST) return false;
    failToWrite(target_, errno);
  }
  lock_ = ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) {
    const int reason = errno;
    ::rmdir(temporary_.c_str());
    if (reason == ENOENT) return false;
    failToWrite(target_, reason);
  }
  if (keepFromRemoval(lock_)) return true;
  ::close(lock_);
  return false;
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  ::close(lock_);
}

void OutputFolder::commit() {
  for (const auto& entry : fs::recursive_directory_iterator(temporary_))
    syncPath(entry.path(), entry.path());
  syncPath(temporary_, temporary_);
  // The old results and the new ones change places in one step; the destructor removes the old.
  const bool swapped =
      ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0;
  if (!swapped) {
    // Nothing there yet, or a file system that cannot exchange: move the old folder aside first.
    const fs::path aside = temporary_.string() + std::string(asideEnding);
    const bool hadOld = ::rename(target_.c_str(), aside.c_str()) == 0;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
      const int reason = errno;
      if (hadOld) ::rename(aside.c_str(), target_.c_str());
      failToWrite(target_, reason);
    }
    std::error_code ignored;
    fs::remove_all(aside, ignored);
  }
  syncPath(target_.parent_path(), target_.parent_path());
}

}  // namespace tessera
