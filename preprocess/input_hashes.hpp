// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes of the input files, found while they are processed.
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace tessera::preprocess {

class InputHashes {
 public:
  // inBackground: by a thread from now on; else, and where there are no more threads, by get().
  InputHashes(std::vector<std::filesystem::path> files, bool inBackground);
  InputHashes(const InputHashes&) = delete;
  InputHashes& operator=(const InputHashes&) = delete;
  // Stops within a megabyte, so that a refused file of many gigabytes is refused at once.
  ~InputHashes();
  // As stage::hashFile() of each file. Throws StageError(BadInput). At most once.
  const std::vector<std::string>& get();

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> hashes_;
  std::atomic<bool> isStopped_ = false;
  std::packaged_task<void()> task_;
  std::thread thread_;
};

}  // namespace tessera::preprocess
