// SPDX-License-Identifier: GPL-3.0-or-later
// Geometries, initial states and the flow of tile populations that structures of the papers are
// compared with.
#pragma once

#include <string>
#include <vector>

#include "solver/comparators/comparator.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::testing {

using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::tiler::file;

// Bent tube, periodic along its axis.
TilesFile vessel(int scale = 1);
// Overlapping spheres, periodic along two axes.
TilesFile spheres(int scale = 1);
// Walls on x, periodic along y, whole tiles on each axis or not.
TilesFile box(const Int3& size);
// Plane with a bend, a cylinder and a wall inside, periodic along x or y.
TilesFile plane(const Int3& size, const std::array<bool, 3>& periodic);
// Full blocks of 16^3 nodes, sparse ones and one between, on three or four blocks an axis.
TilesFile mixed(const Int3& size, const std::array<bool, 3>& periodic);

inline const Relaxation relaxation{0.7, 3.0 / 16.0, {2e-5, -1e-5, 3e-6}, {}};

// Random populations at fluid nodes, 0 at the others, q x 64 a tile of the geometry.
std::vector<double> start(const TilesFile& tiles);
// Populations of the shipped step on tiles after so many steps from start(), on the CPU.
std::vector<double> ofTiles(const TilesFile& tiles, const ComparatorInfo& like,
                            std::uint64_t steps);

// "lists rows trt f64".
std::string titleOf(const ComparatorInfo& info);
// The first of this name.
const ComparatorInfo& infoOf(const std::string& name, CollisionId collision, PrecisionId precision,
                             LatticeId lattice = LatticeId::D3Q19);
// Whether it is made of the geometry's own tiles, which must fill periodic axes.
bool storesTiles(const ComparatorInfo& info);

}  // namespace tessera::testing
