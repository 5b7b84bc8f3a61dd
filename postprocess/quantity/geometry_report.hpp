// SPDX-License-Identifier: GPL-3.0-or-later
// Report of tessera-preprocess about the surface of a run's geometry: verdict, repairs, health
// before and after.
#pragma once

#include <filesystem>
#include <optional>

#include "postprocess/results/results.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// Reads a geometry's report. Throws StageError(BadInput) if it is unreadable, not such a report, or
// of another lattice.
results::GeometryReport readGeometryReport(const std::filesystem::path& path,
                                           const tiler::TiledGeometry& geometry);

// The given report, otherwise STEM.preprocess.json next to STEM.tiles (where rules.mk writes it),
// which is ignored with a warning if it does not belong to the geometry.
std::optional<results::GeometryReport> findGeometryReport(const std::filesystem::path& given,
                                                          const std::filesystem::path& tiles,
                                                          const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::quantity
