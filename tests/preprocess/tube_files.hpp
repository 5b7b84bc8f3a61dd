// SPDX-License-Identifier: GPL-3.0-or-later
// Files of tubes for tests of the program, and what it must say of one.
#pragma once

#include <catch2/catch.hpp>
#include <numbers>

#include "tests/chain/chain.hpp"
#include "tests/preprocess/lattice_meshes.hpp"
#include "tests/preprocess/surface_files.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;

inline void put(const chain::WorkFolder& work, const std::string& name, const TriangleMesh& mesh) {
  work.write(name, binaryStl(soupOf(mesh)));
}

// A closed tube of radius 2 and length 12 along (2, 2, 1) / 3, in the file's unit.
inline TriangleMesh slantedTube() {
  return tubeMesh({0, 0, 0}, {8, 8, 4}, 2.0, 48, true);
}

inline double crossSection() {  // of that tube
  return 24.0 * std::sin(2.0 * std::numbers::pi / 48) * 4.0;
}

// Fluid nodes by the volume that they should fill.
inline void checkVolume(const nlohmann::json& report, double cubicMillimetres) {
  const double spacing = report.at("spacing_m");
  CHECK(report.at("volume_mesh_m3").get<double>() == Approx(1e-9 * cubicMillimetres).epsilon(1e-4));
  CHECK(report.at("fluid_nodes").get<double>() * spacing * spacing * spacing ==
        Approx(1e-9 * cubicMillimetres).epsilon(0.01));
}

}  // namespace tessera::test
