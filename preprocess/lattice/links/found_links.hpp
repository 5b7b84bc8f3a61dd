// SPDX-License-Identifier: GPL-3.0-or-later
// What the two ways to find links (surface_links.cpp, image_links.cpp) have in common.
#pragma once

#include <vector>

#include "preprocess/lattice/links/links.hpp"

namespace tessera::preprocess::lattice {

// The sum of the steps of a mask's directions; of a node between two walls, where it is zero, the
// first step.
Double3 sumOfSteps(std::uint32_t mask);

// Puts the layers' nodes and links one after the other, in parallel.
FoundLinks joined(const std::vector<FoundLinks>& parts);

}  // namespace tessera::preprocess::lattice
