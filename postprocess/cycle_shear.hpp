// SPDX-License-Identifier: GPL-3.0-or-later
// Wall shear over a cycle, from what the solver summed at the nodes next to the wall: with t(s) the
// traction over a cycle of length T,
//   TAWSS = 1/T int |t| ds,   OSI = (1 - |1/T int t ds| / TAWSS) / 2   (He & Ku 1996),
//   relative residence time = 1 / ((1 - 2 OSI) TAWSS)                  (Himburg et al. 2004)
#pragma once

#include "postprocess/results.hpp"
#include "postprocess/wall_stress.hpp"
#include "postprocess/wall_surface.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

// For the triangles of wallShear(), those with stress that was measured. Each takes the weighted
// mean of the nodes around it that have a wall link; not a number where there is none. Throws
// nothing; the fields must hold means.
CycleShear cycleShear(const NodeLookup& lookup, const Fields& fields, const WallSurface& wall,
                      const std::vector<StressAtWall>& stress);

}  // namespace tessera
