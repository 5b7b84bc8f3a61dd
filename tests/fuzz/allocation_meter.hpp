// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what the whole program allocates, C++ and C libraries alike, on all threads.
#pragma once

#include <cstddef>

namespace tessera::fuzz {

// Aborts with a sentence as soon as more than this many bytes are held beyond what is held now.
void startMeter(std::size_t mostBytes);
// Largest number of bytes held beyond those at the start.
std::size_t stopMeter();

}  // namespace tessera::fuzz
