// SPDX-License-Identifier: GPL-3.0-or-later
// A result folder that appears completely: written under a temporary name next to its target, then
// exchanged with it. On failure the old folder stays as it was; files that the user put into it are
// kept.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tessera::postprocess::fields {

class OutputFolder {
 public:
  // Refuses an existing target unless it is empty or a result folder (with a list .results). Called
  // before any work. Throws StageError(Usage).
  static void check(const std::filesystem::path& target);

  // Checks, removes abandoned folders of this target and creates the temporary folder. Throws
  // StageError(Usage) or (OutputFailed).
  explicit OutputFolder(const std::filesystem::path& target);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  // Removes the temporary folder, with its content.
  ~OutputFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  // files(path()), then commit(); sentences of errors name files by the target. Throws
  // StageError(OutputFailed), or as files() does.
  void write(const std::function<void(const std::filesystem::path&)>& files);
  // Syncs every file, keeps the user's files and swaps
  // the folder into place. Throws StageError(OutputFailed).
  void commit();

 private:
  bool isHeld();
  [[nodiscard]] std::string byTarget(std::string sentence) const;
  std::filesystem::path given_;  // target_ as the user wrote it
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int lock_ = -1;  // lock on the temporary folder
};

}  // namespace tessera::postprocess::fields
