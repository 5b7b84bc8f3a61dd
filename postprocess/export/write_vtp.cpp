// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/write_vtp.hpp"

#include <string>
#include <vector>

#include "postprocess/export/vtk_xml.hpp"
#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::exports {

namespace {

// An array that is held anyway.
template <class T>
std::string held(AppendedArrays& appended, const char* type, const char* name, int components,
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
    return held(appended, "Float32", name, components, asFloats(values));
  };
  std::string body = "<PolyData>\n<Piece NumberOfPoints=\"" + std::to_string(wall.vertex.size()) +
                     "\" NumberOfPolys=\"" + std::to_string(wall.triangle.size()) + "\">\n";
  body +=
      "<PointData Scalars=\"wss_pa\">\n" + floats("wss_pa", 1, wall.vertexShear) + "</PointData>\n";
  body += "<CellData Scalars=\"wss_pa\">\n" + floats("wss_pa", 1, wall.triangleShear) +
          floats("traction_pa", 3, wall.triangleTraction) +
          held(appended, "UInt16", "wall_label", 1, std::move(labels));
  // The values of the arrays lie in the file in the reverse order of the declarations.
  std::string overCycle;
  for (auto quantity = results::wallQuantities().rbegin();
       quantity != results::wallQuantities().rend(); ++quantity)
    if (const auto* values = quantity->values(wall, cycle);
        values != nullptr && quantity->moment == results::Moment::Period)
      overCycle =
          floats(results::keyOf(quantity->name, quantity->unit).c_str(), 1, *values) + overCycle;
  body += overCycle;
  body += "</CellData>\n";
  body += "<Points>\n" + held(appended, "Float64", "points", 3, std::move(points)) + "</Points>\n";
  body += "<Polys>\n" + held(appended, "Int64", "connectivity", 1, std::move(connectivity)) +
          held(appended, "Int64", "offsets", 1, std::move(offsets)) + "</Polys>\n";
  body += "</Piece>\n</PolyData>\n";

  stage::AtomicFile file(path);
  appended.write(file, "PolyData", body);
  file.commit();
}

}  // namespace tessera::postprocess::exports
