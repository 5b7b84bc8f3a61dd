// SPDX-License-Identifier: GPL-3.0-or-later
// Small geometries for the solver's tests, made as an image would be: one voxel, one node.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "preprocess/lattice/components.hpp"
#include "tiler/tiles_file.hpp"

namespace tessera::testing {

// fluid(x, y, z) says which nodes are fluid; spacing in metres; faces become openings 1, 2, ... in
// the order given. The offset is that of the tiles. In 2D one node thick on z and periodic there.
TilesFile imageGeometry(const Int3& nodes, const std::function<bool(int, int, int)>& fluid,
                        const std::array<bool, 3>& periodic, const std::vector<BoxFace>& faces,
                        double spacing, const Int3& offset, int dimensions = 3);

// The same before it is covered with tiles.
LatticeGeometry imageLattice(const Int3& nodes, const std::function<bool(int, int, int)>& fluid,
                             const std::array<bool, 3>& periodic, const std::vector<BoxFace>& faces,
                             double spacing, int dimensions = 3);
// With the fewest tiles in rows along axes[0], across axes[1], in layers on axes[2].
TilesFile inRows(const LatticeGeometry& geometry, const std::array<int, 3>& axes);

// All six.
constexpr std::array<std::array<int, 3>, 6> rowOrders{
    {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}};

// A box with obstacles strewn in, the same ones every time.
std::function<bool(int, int, int)> strewn(double porosity);

}  // namespace tessera::testing
