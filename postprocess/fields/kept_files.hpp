// SPDX-License-Identifier: GPL-3.0-or-later
// What a user put into a folder of results, which newer results do not take away. A folder knows
// its own files and folders by a list in it, .results: a path a line.
#pragma once

#include <filesystem>

namespace tessera::postprocess::fields {

// Writes the list of what is in the folder. Throws StageError(OutputFailed).
void listResults(const std::filesystem::path& folder);

// Whatever is in the old folder, if there is one, and neither on its list (of a folder without one:
// anything) nor in the new folder has then a name in both: of a file the same one, or, where there
// are no hard links, a copy. Throws StageError(OutputFailed); the old folder is not changed.
void keepOthers(const std::filesystem::path& old, const std::filesystem::path& fresh);

}  // namespace tessera::postprocess::fields
