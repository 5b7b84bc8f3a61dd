// SPDX-License-Identifier: GPL-3.0-or-later
// VTK XML files with appended raw data, little-endian, 64-bit headers
// (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html): arrays are declared first
// and streamed afterwards.
#include "postprocess/export/writers.hpp"

#include <charconv>
#include <functional>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/cell_mesh.hpp"
#include "postprocess/export/cut_cells.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::exports {
namespace {

// Collects numbers into large writes.
class ByteSink {
 public:
  explicit ByteSink(stage::AtomicFile& file) : file_(file) {}
  template <class T>
  void operator()(T value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    buffer_.append(bytes, sizeof value);
    if (buffer_.size() >= limit) flush();
  }
  // Called at the end. Throws StageError(OutputFailed).
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t limit = std::size_t{1} << 20U;
  stage::AtomicFile& file_;
  std::string buffer_;
};

class AppendedArrays {
 public:
  // Element <DataArray .../> of `count` numbers of this type ("Float32") of `size` bytes each;
  // give() supplies them when the file is written.
  std::string declare(const std::string& type, const std::string& name, int components,
                      std::uint64_t count, std::size_t size, std::function<void(ByteSink&)> give);

  // Writes the file: <VTKFile type="kind">, the body, the arrays in order. Throws
  // StageError(OutputFailed).
  void write(stage::AtomicFile& file, const std::string& kind, const std::string& body) const;

 private:
  struct Array {
    std::uint64_t bytes;
    std::function<void(ByteSink&)> give;
  };
  std::vector<Array> arrays_;
  std::uint64_t offset_ = 0;
};

std::string AppendedArrays::declare(const std::string& type, const std::string& name,
                                    int components, std::uint64_t count, std::size_t size,
                                    std::function<void(ByteSink&)> give) {
  const std::uint64_t bytes = count * size;
  std::string element = fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"/>\n",
      type, name, components, offset_);
  offset_ += sizeof bytes + bytes;
  arrays_.push_back({bytes, std::move(give)});
  return element;
}

void AppendedArrays::write(stage::AtomicFile& file, const std::string& kind,
                           const std::string& body) const {
  file.write(
      fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n{}"
                  "<AppendedData encoding=\"raw\">\n_",
                  kind, body));
  for (const Array& array : arrays_) {
    ByteSink sink(file);
    sink(array.bytes);
    array.give(sink);
    sink.flush();
  }
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

}  // namespace

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

// Extent, origin, spacing and (of a rotated lattice) axes as columns.
std::string imageElement(const SelectedNodes& nodes) {
  const Int3& low = nodes.low();
  const Int3 first = nodes.nodeOf(low);
  const Double3 origin = nodes.frame().toWorld({1.0 * first[0], 1.0 * first[1], 1.0 * first[2]});
  const double side = nodes.every() * nodes.frame().spacing;
  std::string extent;
  for (std::size_t a = 0; a < 3; ++a)
    extent += fmt::format("{}{}", a == 0 ? "0 " : " 0 ", nodes.high()[a] - low[a]);
  std::vector<double> direction;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      direction.push_back(nodes.frame().axis[column][row]);
  return fmt::format(
      "<ImageData WholeExtent=\"{0}\" Origin=\"{1}\" Spacing=\"{2}\" "
      "Direction=\"{3}\">\n<Piece Extent=\"{0}\">\n",
      extent, numbers({origin[0], origin[1], origin[2]}), numbers({side, side, side}),
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
              const std::vector<FieldArray>& arrays) {
  const std::uint64_t points = pointsOf(nodes);
  checkSize(points, arrays);
  AppendedArrays appended;
  std::string body = imageElement(nodes);
  body += "<PointData Vectors=\"velocity_m_s\" Scalars=\"pressure_pa\">\n";
  for (const FieldArray& array : arrays)
    body += appended.declare(
        "Float32", array.name, array.components,
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

// Declares an array that is in memory.
template <class T>
std::string inMemory(AppendedArrays& appended, const char* type, const char* name, int components,
                     std::vector<T> values) {
  const std::uint64_t count = values.size();
  return appended.declare(type, name, components, count, sizeof(T),
                          [values = std::move(values)](ByteSink& sink) {
                            for (const T value : values) sink(value);
                          });
}

std::vector<float> asFloats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

std::vector<float> asFloats(const std::vector<Double3>& values) {
  std::vector<float> flat;
  flat.reserve(3 * values.size());
  for (const Double3& value : values)
    for (const double component : value) flat.push_back(static_cast<float>(component));
  return flat;
}

}  // namespace

void writeWallVtp(const std::filesystem::path& path, const results::WallShear& wall,
                  const std::optional<results::CycleShear>& cycle) {
  std::vector<std::int64_t> connectivity, offsets;
  std::vector<std::uint16_t> labels(wall.label.begin(), wall.label.end());
  for (const auto& triangle : wall.triangle) {
    connectivity.insert(connectivity.end(), triangle.begin(), triangle.end());
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  }
  std::vector<double> points;
  points.reserve(3 * wall.vertex.size());
  for (const Double3& vertex : wall.vertex)
    points.insert(points.end(), vertex.begin(), vertex.end());

  AppendedArrays appended;
  const auto floats = [&](const char* name, int components, const auto& values) {
    return inMemory(appended, "Float32", name, components, asFloats(values));
  };
  std::string body = fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfPolys=\"{}\">\n",
                                 wall.vertex.size(), wall.triangle.size());
  body +=
      "<PointData Scalars=\"wss_pa\">\n" + floats("wss_pa", 1, wall.vertexShear) + "</PointData>\n";
  body += "<CellData Scalars=\"wss_pa\">\n" + floats("wss_pa", 1, wall.triangleShear) +
          floats("traction_pa", 3, wall.triangleTraction) +
          inMemory(appended, "UInt16", "wall_label", 1, std::move(labels));
  // Values are stored in the reverse order of the declarations.
  std::string overCycle;
  for (auto quantity = results::wallQuantities().rbegin();
       quantity != results::wallQuantities().rend(); ++quantity)
    if (const auto* values = quantity->values(wall, cycle);
        values != nullptr && quantity->moment == results::Moment::Period)
      overCycle =
          floats(results::keyOf(quantity->name, quantity->unit).c_str(), 1, *values) + overCycle;
  body += overCycle;
  body += "</CellData>\n";
  body +=
      "<Points>\n" + inMemory(appended, "Float64", "points", 3, std::move(points)) + "</Points>\n";
  body += "<Polys>\n" + inMemory(appended, "Int64", "connectivity", 1, std::move(connectivity)) +
          inMemory(appended, "Int64", "offsets", 1, std::move(offsets)) + "</Polys>\n";
  body += "</Piece>\n</PolyData>\n";

  stage::AtomicFile file(path);
  appended.write(file, "PolyData", body);
  file.commit();
}

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
  std::string body =
      fmt::format("<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                  mesh.points(), mesh.cells());
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
