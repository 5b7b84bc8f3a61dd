// SPDX-License-Identifier: GPL-3.0-or-later
// Connectivity between openings: paths through the fluid, errors and warnings where there are none.
#pragma once

#include <string>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

// Openings on each side, counted from 0.
std::vector<std::vector<std::size_t>> openingsOnSides(const geometry::LatticeGeometry& geometry,
                                                      const std::vector<surface::Side>& sides,
                                                      const PreprocessReport& report);

// Text of the error for sides without a path.
struct PathWords {
  std::string file;
  std::string remedy;  // after "; "
};

// Adds connected parts, those of the openings, effective porosity and percolation between sides to
// the report. sides: those of --faces; openings without origins in the report all belong to them.
// Throws StageError(BadInput) when no fluid connects a side to any other; openings without a path
// to another one are a warning.
void reportPaths(const geometry::LatticeGeometry& geometry, const std::vector<surface::Side>& sides,
                 const std::vector<lattice::FluidPart>& parts, const PathWords& words,
                 PreprocessReport& report);

// Copies the connected part of each opening from the report's connectivity to the openings of both.
void numberParts(geometry::LatticeGeometry& geometry, PreprocessReport& report);

// Warns of openings whose only connection passes through corners of nodes; withoutCorners: parts
// with 18 neighbours.
void warnAboutCorners(const geometry::LatticeGeometry& geometry,
                      const std::vector<lattice::FluidPart>& parts,
                      const std::vector<lattice::FluidPart>& withoutCorners,
                      PreprocessReport& report);
// Warning for a path such as "from x- to x+".
std::string cornerWarning(const std::string& way);

}  // namespace tessera::preprocess
