// SPDX-License-Identifier: GPL-3.0-or-later
// Layers of tiles by their distance from a rank's border. In them the border comes first, so that
// other ranks can have it while the rest is stepped, and neighbours are still no more than a layer
// apart, which one copy of a state needs.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/tiles/part_of_geometry.hpp"

namespace tessera::solver::tiles {

// Of each tile of a part, cubes of 2^log tiles along each axis counted from those with border tiles
// (0) on. Own tiles that no path of tiles joins to the border come last, in one layer; what others
// step has 0.
std::vector<std::uint32_t> layersFromBorder(const tiler::TiledGeometry& geometry,
                                            const RankPart& part, unsigned log);

}  // namespace tessera::solver::tiles
