// SPDX-License-Identifier: GPL-3.0-or-later
// Starting from the fields of an earlier run, or from those of the case: populations of any
// lattice, in equilibrium with pressure and velocity and with as much out of equilibrium as the
// stored stress says (the regularised state of Latt & Chopard 2006).
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "solver/backend/registry.hpp"
#include "solver/case/time_step.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/file/fields_file.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::run {

// Throws StageError(BadInput) when the fields belong to another geometry, do not fill it or hold
// values that are not numbers. path: for the message.
void checkInitialFields(const std::filesystem::path& path, const file::Fields& fields,
                        const tiler::file::TilesFile& tiles);

// Fields of this rank's tiles, one tile's nodes after another's; one rank alone reads and checks
// the file as a whole. Collective. Throws as checkInitialFields, the same on all ranks, and when
// they do not find the same file.
file::Fields readInitialFields(const std::filesystem::path& path,
                               const tiler::file::TilesFile& tiles, const tiles::RankPart& part,
                               comm::Ranks& ranks);

// Post-collision deviations in the order of the .tiles file, q x 64 a tile, as after the collision
// that follows the fields. reference: Pa that lattice pressure 0 stands for in the new run; its
// units of length, time and density may differ from those of the run the fields are of. The fields
// are those of the tiles that this rank steps; of others there are zeros.
std::vector<double> populationsOf(const file::Fields& fields, const tiler::TiledGeometry& geometry,
                                  const tiles::RankPart& part, const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice, double reference);

// The same for the initial field of a case, with the stress of its strain rates.
std::vector<double> populationsOf(const cases::InitialField& field,
                                  const tiler::TiledGeometry& geometry, const tiles::RankPart& part,
                                  const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice, double reference);

// The same from r, velocity and stress as sampled, 64 of each value together, with another time
// step: ratio of the new one to that of the values. Velocities are scaled by it, density deviations
// and stresses by its square, and the populations' part out of equilibrium follows from the stress,
// as between grids (Dupuis & Chopard 2003).
using ObservedTile = std::function<std::span<const float>(std::size_t tile)>;
std::vector<double> populationsOf(const ObservedTile& observed, double ratio,
                                  const tiler::TiledGeometry& geometry, const tiles::RankPart& part,
                                  const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice);

}  // namespace tessera::solver::run
