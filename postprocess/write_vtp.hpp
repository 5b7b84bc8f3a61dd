// SPDX-License-Identifier: GPL-3.0-or-later
// wall.vtp: the wall's triangles with their shear stress, for ParaView, VTK, VMTK and 3D Slicer.
// XML PolyData with appended raw data, little-endian.
#pragma once

#include <filesystem>

#include "postprocess/results.hpp"

namespace tessera {

// Point data "wss" [Pa]; cell data "wss" [Pa], "traction" [Pa], "wall_label", and over a cycle
// "tawss" [Pa], "osi", "rrt" [1/Pa] (not a number where not known). Points in metres.
// Throws StageError(OutputFailed).
void writeWallVtp(const std::filesystem::path& path, const WallShear& wall,
                  const std::optional<CycleShear>& cycle = std::nullopt);

}  // namespace tessera
