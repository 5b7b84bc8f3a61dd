// SPDX-License-Identifier: GPL-3.0-or-later
// Properties shared by Tessera's .vdb files: transform to the world, compression, a UUID derived
// from the content. Includes OpenVDB: only for the .cpp files that need it.
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::file {

// OpenVDB treats a transform of spacing^3 < 3e-15 as singular, so fine lattices are in micrometres.
struct WorldUnit {
  const char* name;
  double perMetre;
};
WorldUnit worldUnitFor(double spacing);

// Transform from node indices to that unit. OpenVDB multiplies row vectors: the rows of the matrix
// are the images of the index axes.
openvdb::math::Transform::Ptr transformOf(const geometry::Frame& frame, double perMetre);

// Writes to a seekable stream, so that other programs can read metadata without the grids. The UUID
// is random until setContentUuid().
void writeGrids(std::ostream& stream, const openvdb::GridCPtrVec& grids);

// Replaces the random UUID by one derived from all other bytes.
void setContentUuid(std::string& bytes);
void setContentUuid(const std::filesystem::path& file);

}  // namespace tessera::preprocess::file
