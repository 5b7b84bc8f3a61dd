// SPDX-License-Identifier: GPL-3.0-or-later
// Section "meta" of geom.vdb as JSON: everything about a geometry that is not an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipelines/stage/io/json.hpp"
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

// Parts of the section "meta" that geom.vdb and geom.tiles share, as JSON with keys in a fixed
// order. Reading throws Json::exception when a key is missing or of another type.

// Spacing, origin, axes, space (if known) and the input's unit of length as keys of meta itself.
// Throws std::runtime_error for an unknown unit.
void addFrame(stage::Json& meta, const geometry::Frame& frame);
geometry::Frame frameOf(const stage::Json& meta);

stage::Json openingsToJson(const std::vector<geometry::Opening>& openings);
std::vector<geometry::Opening> openingsFromJson(const stage::Json& list);

stage::Json throatsToJson(const std::vector<geometry::Throat>& throats);
// Throws std::runtime_error for an opening that is not one of 1 .. openings.
std::vector<geometry::Throat> throatsFromJson(const stage::Json& list, std::size_t openings);

}  // namespace tessera::preprocess::file
