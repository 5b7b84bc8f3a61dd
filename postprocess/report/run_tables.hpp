// SPDX-License-Identifier: GPL-3.0-or-later
// What was run, as HTML: flow, dimensionless numbers, geometry and resolution, provenance, case.
#pragma once

#include <string>

#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera {

std::string flowTable(const Results& results, const Fields& fields);
std::string dimensionlessTable(const Results& results, const Fields& fields);
std::string resolutionTable(const Results& results, const TiledGeometry& geometry);
// What the geometry's file tells of the surface's health; nothing for images.
std::string surfaceTable(const TiledGeometry& geometry);
// Health and repairs from preprocess's report; nothing without one.
std::string geometryReportTable(const Results& results);
// The newest step last, as the files were made.
std::string provenanceChain(const Provenance& newest);
std::string caseText(const Fields& fields);
// "converged", "not converged", "no rule of convergence".
std::string convergenceOf(const Results& results);

}  // namespace tessera
