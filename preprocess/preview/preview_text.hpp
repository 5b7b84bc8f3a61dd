// SPDX-License-Identifier: GPL-3.0-or-later
// Words of previews, shared by picture and page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "preprocess/preview/preview.hpp"

namespace tessera::preprocess::preview {

std::string kindText(picture::MarkKind kind);  // "opening", "candidate", ...

// "84 x 120 x 60 nodes of 0.1 mm, 250 000 fluid, ..."
std::string factsLine(const Preview& preview);

// Names and colours of the walls, openings and sheets that there are.
std::vector<std::pair<std::string, picture::Colour>> keysOf(const Preview& preview);

// At most so many characters (UTF-8), with an ellipsis.
std::string clipped(const std::string& text, std::size_t most);

}  // namespace tessera::preprocess::preview
