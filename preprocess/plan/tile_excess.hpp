// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the tiles around a surface is solid, by the offset of the tile mesh: between the
// surface and the faces of the tiles that it ends in, along each axis.
#pragma once

#include <array>

#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

// Of the offset that takes the fewest tiles, along each axis: nodes between surface and tile, times
// the area seen along the axis. On average over offsets it would be 1.5 times that area.
// mesh: metres, closed but for the ends of periodic axes; volume: m3, with these ends closed;
// meanWidth: of channels, nodes.
Double3 leastTileExcess(const TriangleMesh& mesh, double volume, const LatticeChoice& lattice,
                        const std::array<bool, 3>& periodic, double meanWidth);

}  // namespace tessera
