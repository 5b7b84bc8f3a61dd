// SPDX-License-Identifier: GPL-3.0-or-later
// Which openings have a way to others through the fluid, and what to say where they have none.
#pragma once

#include <string>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

// The nodes at each of the geometry's openings, by the links that end on it.
std::vector<std::vector<std::uint64_t>> nodesByLink(const geometry::LatticeGeometry& geometry);

// For each side, the openings on it, counted from 0.
std::vector<std::vector<std::size_t>> openingsOnSides(const geometry::LatticeGeometry& geometry,
                                                      const std::vector<surface::Side>& sides,
                                                      const PreprocessReport& report);

// For the sentence that refuses sides without a path.
struct PathWords {
  std::string file;
  std::string remedy;  // after "; "
};

// Adds connected parts, effective porosity and sides with a path between them to the report. sides:
// those of --faces; openings without origins in the report are all on one of them. Throws
// StageError(BadInput) when no fluid leads from a side to any other; openings that have no way to
// another one are a warning.
void reportPaths(const geometry::LatticeGeometry& geometry, const std::vector<surface::Side>& sides,
                 const std::vector<lattice::FluidPart>& parts, const PathWords& words,
                 PreprocessReport& report);

// Warns where openings have a way to each other along nodes that meet at corners alone; the second
// list is of parts of 18 neighbours.
void warnAboutCorners(const geometry::LatticeGeometry& geometry,
                      const std::vector<lattice::FluidPart>& parts,
                      const std::vector<lattice::FluidPart>& withoutCorners,
                      PreprocessReport& report);
// Of one such way, "from x- to x+".
std::string cornerWarning(const std::string& way);

}  // namespace tessera::preprocess
