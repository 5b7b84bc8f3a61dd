// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/write_vti.hpp"

#include <charconv>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "postprocess/export/vtk_xml.hpp"

namespace tessera::postprocess::exports {

using fields::FieldArray;
using fields::SelectedNodes;

namespace {

constexpr double mostBytes = 4e9;
constexpr std::uint8_t hiddenPoint = 2;  // vtkDataSetAttributes::HIDDENPOINT

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    char digits[40];
    text += (text.empty() ? "" : " ") +
            std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
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
                "fields.vti would hold a box of " + std::to_string(points) + " nodes with " +
                    stage::formatBytes(bytes) +
                    "; choose a part with --region or fewer nodes with --every, or "
                    "export vtkhdf");
}

// The grid's place: extent, origin, spacing and, of a turned lattice, its axes as columns.
std::string imageElement(const SelectedNodes& nodes) {
  const Int3& low = nodes.low();
  const Int3 first = nodes.nodeOf(low);
  const Double3 origin = nodes.frame().toWorld({1.0 * first[0], 1.0 * first[1], 1.0 * first[2]});
  const double side = nodes.every() * nodes.frame().spacing;
  std::string extent;
  for (std::size_t a = 0; a < 3; ++a)
    extent += (a == 0 ? "0 " : " 0 ") + std::to_string(nodes.high()[a] - low[a]);
  std::vector<double> direction;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      direction.push_back(nodes.frame().axis[column][row]);
  return "<ImageData WholeExtent=\"" + extent + "\" Origin=\"" +
         numbers({origin[0], origin[1], origin[2]}) + "\" Spacing=\"" +
         numbers({side, side, side}) + "\" Direction=\"" + numbers(direction) +
         "\">\n<Piece Extent=\"" + extent + "\">\n";
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
  body += "</PointData>\n</Piece>\n</ImageData>\n";
  stage::AtomicFile file(path);
  appended.write(file, "ImageData", body);
  file.commit();
}

}  // namespace tessera::postprocess::exports
