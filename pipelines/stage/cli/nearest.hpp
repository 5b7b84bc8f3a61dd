// SPDX-License-Identifier: GPL-3.0-or-later
// The known word that was probably meant, for answers to a misspelt option, key or table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::stage {

// The known word with the fewest edits (Levenshtein) to `word`, the first of equals; empty when
// none is near (more than a third of the letters would change).
std::string nearestWord(std::string_view word, const std::vector<std::string>& known);

// "a, b and c".
std::string listOfWords(const std::vector<std::string>& words);

}  // namespace tessera::stage
