// SPDX-License-Identifier: GPL-3.0-or-later
// The section "meta" of our part of geom.vdb: everything about a geometry that is not an array.
#pragma once

#include <cstdint>
#include <string>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

struct GeometryCounts {
  Int3 nodes{0, 0, 0};
  std::uint64_t fluidNodes = 0;
  std::uint64_t boundaryNodes = 0;
  std::uint64_t links = 0;
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;
};

// JSON, keys in a fixed order.
std::string metaToJson(const geometry::LatticeGeometry& geometry);
// Fills frame, axes, openings and wall names. Throws std::runtime_error when a key is missing or a
// value impossible.
GeometryCounts metaFromJson(const std::string& text, geometry::LatticeGeometry& geometry);

}  // namespace tessera::preprocess::file
