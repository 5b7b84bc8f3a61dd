// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of files that a program does something about, told apart from the rest of their exit code.
#pragma once

#include <string>

#include "pipelines/stage/error.hpp"

namespace tessera::stage {

// An input that was read and is not what was written; one that could not be read is none of these.
class DamagedFile : public StageError {
 public:
  explicit DamagedFile(const std::string& sentence) : StageError(ExitCode::BadInput, sentence) {}
};

// The sentence of one that a program goes on from, without its full stop: more of it follows.
inline std::string withoutStop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

// The disk or the quota is full.
class NoSpace : public StageError {
 public:
  explicit NoSpace(const std::string& sentence) : StageError(ExitCode::OutputFailed, sentence) {}
};

}  // namespace tessera::stage
