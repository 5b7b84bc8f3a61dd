// SPDX-License-Identifier: GPL-3.0-or-later
// Names that are told apart: of faces from several files, of openings.
#pragma once

#include <string>
#include <unordered_set>

namespace tessera::preprocess::read {

// The name, or where it is taken the first free one of name_2, name_3 ..., which is taken then.
inline std::string takeName(std::unordered_set<std::string>& taken, const std::string& name) {
  std::string free = name;
  for (int k = 2; !taken.insert(free).second; ++k) free = name + "_" + std::to_string(k);
  return free;
}

}  // namespace tessera::preprocess::read
