// SPDX-License-Identifier: GPL-3.0-or-later
// From geometry, order and case to what a backend walks over.
#pragma once

#include "solver/domain/domain.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/units.hpp"

namespace tessera {

// Pa that lattice pressure 0 stands for where the pressures are constant: the mean of the pressure
// openings' values.
double referencePressure(const SolverCase& run);

// Fills in the links of openings: velocity openings by their profile, scaled so that exactly the
// flow rate asked for crosses the links; pressure openings by their value less the reference.
// Throws StageError(Usage) for an opening that no link of the lattice crosses at this spacing.
Domain buildDomain(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                   const LatticeRun& lattice, const LatticeInfo& info);

// 6 w_i c_i . n of each link of Domain::links, n the outward normal of its opening: the area, in
// squared spacings, that the link stands for.
std::vector<double> linkAreas(const TileOrder& order, const TiledGeometry& geometry,
                              const LatticeInfo& info);

}  // namespace tessera
