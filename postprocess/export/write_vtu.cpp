// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/write_vtu.hpp"

#include "postprocess/export/cell_mesh.hpp"
#include "postprocess/export/vtk_xml.hpp"

namespace tessera::postprocess::exports {

namespace {

std::string cellData(AppendedArrays& appended, const CellMesh& mesh,
                     const std::vector<fields::FieldArray>& arrays) {
  std::string body = "<CellData Vectors=\"velocity_m_s\" Scalars=\"pressure_pa\">\n";
  for (const fields::FieldArray& array : arrays)
    body += appended.declare("Float32", array.name, array.components,
                             mesh.cells() * static_cast<std::uint64_t>(array.components),
                             sizeof(float), [&](ByteSink& sink) { mesh.giveValues(array, sink); });
  return body + "</CellData>\n";
}

std::string cells(AppendedArrays& appended, const CellMesh& mesh) {
  std::string body = "<Cells>\n";
  body += appended.declare("Int64", "connectivity", 1, 8 * mesh.cells(), sizeof(std::int64_t),
                           [&](ByteSink& sink) { mesh.giveConnectivity(sink); });
  body += appended.declare("Int64", "offsets", 1, mesh.cells(), sizeof(std::int64_t),
                           [&](ByteSink& sink) {
                             for (std::uint64_t c = 1; c <= mesh.cells(); ++c)
                               sink(static_cast<std::int64_t>(8 * c));
                           });
  body += appended.declare("UInt8", "types", 1, mesh.cells(), 1, [&](ByteSink& sink) {
    for (std::uint64_t c = 0; c < mesh.cells(); ++c) sink(mesh.cellType());
  });
  return body + "</Cells>\n";
}

}  // namespace

void writeVtu(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays) {
  const CellMesh mesh(nodes);
  AppendedArrays appended;
  std::string body = "<UnstructuredGrid>\n<Piece NumberOfPoints=\"" +
                     std::to_string(mesh.points()) + "\" NumberOfCells=\"" +
                     std::to_string(mesh.cells()) + "\">\n";
  body += cellData(appended, mesh, arrays);
  body += "<Points>\n" +
          appended.declare("Float32", "points", 3, 3 * mesh.points(), sizeof(float),
                           [&](ByteSink& sink) { mesh.givePoints(sink); }) +
          "</Points>\n";
  body += cells(appended, mesh) + "</Piece>\n</UnstructuredGrid>\n";
  stage::AtomicFile file(path);
  appended.write(file, "UnstructuredGrid", body);
  file.commit();
}

}  // namespace tessera::postprocess::exports
