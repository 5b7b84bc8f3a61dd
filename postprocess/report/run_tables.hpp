// SPDX-License-Identifier: GPL-3.0-or-later
// What was run, as HTML: flow, dimensionless numbers, geometry and resolution, provenance, case.
#pragma once

#include <string>

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::report {

std::string flowTable(const results::Results& results, const solver::file::Fields& fields);
std::string dimensionlessTable(const results::Results& results, const solver::file::Fields& fields);
std::string resolutionTable(const results::Results& results, const tiler::TiledGeometry& geometry);
// What the geometry's file tells of the surface's health; nothing for images.
std::string surfaceTable(const tiler::TiledGeometry& geometry);
// Health and repairs from preprocess's report; nothing without one.
std::string geometryReportTable(const results::Results& results);
// The newest step last, as the files were made.
std::string provenanceChain(const stage::Provenance& newest);
std::string caseText(const solver::file::Fields& fields);
// "converged", "not converged", "no rule of convergence".
std::string convergenceOf(const results::Results& results);

}  // namespace tessera::postprocess::report
