// SPDX-License-Identifier: GPL-3.0-or-later
// Small geometries for the solver's tests, made as an image would be: one voxel, one node.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"
#include "solver/tiles/tile_order.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::tiles;
using namespace tessera::tiler::file;

// fluid(x, y, z) says which nodes are fluid; spacing in metres; faces become openings 1, 2, ... in
// the order given. The offset is that of the tiles. In 2D one node thick on z and periodic there.
TilesFile imageGeometry(const Int3& nodes, const std::function<bool(int, int, int)>& fluid,
                        const std::array<bool, 3>& periodic, const std::vector<BoxFace>& faces,
                        double spacing, const Int3& offset, int dimensions = 3);

// The same before it is covered with tiles.
LatticeGeometry imageLattice(const Int3& nodes, const std::function<bool(int, int, int)>& fluid,
                             const std::array<bool, 3>& periodic, const std::vector<BoxFace>& faces,
                             double spacing, int dimensions = 3);
// Gives each link that ends on a wall a distance and a label: set(node, step of the link, distance,
// label). Labels are named wall0, wall1, ...
void setWalls(LatticeGeometry& geometry, int labels,
              const std::function<void(const Int3&, const Int3&, double&, int&)>& set);
// Fluid where level(position) < 0, positions in nodes; links end where it is 0 on the way, or,
// where it stays below, halfway out of the box. label(position of the end).
LatticeGeometry levelLattice(const Int3& nodes, const std::function<double(const Double3&)>& level,
                             const std::array<bool, 3>& periodic, double spacing, int dimensions,
                             int labels, const std::function<int(const Double3&)>& label);
// In tiles of one mesh.
TilesFile inTiles(const LatticeGeometry& geometry, const Int3& offset);
// With the fewest tiles in rows along axes[0], across axes[1], in layers on axes[2].
TilesFile inRows(const LatticeGeometry& geometry, const std::array<int, 3>& axes);

// All six.
constexpr std::array<std::array<int, 3>, 6> rowOrders{
    {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}};

// Populations of D3Q19, 19 x 64 per slot in XYZ order, with zeros in solid nodes: backends leave
// any value there.
std::vector<double> ofFluid(const TileOrder& order, std::vector<double> populations);

// A box with obstacles strewn in, the same ones every time.
std::function<bool(int, int, int)> strewn(double porosity);

}  // namespace tessera::testing
