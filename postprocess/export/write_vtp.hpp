// SPDX-License-Identifier: GPL-3.0-or-later
// wall.vtp: the wall's triangles with their shear stress, for ParaView, VTK, VMTK and 3D Slicer.
// XML PolyData with appended raw data, little-endian.
#pragma once

#include <filesystem>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::exports {

// Point data "wss_pa"; cell data "wss_pa", "traction_pa", "wall_label", and over a cycle
// "tawss_pa", "osi", "relative_residence_time_1_pa" (not a number where not known). Points in
// metres. Throws StageError(OutputFailed).
void writeWallVtp(const std::filesystem::path& path, const results::WallShear& wall,
                  const std::optional<results::CycleShear>& cycle = std::nullopt);

}  // namespace tessera::postprocess::exports
