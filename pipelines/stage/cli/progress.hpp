// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and progress on stderr: a bar with rate and time left on a terminal, plain lines (at
// each tenth, or every 30 s) elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::stage {

// Silent: no warnings either, because another process prints them.
enum class Verbosity { Silent, Quiet, Normal, Verbose };
void setVerbosity(Verbosity verbosity);
[[nodiscard]] Verbosity verbosity();

void logInfo(std::string_view text);     // not when quiet
void logDetail(std::string_view text);   // only when verbose
void logWarning(std::string_view text);  // "warning: ...", coloured on a terminal; unless silent

class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  ~Progress();
  // extra: appended text, e.g. "512 MFLUPS, inlet 3.1 ml/s". Cheap, because it prints rarely.
  void update(std::uint64_t done, std::string_view extra = {});
  void finish(std::string_view summary = {});

 private:
  std::string what_;
  std::uint64_t total_;
  std::chrono::steady_clock::time_point start_, last_;
  int lastTenth_ = 0;
  bool terminal_ = false;
  bool finished_ = false;
};

}  // namespace tessera::stage
