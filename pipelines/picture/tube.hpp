// SPDX-License-Identifier: GPL-3.0-or-later
// Round wires and tubes as triangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/picture/rasterise.hpp"

namespace tessera::picture {

// A tube of six sides around the points (m), radius in m; its frame is carried along the line, so
// that it does not twist. With shades, one a point, each ring takes its point's. Points that repeat
// are passed over.
void appendTube(std::span<const Double3> points, std::span<const float> shade, double radius,
                RenderMesh& mesh);

// The edges that only one triangle has: the rims where the openings were.
using Edge = std::array<std::uint32_t, 2>;
std::vector<Edge> rimEdges(std::span<const stage::Triangle> triangle);

// Wires along edges; with shades, one a vertex, coloured by them.
RenderMesh wires(std::span<const Double3> vertex, std::span<const Edge> edges, double radius,
                 std::span<const float> shade = {});

}  // namespace tessera::picture
