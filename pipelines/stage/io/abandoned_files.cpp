// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/abandoned_files.hpp"
#include "pipelines/stage/text.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace tessera::stage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".part";
std::atomic<unsigned> names{0};

// NFS locks only files opened for writing; a folder cannot be opened so.
int openToLock(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  return descriptor >= 0 ? descriptor
                         : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
}

void removeIfNobodys(const fs::path& path) {
  const int descriptor = openToLock(path);
  if (descriptor < 0) return;
  // Without working locks ownership is unknown, so nothing is removed.
  std::error_code ignored;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
  ::close(descriptor);
}

}  // namespace

fs::path temporaryName(const fs::path& target) {
  return fmt::format("{}.{}-{}{}", target.string(), ::getpid(), names++, ending);
}

bool isTemporaryOf(std::string_view target, std::string_view name) {
  if (name.size() <= target.size() + 1 + ending.size() || !name.starts_with(target) ||
      name[target.size()] != '.' || !name.ends_with(ending))
    return false;
  name.remove_prefix(target.size() + 1);
  name.remove_suffix(ending.size());
  return name.find('-') != std::string_view::npos &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

void removeAbandoned(const fs::path& target) noexcept try {
  const std::string name = target.filename().string();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  // Not increment(error_code&): it ends the program if there is no memory for a name.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (isTemporaryOf(name, entry.path().filename().string())) removeIfNobodys(entry.path());
} catch (...) {
  // No such folder, or no memory for a name: the files stay until the next run.
}

bool keepFromRemoval(int descriptor) noexcept {
  while (::flock(descriptor, LOCK_EX) != 0)
    if (errno != EINTR) return true;  // no locks on this file system, hence no removal
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

}  // namespace tessera::stage
