// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory this process may still take, so that a stage can refuse before long work.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

// Bytes: what the machine has left, or the limit of the control group where that is less.
std::uint64_t availableMemory();

// Throws StageError(NoResource) when more than is available is needed. what: "a box of 4000 x 4000
// x 4000 nodes"; remedy: "choose a larger --spacing".
void requireMemory(double bytes, const std::string& what, const std::string& remedy);

// For people: "3.2 GB".
std::string formatBytes(double bytes);

}  // namespace tessera
