// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary files, and folders of results, of a target that a killed job left behind. Whoever
// writes one holds a lock on it (flock), which ends with its process: one that can be locked is
// nobody's.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

// The name of a temporary file of the target: TARGET.PID-N.part, in the same folder. Another one
// each time: one used before other machines may remember as what that file has become.
std::filesystem::path temporaryName(const std::filesystem::path& target);

// After a temporary name: what had the target's name, moved aside for the new one.
inline constexpr std::string_view asideEnding = ".old";

// Removes those of the target that nobody writes any more, and what was moved aside of a target
// that is there. Never throws: what cannot be told or removed stays.
void removeAbandoned(const std::filesystem::path& target) noexcept;

// Takes the lock for as long as the descriptor is open. False when the file has no name any more:
// somebody took it for an abandoned one before it was locked.
bool keepFromRemoval(int descriptor) noexcept;

}  // namespace tessera
