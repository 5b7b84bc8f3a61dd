// SPDX-License-Identifier: GPL-3.0-or-later
// Exit codes of every stage, and the exceptions that carry them to main.
#pragma once

#include <stdexcept>
#include <string>

namespace tessera::stage {

enum class ExitCode : int {
  Done = 0,
  RunFailed = 1,      // diverged, or required convergence not met
  Usage = 2,          // command line or case file
  BadInput = 3,       // an input missing, unreadable, malformed, altered or of the wrong kind
  OutputFailed = 4,   // disk full, no permission
  NoResource = 5,     // no device, or not enough memory
  Checkpointed = 75,  // asked to stop: run again with --resume
};

// One sentence for the user: finding, expectation, remedy. main puts the program's name before it.
class StageError : public std::runtime_error {
 public:
  StageError(ExitCode code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// Line on stderr: the program's name, the sentence, a full stop.
inline std::string errorLine(const std::string& program, const std::string& sentence) {
  return program + ": " + sentence + (sentence.ends_with('.') ? "" : ".");
}

[[noreturn]] inline void fail(ExitCode code, const std::string& sentence) {
  throw StageError(code, sentence);
}

// An input that differs from what was written; not one that cannot be read.
class DamagedFile : public StageError {
 public:
  explicit DamagedFile(const std::string& sentence) : StageError(ExitCode::BadInput, sentence) {}
};

// The disk or the quota is full.
class NoSpace : public StageError {
 public:
  explicit NoSpace(const std::string& sentence) : StageError(ExitCode::OutputFailed, sentence) {}
};

// A sentence without its full stop, for a message that continues.
inline std::string withoutStop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

}  // namespace tessera::stage
