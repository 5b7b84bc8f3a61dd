// SPDX-License-Identifier: GPL-3.0-or-later
// Writers of field and wall files. HDF5 stays behind write_vtkhdf.cpp, OpenVDB behind
// write_vdb.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "postprocess/export/file_metadata.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/results/results.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::exports {

// Coordinates are world ones in the metadata's unit, values SI. Equal input gives equal bytes.

// fields.vtkhdf: selected nodes as cells of an UnstructuredGrid in VTKHDF 1.0
// (https://examples.vtk.org/site/VTKFileFormats/) for ParaView 5.10, VTK 9.1 or newer; cells and
// points as in CellMesh, arrays as cell data. Throws StageError(OutputFailed).
void writeVtkhdf(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
                 const std::vector<fields::FieldArray>& arrays, const FileMetadata& metadata);

// fields.vtkhdf of several times in VTKHDF 2.0, for ParaView 5.12, VTK 9.3 or newer: one mesh, and
// values of each time; ParaView 5.11, VTK 9.2, shows the first. Throws StageError(OutputFailed).
class VtkhdfSeries {
 public:
  // arrays: of any of the times, for their names and components. nodes must outlive it.
  VtkhdfSeries(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
               const std::vector<fields::FieldArray>& arrays, const std::vector<double>& times,
               const FileMetadata& metadata);
  VtkhdfSeries(const VtkhdfSeries&) = delete;
  VtkhdfSeries& operator=(const VtkhdfSeries&) = delete;
  ~VtkhdfSeries();
  // Values of the time with that index.
  void write(std::size_t step, const std::vector<fields::FieldArray>& arrays);
  void finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// fields.vtu: selected nodes as cells of an UnstructuredGrid, for any VTK and ParaView; cells and
// points as in CellMesh, arrays as cell data. Throws StageError(OutputFailed).
void writeVtu(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays, const FileMetadata& metadata);

// fields.vti: bounding box of the selected nodes as ImageData, one point per node; arrays as point
// data, 0 in solid and unselected points, which "vtkGhostType" hides, as it does the cells of
// hiddenCells(). Throws StageError(Usage) for a box of more than 4 GB, (OutputFailed).
void writeVti(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays, const FileMetadata& metadata);

// fields.vdb: selected nodes as OpenVDB grids (Houdini, Blender). One float or vector grid per
// array, named by its quantity, with its unit as metadata "unit"; active where a node is selected,
// background 0. In metres, or micrometres for spacings up to 20 um, as the metadata "units" says.
// Throws StageError(OutputFailed).
void writeVdb(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

// ModelFaceID as SimVascular numbers faces, by wall label and by opening: N of the name "faceN",
// for other names the next free number from 1 on.
struct FaceIds {
  std::vector<int> wall, opening;
};
FaceIds modelFaceIds(const std::vector<std::string>& walls,
                     const std::vector<preprocess::geometry::Opening>& openings);

// wall.vtp: wall triangles (PolyData) for ParaView, VTK, VMTK and 3D Slicer. Point and cell data
// "wss" (vector: tangential traction of the fluid on the wall), "wss_magnitude", "pressure",
// "wall_label", "ModelFaceID", and over a cycle "tawss", "osi", "relative_residence_time" (NaN
// where unknown). A point between labels has the lowest. faceIds: by wall label. Throws
// StageError(OutputFailed).
void writeWallVtp(const std::filesystem::path& path, const results::WallShear& wall,
                  const std::optional<results::CycleShear>& cycle, const std::vector<int>& faceIds,
                  const FileMetadata& metadata);

// openings.vtp: the caps of the openings (PolyData), cell data "opening_id", "name", "flow_rate",
// "pressure" (means), "mean_velocity", "ModelFaceID". faceIds: by opening. Throws
// StageError(OutputFailed).
void writeOpeningsVtp(const std::filesystem::path& path, const tiler::TiledGeometry& geometry,
                      const std::vector<results::OpeningSummary>& openings,
                      const std::vector<int>& faceIds, const FileMetadata& metadata);

}  // namespace tessera::postprocess::exports
