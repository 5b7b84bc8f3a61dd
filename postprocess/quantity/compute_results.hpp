// SPDX-License-Identifier: GPL-3.0-or-later
// All quantities of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/quantity/centreline.hpp"
#include "postprocess/quantity/planes_and_lines.hpp"
#include "postprocess/quantity/wall_forces.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// Results requested in addition to those of every run.
struct Request {
  std::vector<Plane> planes;
  std::vector<Line> lines;
  int stations = 0;                             // on each centreline; 0: none
  Polyline centreline;                          // empty: computed between the openings
  std::string centrelineName;                   // name of the given one
  std::optional<Double3> momentsAbout;          // m, world; by default the case's
  std::optional<ForceReference> reference;      // by default the case's
  std::optional<stage::LengthUnit> lengthUnit;  // by default the input's in VTK files, m in tables
  bool relativePressures = false;               // to a point in the fluid: they have no ratios
};

// The fields must belong to the geometry (checkBelongs). Throws StageError(Usage) for requests
// without data: a plane or line without fluid, no openings for stations, an unknown wall label. The
// caller adds names and provenance.
results::Results computeResults(const solver::file::Fields& fields,
                                const tiler::TiledGeometry& geometry, const Request& request = {});

}  // namespace tessera::postprocess::quantity
