// SPDX-License-Identifier: GPL-3.0-or-later
// --check: reads a case and the files that it names, without a run, and says what it means.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::solver {

// The case as it was understood. tiles: the geometry that it is read for, or empty: openings and
// walls are taken from the case. Throws StageError(Usage) and (BadInput) as a run would.
std::string checkedCase(const std::filesystem::path& caseFile, const std::filesystem::path& tiles);

}  // namespace tessera::solver
