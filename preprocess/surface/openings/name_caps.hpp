// SPDX-License-Identifier: GPL-3.0-or-later
// Names of caps that no named face gave: from separately meshed caps, and from faces that lie in
// them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

// Names unnamed caps by a flat part of similar size and place, which may be meshed differently, or
// by a face that lies mostly in the cap and covers it. Cuts stay unnamed. mesh: its labels index
// faceName. Independent of the order of the files.
void nameCaps(const geometry::TriangleMesh& mesh, const std::vector<std::string>& faceName,
              std::span<const FlatPart> flatParts, std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
