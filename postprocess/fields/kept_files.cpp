// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/kept_files.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <string>

#include "pipelines/stage/io/atomic_file.hpp"

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

std::set<std::string> listedIn(const fs::path& folder) {
  std::set<std::string> names{listName};
  std::ifstream list(folder / listName);
  for (std::string name; std::getline(list, name);) names.insert(name);
  return names;
}

// A link itself, not what it points to.
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

}  // namespace

void listResults(const fs::path& folder) {
  std::string list;
  for (const std::string& name : namesIn(folder)) list += name + "\n";
  stage::writeTextAtomically(folder / listName, list);
}

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

}  // namespace tessera::postprocess::fields
