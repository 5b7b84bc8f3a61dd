// SPDX-License-Identifier: GPL-3.0-or-later
// Writers of field and wall files. HDF5 stays behind write_vtkhdf.cpp, OpenVDB behind
// write_vdb.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/fields/field_selection.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::exports {

// fields.vtkhdf: selected nodes as cells of an UnstructuredGrid in VTKHDF 1.0
// (https://examples.vtk.org/site/VTKFileFormats/) for ParaView 5.10, VTK 9.1 or newer; cells and
// points as in CellMesh, arrays as cell data. Equal input gives equal bytes. Throws
// StageError(OutputFailed).
void writeVtkhdf(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
                 const std::vector<fields::FieldArray>& arrays);

// fields.vtu: selected nodes as cells of an UnstructuredGrid, for any VTK and ParaView; cells and
// points as in CellMesh, arrays as cell data. Equal input gives equal bytes. Throws
// StageError(OutputFailed).
void writeVtu(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

// fields.vti: bounding box of the selected nodes as ImageData, one point per node; arrays as point
// data, 0 in solid and unselected points, which "vtkGhostType" hides, as it does the cells of
// hiddenCells(). Equal input gives equal bytes. Throws StageError(Usage) for a box of more than 4
// GB, (OutputFailed).
void writeVti(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

// fields.vdb: selected nodes as OpenVDB grids (Houdini, Blender). One float or vector grid per
// array, named by its quantity, with its unit as metadata "unit"; active where a node is selected,
// background 0. In metres, or micrometres for spacings up to 20 um, as the metadata "units" says.
// Equal input gives equal bytes. Throws StageError(OutputFailed).
void writeVdb(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

// wall.vtp: wall triangles with shear stress (PolyData) for ParaView, VTK, VMTK and 3D Slicer.
// Point data "wss_pa"; cell data "wss_pa", "traction_pa", "wall_label", and over a cycle
// "tawss_pa", "osi", "relative_residence_time_1_pa" (NaN where unknown). Points in metres. Throws
// StageError(OutputFailed).
void writeWallVtp(const std::filesystem::path& path, const results::WallShear& wall,
                  const std::optional<results::CycleShear>& cycle = std::nullopt);

}  // namespace tessera::postprocess::exports
