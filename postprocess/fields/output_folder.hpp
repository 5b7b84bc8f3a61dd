// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of results that appears whole: written beside its target under a temporary name, then
// put in the target's place. On any failure the old folder stays as it was; what is not of older
// results in it, but was put there by the user, is in the new one as well.
#pragma once

#include <filesystem>

namespace tessera::postprocess::fields {

class OutputFolder {
 public:
  // An existing target is only ever replaced when it is empty or one of ours (holds summary.json);
  // anything else is refused. For a call before any work. Throws StageError(Usage).
  static void check(const std::filesystem::path& target);

  // Checks, removes what killed jobs left of this target and creates the temporary folder. Throws
  // StageError(Usage) or (OutputFailed).
  explicit OutputFolder(const std::filesystem::path& target);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  // Removes the temporary folder, whatever it then holds.
  ~OutputFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  // Syncs every file, takes over what the user put into the old folder (kept_files.hpp) and swaps
  // the folder into place. Throws StageError(OutputFailed).
  void commit();

 private:
  bool isHeld();
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int lock_ = -1;  // on the folder that is written
};

}  // namespace tessera::postprocess::fields
