// SPDX-License-Identifier: GPL-3.0-or-later
// Wall shear over a cycle, from what the solver summed at the nodes next to the wall: with t(s) the
// traction over a cycle of length T,
//   TAWSS = 1/T int |t| ds,   OSI = (1 - |1/T int t ds| / TAWSS) / 2   (He & Ku 1996),
//   relative residence time = 1 / ((1 - 2 OSI) TAWSS)                  (Himburg et al. 2004)
#pragma once

#include "postprocess/quantity/wall_stress.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// For the triangles of wallShear(), those with stress that was measured. Each takes the weighted
// mean of the nodes around it that have a wall link; not a number where there is none. Throws
// nothing; the fields must hold means.
results::CycleShear cycleShear(const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                               const WallSurface& wall, const std::vector<StressAtWall>& stress);

}  // namespace tessera::postprocess::quantity
