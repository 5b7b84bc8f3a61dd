// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the allocations of the whole program, C++ and C libraries alike, on all threads.
#pragma once

#include <cstddef>

namespace tessera::fuzz {

// Aborts with a sentence when more than this many bytes are allocated beyond the present ones.
void startMeter(std::size_t mostBytes);
// Peak of bytes allocated beyond those at the start.
std::size_t stopMeter();

}  // namespace tessera::fuzz
