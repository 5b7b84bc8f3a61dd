// SPDX-License-Identifier: GPL-3.0-or-later
// Wires and tubes as triangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/picture/rasterise.hpp"
#include "pipelines/picture/surface.hpp"

namespace tessera::picture {

// Hexagonal tube along the points (m), radius in m; its frame is carried along the line without
// twist. shade, one per point, colours its rings. Repeated points are skipped.
void appendTube(std::span<const Double3> points, std::span<const float> shade, double radius,
                RenderMesh& mesh);

// Wires along edges; coloured by shade, one per vertex.
RenderMesh wires(std::span<const Double3> vertex, std::span<const Edge> edges, double radius,
                 std::span<const float> shade = {});

}  // namespace tessera::picture
