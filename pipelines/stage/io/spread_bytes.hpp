// SPDX-License-Identifier: GPL-3.0-or-later
// A section whose bytes lie on several processes, in runs, and are to be written in the order of
// the file: who writes a piece of it asks for it, who has bytes of it sends them.
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
  std::uint64_t local = 0;  // where it begins in what this process has
};

// Adds one behind the last, as one with it where both go on.
void appendRun(std::vector<ByteRun>& runs, const ByteRun& run);

// What one process has. All of them together have each byte of the section once.
struct SpreadBytes {
  std::vector<ByteRun> runs;  // ascending, apart from each other
  // copy(first local byte, target), from several threads at a time.
  std::function<void(std::uint64_t, std::span<std::byte>)> copy;
};

// What of these bytes each process asked for: numbers of runs, their places, their bytes.
std::vector<Message> messagesFor(const SpreadBytes& own, std::span<const Share> asked);

// What came for the bytes asked for, in their order. Throws std::logic_error when it is not all of
// them.
std::vector<std::byte> putTogether(std::span<const Message> came, const Share& asked);

}  // namespace tessera::stage
