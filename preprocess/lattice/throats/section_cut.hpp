// SPDX-License-Identifier: GPL-3.0-or-later
// Openings that sections of the fluid separate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/lattice/throats/least_section.hpp"
#include "preprocess/lattice/throats/widest_paths.hpp"

namespace tessera::preprocess::lattice {

// Openings on the two sides of a section; one of them is empty if it does not separate any.
struct Sides {
  OpeningSet one, other;
  std::uint32_t part = 0;  // of the first
  [[nodiscard]] bool isFound() const { return !one.empty() && !other.empty(); }
};

constexpr double beyondBlocked = 3.0;  // cells from a section

// Fluid without the cells of one section, or of several that lie in parallel.
struct Cut {
  std::vector<char> isBlocked;      // cells of the sections and next to them
  std::vector<std::uint32_t> part;  // of each cell, from 1; 0: none
  Sides sides;
  // No opening is cut off, but a path leads round the first section, so it is not the end of a
  // pocket.
  bool isParallel = false;
};

// group: openings that are to be on one side.
Cut cutAt(const CoarseFluid& coarse, const OpeningSet& group,
          std::span<const FoundSection> passages);

}  // namespace tessera::preprocess::lattice
