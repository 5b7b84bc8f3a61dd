// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vti and fields.vtu.
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/cell_mesh.hpp"
#include "postprocess/export/cut_cells.hpp"
#include "postprocess/export/vtk_xml.hpp"
#include "postprocess/export/writers.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::exports {

using fields::FieldArray;
using fields::SelectedNodes;

namespace {

constexpr double mostBytes = 4e9;
constexpr std::uint8_t hiddenPoint = 2;  // vtkDataSetAttributes::HIDDENPOINT
constexpr std::uint8_t hiddenCell = 32;  // vtkDataSetAttributes::HIDDENCELL

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values)
    text += fmt::format("{}{}", text.empty() ? "" : " ", results::csvNumber(value));
  return text;
}

template <class Visit>
void forEachPoint(const SelectedNodes& nodes, Visit&& visit) {
  for (int z = nodes.low()[2]; z <= nodes.high()[2]; ++z)
    for (int y = nodes.low()[1]; y <= nodes.high()[1]; ++y)
      for (int x = nodes.low()[0]; x <= nodes.high()[0]; ++x) {
        const Int3 cell{x, y, z};
        visit(nodes.nodeOf(cell), nodes.indexOf(cell));
      }
}

std::uint64_t pointsOf(const SelectedNodes& nodes) {
  std::uint64_t points = 1;
  for (std::size_t a = 0; a < 3; ++a)
    points *= static_cast<std::uint64_t>(nodes.high()[a] - nodes.low()[a] + 1);
  return points;
}

void checkSize(std::uint64_t points, const std::vector<FieldArray>& arrays) {
  double bytes = static_cast<double>(points);
  for (const FieldArray& array : arrays)
    bytes += sizeof(float) * static_cast<double>(array.components) * static_cast<double>(points);
  if (bytes > mostBytes)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("fields.vti would be a box of {} nodes with {}; choose a part with "
                            "--region or fewer nodes with --every, or export vtkhdf",
                            points, stage::formatBytes(bytes)));
}

std::string extentOf(const SelectedNodes& nodes) {
  std::string extent;
  for (std::size_t a = 0; a < 3; ++a)
    extent += fmt::format("{}{}", a == 0 ? "0 " : " 0 ", nodes.high()[a] - nodes.low()[a]);
  return extent;
}

std::string pieceElement(const SelectedNodes& nodes) {
  return "<Piece Extent=\"" + extentOf(nodes) + "\">\n";
}

// Extent, origin, spacing and (of a rotated lattice) axes as columns.
std::string imageElement(const SelectedNodes& nodes, const stage::LengthUnit& unit) {
  const Int3 first = nodes.nodeOf(nodes.low());
  const Double3 origin =
      unit.perMetre() * nodes.frame().toWorld({1.0 * first[0], 1.0 * first[1], 1.0 * first[2]});
  const double side = unit.perMetre() * nodes.every() * nodes.frame().spacing;
  std::vector<double> direction;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      direction.push_back(nodes.frame().axis[column][row]);
  return fmt::format(
      "<ImageData WholeExtent=\"{0}\" Origin=\"{1}\" Spacing=\"{2}\" "
      "Direction=\"{3}\">\n",
      extentOf(nodes), numbers({origin[0], origin[1], origin[2]}), numbers({side, side, side}),
      numbers(direction));
}

// Cell data that hides the cells which a wall cuts; empty without any.
std::string hiddenCellData(AppendedArrays& appended, preprocess::geometry::BitLattice hidden) {
  if (hidden.count() == 0) return {};
  const Int3 size = hidden.size;
  const auto cells = static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]) *
                     static_cast<std::uint64_t>(size[2]);
  return "<CellData>\n" +
         appended.declare("UInt8", "vtkGhostType", 1, cells, 1,
                          [hidden = std::move(hidden)](ByteSink& sink) {
                            for (int z = 0; z < hidden.size[2]; ++z)
                              for (int y = 0; y < hidden.size[1]; ++y)
                                for (int x = 0; x < hidden.size[0]; ++x)
                                  sink(hidden.at(x, y, z) ? hiddenCell : std::uint8_t{0});
                          }) +
         "</CellData>\n";
}

}  // namespace

void writeVti(const std::filesystem::path& path, const SelectedNodes& nodes,
              const std::vector<FieldArray>& arrays, const FileMetadata& metadata) {
  const std::uint64_t points = pointsOf(nodes);
  checkSize(points, arrays);
  AppendedArrays appended;
  std::string body = imageElement(nodes, metadata.unit) + fieldData(metadata, unitsOf(arrays)) +
                     pieceElement(nodes);
  body += "<PointData Vectors=\"velocity\" Scalars=\"pressure\">\n";
  for (const FieldArray& array : arrays)
    body += appended.declare(
        "Float32", array.quantity, array.components,
        points * static_cast<std::uint64_t>(array.components), sizeof(float), [&](ByteSink& sink) {
          forEachPoint(nodes, [&](const Int3& node, std::int64_t index) {
            std::array<float, 3> values{};
            if (index >= 0) array.valueAt(node, static_cast<std::uint64_t>(index), values.data());
            for (int c = 0; c < array.components; ++c) sink(values[static_cast<std::size_t>(c)]);
          });
        });
  body += appended.declare("UInt8", "vtkGhostType", 1, points, 1, [&](ByteSink& sink) {
    forEachPoint(nodes, [&](const Int3&, std::int64_t index) {
      sink(index < 0 ? hiddenPoint : std::uint8_t{0});
    });
  });
  body += "</PointData>\n" + hiddenCellData(appended, hiddenCells(nodes));
  body += "</Piece>\n</ImageData>\n";
  stage::AtomicFile file(path);
  appended.write(file, "ImageData", body);
  file.commit();
}

namespace {

std::string cellData(AppendedArrays& appended, const CellMesh& mesh,
                     const std::vector<fields::FieldArray>& arrays) {
  std::string body = "<CellData Vectors=\"velocity\" Scalars=\"pressure\">\n";
  for (const fields::FieldArray& array : arrays)
    body += appended.declare("Float32", array.quantity, array.components,
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
              const std::vector<fields::FieldArray>& arrays, const FileMetadata& metadata) {
  const CellMesh mesh(nodes);
  AppendedArrays appended;
  std::string body = "<UnstructuredGrid>\n" + fieldData(metadata, unitsOf(arrays)) +
                     fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                                 mesh.points(), mesh.cells());
  body += cellData(appended, mesh, arrays);
  body += "<Points>\n" +
          appended.declare("Float32", "points", 3, 3 * mesh.points(), sizeof(float),
                           [&](ByteSink& sink) { mesh.givePoints(metadata.unit, sink); }) +
          "</Points>\n";
  body += cells(appended, mesh) + "</Piece>\n</UnstructuredGrid>\n";
  stage::AtomicFile file(path);
  appended.write(file, "UnstructuredGrid", body);
  file.commit();
}

}  // namespace tessera::postprocess::exports
