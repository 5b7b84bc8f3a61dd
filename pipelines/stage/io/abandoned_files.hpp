// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary files, and folders of results, of a target that a killed job left behind. Whoever
// writes one holds a lock on it (flock), which ends with its process: one that can be locked is
// nobody's.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera::stage {

// The name of a temporary file of the target: TARGET.PID-N.part, in the same folder. Another one
// each time: one used before other machines may remember as what that file has become.
std::filesystem::path temporaryName(const std::filesystem::path& target);

// Whether a file of that name is a temporary one of the target of this name.
bool isTemporaryOf(std::string_view target, std::string_view name);

// Removes those of the target that nobody writes any more. Never throws: what cannot be told or
// removed stays.
void removeAbandoned(const std::filesystem::path& target) noexcept;

// Takes the lock for as long as the descriptor is open. False when the file has no name any more:
// somebody took it for an abandoned one before it was locked.
bool keepFromRemoval(int descriptor) noexcept;

}  // namespace tessera::stage
