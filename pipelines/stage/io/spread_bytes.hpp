// SPDX-License-Identifier: GPL-3.0-or-later
// A section whose bytes are distributed over processes in runs and written in file order: the
// process that writes a piece requests it, the owners of its bytes send them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pipelines/stage/io/processes.hpp"

namespace tessera::stage {

struct ByteRun {
  std::uint64_t at = 0;  // in the section
  std::uint64_t bytes = 0;
  std::uint64_t local = 0;  // begin in this process's memory
};

// Appends a run, merged with the last one if contiguous.
void appendRun(std::vector<ByteRun>& runs, const ByteRun& run);

// Bytes of one process. Together the processes have each byte of the section once.
struct SpreadBytes {
  std::vector<ByteRun> runs;  // ascending, without overlap
  // copy(first local byte, target), from several threads at a time.
  std::function<void(std::uint64_t, std::span<std::byte>)> copy;
};

// Replies to each process's request: number of runs, their offsets, their bytes.
std::vector<Message> messagesFor(const SpreadBytes& own, std::span<const Share> asked);

// Assembles the replies to a request in file order. Throws std::logic_error if bytes are missing.
std::vector<std::byte> putTogether(std::span<const Message> came, const Share& asked);

}  // namespace tessera::stage
