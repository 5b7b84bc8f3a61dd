// SPDX-License-Identifier: GPL-3.0-or-later
// [reference] of the case: the point whose pressure results are relative to.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "pipelines/stage/case/case_file.hpp"

namespace tessera::stage {

// Point "x,y,z" in metres or with units. Throws StageError(Usage) that begins with `where`.
std::array<double, 3> parsePoint(const std::string& text, const std::string& where);

// m, world; absent without the table. Throws StageError(Usage) with file and line.
std::optional<std::array<double, 3>> readPressureTap(const CaseFile& file);

}  // namespace tessera::stage
