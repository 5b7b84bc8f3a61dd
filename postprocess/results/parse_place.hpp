// SPDX-License-Identifier: GPL-3.0-or-later
// Places and directions as they are written on a command line: "x,y,z".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "pipelines/stage/case/quantity.hpp"
#include "preprocess/geometry/frame.hpp"

namespace tessera::postprocess::results {

// The parts between separators, spaces round them taken away; one empty part for an empty text.
std::vector<std::string_view> partsOf(std::string_view text, char separator);

// Three quantities of a dimension between commas; nullopt when they are not three. Throws
// StageError(Usage) for a part that is no such quantity.
std::optional<Double3> parseTriple(std::string_view text, stage::Dimension dimension);

// Three plain numbers, scaled to a unit vector; nullopt when they are not three or all zero.
std::optional<Double3> parseDirection(std::string_view text);

}  // namespace tessera::postprocess::results
