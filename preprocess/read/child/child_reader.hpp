// SPDX-License-Identifier: GPL-3.0-or-later
// Child process that reads a file by a library that is not safe on damaged ones (GDCM, lib3mf), and
// its stream of messages. The stream is as untrusted as the file: its reader checks every length. A
// child that crashes, takes too long or too much memory, or writes anything else, is a StageError
// (BadInput) that names the file. The child never outlives the object or this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/child/messages.hpp"

namespace tessera::preprocess::read {

struct ChildLimits {
  std::uint64_t memory = 0;    // bytes of address space
  std::uint64_t seconds = 0;   // of processor time
  std::uint64_t patience = 0;  // seconds of wall time in all
};

// Limits for one file after the other. largest: size of the largest file, all: of all files. Within
// the memory that is free.
ChildLimits limitsOfFiles(std::uint64_t largest, std::uint64_t all);

struct ChildProgram {
  std::string program;  // in the folder of the running program: "tessera-read-dicom"
  std::string library;  // "GDCM"
  std::string package;  // Debian's, without which it is not built
};

// A file that its reader cannot read; those behind it may be read by another process.
class UnreadableFile : public stage::StageError {
 public:
  UnreadableFile(const std::string& sentence, std::string complaint, bool tookTooLong)
      : StageError(stage::ExitCode::BadInput, sentence),
        complaint_(std::move(complaint)),
        tookTooLong_(tookTooLong) {}
  // "the reader crashed with signal 11"
  [[nodiscard]] const std::string& complaint() const noexcept { return complaint_; }
  // The process used up its time, perhaps on files before this one.
  [[nodiscard]] bool tookTooLong() const noexcept { return tookTooLong_; }

 private:
  std::string complaint_;
  bool tookTooLong_;
};

class ChildReader {
 public:
  // words: of the task, see confined.hpp. name: of the first file, for messages. Throws
  // StageError(BadInput) when the program is not installed, (NoResource) when it cannot be started.
  ChildReader(const ChildProgram& program, const std::string& mode,
              const std::vector<std::string>& words, const ChildLimits& limits, std::string name);
  // Messages from a descriptor, which it closes, of no process: recorded ones.
  ChildReader(const ChildProgram& program, int messages, std::string name);
  ChildReader(const ChildReader&) = delete;
  ChildReader& operator=(const ChildReader&) = delete;
  ~ChildReader();

  // File that the next message is about, for messages.
  void readingOf(std::string name) { name_ = std::move(name); }

  // Kind of the next message. Throws for a refusal of the child's, with its sentence.
  ChildMessage message();
  std::uint32_t number();
  double real();
  // A text of at most 1024 bytes without control characters, which become question marks, as do all
  // bytes beyond ASCII unless the text is valid UTF-8.
  std::string text();
  void bytes(void* target, std::size_t size);
  // Throws unless this was the last message.
  void finish();
  // Throws StageError(BadInput): the file, "cannot be read by GDCM (complaint)".
  [[noreturn]] void refuse(const std::string& complaint) const;
  // The same as UnreadableFile. A process that crashes, ends early or takes too much memory or
  // processor time does so.
  [[noreturn]] void refuseFile(const std::string& complaint, bool tookTooLong = false) const;

 private:
  void start(const std::filesystem::path& path, const std::vector<std::string>& arguments,
             const std::vector<std::string>& words);
  std::size_t readSome(char* target, std::size_t most);
  void waitForBytes();
  [[noreturn]] void refuseEnd();
  [[nodiscard]] std::string sentenceOf(const std::string& complaint) const;
  int reap();

  ChildProgram program_;
  ChildLimits limits_;
  std::string name_;
  std::chrono::steady_clock::time_point deadline_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string buffer_;
  std::size_t at_ = 0;
  bool hasBegun_ = false;
};

// Starts a process for a mode, words and limits, or replaces it by recorded messages.
using OpenChild = std::function<std::unique_ptr<ChildReader>(
    const std::string& mode, const std::vector<std::string>& words, const ChildLimits& limits)>;

}  // namespace tessera::preprocess::read
