// SPDX-License-Identifier: GPL-3.0-or-later
// The exit codes every stage promises, and the one exception that carries them to main.
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

// One sentence for a person: what was found, what was expected, what to do. The stage's main puts
// the program's name before it.
class StageError : public std::runtime_error {
 public:
  StageError(ExitCode code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// The line that is said of it: the program's name before the sentence, a full stop behind.
inline std::string errorLine(const std::string& program, const std::string& sentence) {
  return program + ": " + sentence + (sentence.ends_with('.') ? "" : ".");
}

[[noreturn]] inline void fail(ExitCode code, const std::string& sentence) {
  throw StageError(code, sentence);
}

}  // namespace tessera::stage
