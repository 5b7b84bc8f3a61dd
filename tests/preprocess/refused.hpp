// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/fixtures/chain.hpp"

namespace tessera::chain {

// tessera-preprocess with these options ends with the code and a sentence that has the words.
inline void preprocessRefused(const WorkFolder& work, const std::string& options, int code,
                              const std::string& words) {
  checkRefused(work, "tessera-preprocess --quiet " + options, code, words);
}

}  // namespace tessera::chain
