// SPDX-License-Identifier: GPL-3.0-or-later
// Cross-section of least area near a point of a vessel.
#pragma once

#include <cstdint>
#include <optional>

#include "preprocess/lattice/throats/coarse_fluid.hpp"
#include "preprocess/lattice/throats/plane_section.hpp"

namespace tessera::preprocess::lattice {

struct FoundSection {
  SectionPlane plane;
  PlaneSection section;
};

struct RoughSection {
  FoundSection found;
  bool leaves = false;  // by an opening
};

// Smallest section of the nodes at a cell, of the 13 axes of a lattice. width: radius of the
// vessel, nodes. like: plane of a section in parallel, tried first, since a ring between a valve
// and the wall has no centre of its own to turn about. Absent if every section reaches far.
std::optional<RoughSection> roughSection(const geometry::LatticeGeometry& geometry,
                                         const CoarseFluid& coarse, std::uint32_t cell,
                                         double width, const SectionPlane* like = nullptr);

// Smaller section by tilting and moving the plane in steps that halve. Absent if it runs out of an
// opening.
std::optional<FoundSection> leastSection(const geometry::LatticeGeometry& geometry,
                                         const CoarseFluid& coarse, const RoughSection& rough,
                                         double width);

struct ExactSection {
  FoundSection found;
  double area = 0.0;     // nodes^2
  bool isExact = false;  // within the surface
};

// Section of least area within the surface near one of least nodes; the same one where the surface
// gives no area.
ExactSection exactSection(const geometry::LatticeGeometry& geometry, const CoarseFluid& coarse,
                          const FoundSection& start, double width);

}  // namespace tessera::preprocess::lattice
