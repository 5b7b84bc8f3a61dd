// SPDX-License-Identifier: GPL-3.0-or-later
// --name: openings by the user's names; their ids stay.
#pragma once

#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

// Throws StageError(Usage) when a request names no opening, or two openings come to one name.
void nameOpenings(const std::vector<OpeningName>& requests,
                  std::vector<geometry::Opening>& openings);

// text: an id where it is a whole number, otherwise a name.
bool isMeant(const std::string& text, const geometry::Opening& opening);

// For sentences: "it has 1 (inlet), 2 (opening2)".
std::string listOf(const std::vector<geometry::Opening>& openings);

}  // namespace tessera::preprocess
