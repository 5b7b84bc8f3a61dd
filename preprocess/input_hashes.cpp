// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/input_hashes.hpp"

#include <cstddef>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/hash.hpp"
#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::preprocess {
namespace {

// Hash of a whole file, or of its beginning when it is stopped.
std::string hashUntil(const std::filesystem::path& path, const std::atomic<bool>& isStopped) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    stage::fail(stage::ExitCode::BadInput,
                path.string() + " cannot be opened; check its name and permissions.");
  std::vector<char> buffer(std::size_t{1} << 20U);
  stage::Hasher hasher;
  while (file && !isStopped) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hasher.update(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(file.gcount()))));
  }
  if (file.bad())
    stage::fail(stage::ExitCode::BadInput, path.string() + " cannot be read; check its disk.");
  return stage::toHex(hasher.digest());
}

}  // namespace

InputHashes::InputHashes(std::vector<std::filesystem::path> files, bool inBackground)
    : files_(std::move(files)), hashes_(files_.size()), task_([this] {
        for (std::size_t k = 0; k < files_.size() && !isStopped_; ++k)
          hashes_[k] = hashUntil(files_[k], isStopped_);
      }) {
  if (!inBackground) return;
  try {
    thread_ = stage::threadWithoutSignals([this] { task_(); });
  } catch (const std::system_error&) {  // no more threads: found when they are asked for
  }
}

InputHashes::~InputHashes() {
  isStopped_ = true;
  if (thread_.joinable()) thread_.join();
}

const std::vector<std::string>& InputHashes::get() {
  if (thread_.joinable())
    thread_.join();
  else
    task_();
  task_.get_future().get();
  return hashes_;
}

}  // namespace tessera::preprocess
