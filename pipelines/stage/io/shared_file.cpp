// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/shared_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {

namespace {

std::filesystem::path nameFromFirst(Processes& processes, const std::string& own) {
  const Message name = processes.allGather(std::as_bytes(std::span(own))).front();
  return std::string(reinterpret_cast<const char*>(name.data()), name.size());
}

}  // namespace

SharedFile::SharedFile(std::filesystem::path target, Processes& processes)
    : target_(std::move(target)), processes_(processes) {
  together(processes_, [&] {
    if (processes_.rank() == 0) file_ = std::make_unique<AtomicFile>(target_);
  });
  const auto name = nameFromFirst(processes_, file_ ? file_->temporaryPath().string() : "");
  try {
    together(processes_, [&] {
      do descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
      while (descriptor_ < 0 && errno == EINTR);
      if (descriptor_ < 0) failToWrite(target_, errno);
      requireNew();
    });
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

// Inode numbers do not help: some file systems number them per machine.
void SharedFile::requireNew() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) failToWrite(target_, errno);
  if (status.st_size == 0) return;
  fail(ExitCode::OutputFailed,
       fmt::format("{} cannot be written: its temporary file is a different file here; put it on a "
                   "file system that all machines share",
                   target_.string()));
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedFile::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) failToWrite(target_, written < 0 ? errno : ENOSPC);
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// Local: bytes written over a network are cached in this machine's memory.
void SharedFile::sync() {
  int result = 0;
  do result = ::fsync(descriptor_);
  while (result != 0 && errno == EINTR);
  if (result != 0) failToWrite(target_, errno);
}

void SharedFile::commit(const std::optional<std::filesystem::path>& previous) {
  together(processes_, [&] {
    sync();
    if (::close(std::exchange(descriptor_, -1)) != 0) failToWrite(target_, errno);
  });
  together(processes_, [&] {
    if (!file_) return;
    if (previous)
      file_->commitKeeping(*previous);
    else
      file_->commit();
  });
}

}  // namespace tessera::stage
