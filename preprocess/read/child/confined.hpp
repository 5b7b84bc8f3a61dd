// SPDX-License-Identifier: GPL-3.0-or-later
// Confined process: the child's side of reading files by a library that is not safe on damaged
// ones. Before the first byte of a file is read the process limits itself: address space, processor
// time, no further processes, no bytes written to any file, no core dump, no descriptors but the
// list of paths, the pipe and its input; it ends with its parent. Linux.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/read/child/messages.hpp"

namespace tessera::preprocess::read {

// Writes the stream of messages.hpp, buffered.
class ChildWriter {
 public:
  void begin(ChildMessage message) { number(static_cast<std::uint32_t>(message)); }
  void number(std::uint32_t value) { bytes(&value, sizeof value); }
  void real(double value) { bytes(&value, sizeof value); }
  void text(std::string_view text);  // at most 1024 bytes of it
  void bytes(const void* data, std::size_t size);
  void flush();

 private:
  std::string buffer_;
};

struct ChildTask {
  std::string mode;
  std::vector<std::string> words;  // paths, or what the mode defines
};

// main of a confined program: limits the process by its arguments (see child_reader.cpp), reads the
// task and runs body; does not return. A StageError or another exception of body is a Refusal; lack
// of memory ends with 5.
[[noreturn]] void runConfined(int argc, char** argv,
                              const std::function<void(const ChildTask&, ChildWriter&)>& body);

}  // namespace tessera::preprocess::read
