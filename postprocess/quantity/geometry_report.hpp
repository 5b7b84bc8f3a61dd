// SPDX-License-Identifier: GPL-3.0-or-later
// What tessera-preprocess --report said of the surface that a run's geometry was made from: its
// verdict, what was repaired and its health before and after.
#pragma once

#include <filesystem>
#include <optional>

#include "postprocess/results/results.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// Of a geometry's report. Throws StageError(BadInput) when it cannot be read, is no such report or
// is one of another lattice.
results::GeometryReport readGeometryReport(const std::filesystem::path& path,
                                           const tiler::TiledGeometry& geometry);

// The report given, or else STEM.preprocess.json beside STEM.tiles, where rules.mk puts it; one
// there that does not belong to the geometry is passed over with a warning.
std::optional<results::GeometryReport> findGeometryReport(const std::filesystem::path& given,
                                                          const std::filesystem::path& tiles,
                                                          const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::quantity
