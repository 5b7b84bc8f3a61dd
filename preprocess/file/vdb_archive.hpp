// SPDX-License-Identifier: GPL-3.0-or-later
// What our .vdb files have in common: place in the world, compression, an UUID made from their
// content. Sees OpenVDB: only for the .cpp files that do.
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::file {

// OpenVDB takes a transform of spacing^3 < 3e-15 for singular, so fine lattices are in micrometres.
struct WorldUnit {
  const char* name;
  double perMetre;
};
WorldUnit worldUnitFor(double spacing);

// From node indices to that unit. OpenVDB multiplies row vectors: the rows of the matrix are the
// images of the index axes.
openvdb::math::Transform::Ptr transformOf(const geometry::Frame& frame, double perMetre);

// To a stream that can seek, so that other programs can read metadata without the grids; the UUID
// is random until it is set.
void writeGrids(std::ostream& stream, const openvdb::GridCPtrVec& grids);

// Puts an UUID made from all other bytes in the place of the random one.
void setContentUuid(std::string& bytes);
void setContentUuid(const std::filesystem::path& file);

}  // namespace tessera::preprocess::file
