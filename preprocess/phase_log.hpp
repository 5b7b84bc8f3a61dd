// SPDX-License-Identifier: GPL-3.0-or-later
// What --verbose tells about the time each phase took.
#pragma once

#include <chrono>
#include <cstdio>

#include "pipelines/stage/cli/progress.hpp"

namespace tessera::preprocess {

class PhaseLog {
 public:
  // Says how long it took since the last phase was done.
  void done(const char* phase) {
    const auto now = std::chrono::steady_clock::now();
    char text[80];
    std::snprintf(text, sizeof text, "%-12s %.3f s", phase,
                  std::chrono::duration<double>(now - last_).count());
    last_ = now;
    stage::logDetail(text);
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tessera::preprocess
