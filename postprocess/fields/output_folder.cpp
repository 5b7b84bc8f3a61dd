// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/output_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/abandoned_files.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::fields {

namespace {

namespace fs = std::filesystem;

constexpr const char* listName = ".results";

std::set<std::string> namesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

bool isRegular(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(file, ignored));
}

// The list marks a folder of results; in those of version 0.1, which may have none, the summary's
// first key does.
bool isMarked(const fs::path& folder) {
  if (isRegular(folder / listName)) return true;
  if (!isRegular(folder / "summary.json")) return false;
  std::string begin(64, '\0');
  std::ifstream(folder / "summary.json").read(begin.data(), 64);
  return begin.starts_with("{") && begin.find("\"schema_version\"") != std::string::npos;
}

std::set<std::string> listedIn(const fs::path& folder) {
  std::set<std::string> names{listName};
  std::ifstream list(folder / listName);
  for (std::string name; std::getline(list, name);) names.insert(name);
  return names;
}

// Links a file into the new folder; symbolic links as such.
void keepFile(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  if (::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST || errno == ENOENT) return;
  fs::copy(from, to, fs::copy_options::copy_symlinks);
  if (fs::is_regular_file(fs::symlink_status(to))) stage::syncPath(to, to);
}

void syncFolders(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (fs::is_directory(entry.symlink_status())) stage::syncPath(entry.path(), entry.path());
}

// Lists the folder's own files in .results, one path per line. Throws StageError(OutputFailed).
void listResults(const fs::path& folder) {
  std::string list;
  for (const std::string& name : namesIn(folder)) list += name + "\n";
  stage::writeTextAtomically(folder / listName, list);
}

// Keeps the user's files in a folder of results: everything in the old folder (if any) that is
// neither on its list (without a list: everything) nor in the new folder is hard-linked into the
// new one, or copied without hard links. Throws StageError(OutputFailed); the old folder is not
// changed.
void keepOthers(const fs::path& old, const fs::path& fresh) try {
  if (!fs::exists(old)) return;
  const std::set<std::string> listed = listedIn(old);
  for (const std::string& name : namesIn(old)) {
    if (listed.contains(name)) continue;
    if (fs::is_directory(fs::symlink_status(old / name)))
      fs::create_directories(fresh / name);
    else
      keepFile(old / name, fresh / name);
  }
  syncFolders(fresh);
} catch (const fs::filesystem_error& error) {
  stage::failToWrite(error.path1(), error.code().value());
}

namespace fs = std::filesystem;

constexpr std::string_view asideEnding = ".old";  // appended to the temporary name

// Locks the summary of old results that are being replaced; the lock ends with its process.
int lockSummary(const fs::path& results, int how) {
  const int descriptor = ::open((results / "summary.json").c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0 || ::flock(descriptor, how) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

// Restores old results to their name, or removes them if newer ones have it or they are incomplete.
void settle(const fs::path& aside, const fs::path& target) {
  std::error_code ignored;
  const bool replaced = fs::exists(target / "summary.json", ignored);
  const bool whole = fs::exists(aside / "summary.json", ignored);
  const int held = whole ? lockSummary(aside, LOCK_EX | LOCK_NB) : -1;
  // Still in use, or locks do not work here and ownership is unknown.
  if (whole && held < 0) return;
  if (!replaced && whole) fs::rename(aside, target, ignored);
  if (held >= 0) ::close(held);
  if (replaced) fs::remove_all(aside, ignored);  // on NFS an open file would keep its folder
}

// Results that killed jobs had moved aside.
void settleAside(const fs::path& target) noexcept try {
  const std::string targetName = target.filename().string();
  for (const auto& entry : fs::directory_iterator(target.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(asideEnding) &&
        stage::isTemporaryOf(targetName, name.substr(0, name.size() - asideEnding.size())))
      settle(entry.path(), target);
  }
} catch (...) {
  // No such folder, or no memory for a name: they stay until the next run.
}

// Fallback where two folders cannot be exchanged atomically: moves the old one aside first.
void moveInto(const fs::path& target, const fs::path& temporary) {
  const fs::path aside = temporary.string() + std::string(asideEnding);
  const int held = lockSummary(target, LOCK_EX);
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
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("{} is a file, but the results are a folder; name another output with -o",
                    target.string()));
  if (fs::is_empty(target, error) || isMarked(target)) return;
  stage::fail(stage::ExitCode::Usage,
              fmt::format("{} contains other files (no list {} of results), so it is not a folder "
                          "of results; name a new folder with -o",
                          target.string(), listName));
}

OutputFolder::OutputFolder(const fs::path& target) : given_(target), target_(fs::absolute(target)) {
  target_ = target_.lexically_normal();
  if (!target_.has_filename()) target_ = target_.parent_path();
  check(target_);
  // A symbolic link stays; its target is replaced.
  std::error_code error;
  if (fs::is_symlink(target_, error)) target_ = fs::canonical(target_);
  settleAside(target_);
  stage::removeAbandoned(target_);
  while (!isHeld()) {
  }
}

// False if the name is taken, or another process took the folder for abandoned.
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
  ::close(lock_);  // first: where descriptors are few, the removal needs it
  fs::remove_all(temporary_, ignored);
}

// The sentence with the target's name in place of the temporary folder's.
std::string OutputFolder::byTarget(std::string sentence) const {
  const std::string temporary = temporary_.string();
  const std::string target =
      given_.has_filename() ? given_.string() : given_.parent_path().string();
  for (std::size_t at = 0; (at = sentence.find(temporary, at)) != sentence.npos;
       at += target.size())
    sentence.replace(at, temporary.size(), target);
  return sentence;
}

void OutputFolder::write(const std::function<void(const fs::path&)>& files) try {
  files(temporary_);
  commit();
} catch (const fs::filesystem_error& error) {
  stage::failToWrite(byTarget(error.path1().string()), error.code().value());
} catch (const stage::NoSpace& error) {
  throw stage::NoSpace(byTarget(error.what()));
} catch (const stage::StageError& error) {
  throw stage::StageError(error.code(), byTarget(error.what()));
}

void OutputFolder::commit() {
  listResults(temporary_);
  for (const auto& entry : fs::recursive_directory_iterator(temporary_))
    stage::syncPath(entry.path(), target_ / entry.path().lexically_relative(temporary_));
  keepOthers(target_, temporary_);
  stage::syncPath(temporary_, target_);
  // Exchanges old and new results atomically; the destructor removes the old ones.
  const bool swapped =
      ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0;
  if (!swapped) moveInto(target_, temporary_);
  stage::syncPath(target_.parent_path(), target_);
}

}  // namespace tessera::postprocess::fields
