// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the C library that do what other file systems or a failing disk would: for tests that
// link tessera_system_calls, by whatever of ours they call. From any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tessera {

// Each returns the errno that the call fails with, 0: it goes on.
struct SystemCalls {
  std::function<int(std::string& path, int flags)> open{};  // may change the path
  std::function<int(const std::string& path)> read{};       // pread
  std::function<int(const std::string& path, std::size_t bytes)> write{};
  std::function<int(const std::string& from)> link{};
  std::function<int(int descriptor)> lock{};  // flock
};

// In force for as long as it lives.
class FailingCalls {
 public:
  explicit FailingCalls(SystemCalls calls);
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;
  ~FailingCalls();
};

}  // namespace tessera
