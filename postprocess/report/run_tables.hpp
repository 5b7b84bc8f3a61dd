// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the run and its surface as HTML: flow, dimensionless numbers, geometry and resolution,
// provenance, case.
#pragma once

#include <cstddef>
#include <string>

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::report {

// Properties of a geometry's closed surface, without sheets.
struct SurfaceCheck {
  std::size_t openEdges = 0;  // without exactly two triangles
  double area = 0.0;          // m2, with the caps of the openings
  double volume = 0.0;        // m3, enclosed
  double nodeVolume = 0.0;    // m3, of the fluid nodes
};

SurfaceCheck checkSurface(const tiler::TiledGeometry& geometry);

std::string flowTable(const results::Results& results, const solver::file::Fields& fields);
std::string dimensionlessTable(const results::Results& results, const solver::file::Fields& fields);
std::string resolutionTable(const results::Results& results, const tiler::TiledGeometry& geometry);
// Surface of the .tiles file; empty for images.
std::string surfaceTable(const tiler::TiledGeometry& geometry);
// Health and repairs from the report of preprocess; empty without one.
std::string geometryReportTable(const results::Results& results);
// Steps in chronological order.
std::string provenanceChain(const stage::Provenance& newest);
std::string caseText(const solver::file::Fields& fields);
// "converged", "not converged", "no convergence rule".
std::string convergenceOf(const results::Results& results);

}  // namespace tessera::postprocess::report
