// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary files and result folders that killed jobs left behind. The writer of one holds a lock
// (flock), which ends with its process: a file that can be locked has no owner.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera::stage {

// Temporary name TARGET.PID-N.part in the target's folder. Names are never reused: other machines
// may have cached one under its final identity.
std::filesystem::path temporaryName(const std::filesystem::path& target);

// Whether `name` is a temporary file of the target of this name.
bool isTemporaryOf(std::string_view target, std::string_view name);

// Removes temporary files of the target without an owner. Never throws: files of unknown ownership
// and those that cannot be removed stay.
void removeAbandoned(const std::filesystem::path& target) noexcept;

// Locks the file while the descriptor is open. False if the file has no name any more: another
// process took it for abandoned before it was locked.
bool keepFromRemoval(int descriptor) noexcept;

}  // namespace tessera::stage
