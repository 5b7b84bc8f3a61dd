// SPDX-License-Identifier: GPL-3.0-or-later
// The rim of a cap: where its triangles meet the wall.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Half-edges of the given triangles that no other of them lies across. twin: of the whole mesh.
std::vector<std::uint32_t> rimOf(const std::vector<std::uint32_t>& twin,
                                 std::span<const std::uint32_t> triangles);

// Whether the rim is one closed walk that meets no vertex twice.
bool isOneLoop(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& rim);

struct RimShape {
  double perimeter = 0.0;    // m
  double fallingAway = 0.0;  // m of it, where the wall turns away by more than an angle
};

// normal: of the cap, unit, outward; cosine: of that angle.
RimShape rimShape(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                  const std::vector<std::uint32_t>& rim, const Double3& normal, double cosine);

}  // namespace tessera::preprocess::surface
