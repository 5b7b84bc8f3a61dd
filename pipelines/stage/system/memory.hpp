// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory this process may still take, so that a stage can refuse before long work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera::stage {

// Bytes that the control groups this process is in, and all above them, still grant (as a batch
// system or a container sets them; versions 1 and 2); the largest number when none has a limit.
// root: the folder that has proc and sys in it.
std::uint64_t leftInGroups(const std::filesystem::path& root = "/");

// Bytes: what the machine has left, or what control groups or the limit on the address space leave
// where that is less.
std::uint64_t availableMemory();

// Throws StageError(NoResource) when more than is available is needed. what: "a box of 4000 x 4000
// x 4000 nodes"; remedy: "choose a larger --spacing".
void requireMemory(double bytes, const std::string& what, const std::string& remedy);

// For people: "3.2 GB".
std::string formatBytes(double bytes);

}  // namespace tessera::stage
