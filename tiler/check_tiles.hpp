// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold in a tiled geometry that was read from a file, so that later stages may index
// with it unchecked.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "tiler/tiled_geometry.hpp"

namespace tessera {

// Half a sentence: the section and what is wrong in it. The reader adds the file and the advice.
class DefectiveTiles : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Positions of the grid; the sizes must have been checked.
std::uint64_t gridPositions(const Int3& grid);

// The numbers of "meta", before any array is allocated. inRows: it has axes of rows. Throws
// DefectiveTiles.
void checkSizes(const TiledGeometry& tiled, std::uint64_t tiles, bool inRows);

// Every index, start, type, mask and label, once the arrays are there in the lengths of "meta".
// Throws DefectiveTiles.
void checkIndices(const TiledGeometry& tiled);

}  // namespace tessera
