// SPDX-License-Identifier: GPL-3.0-or-later
// wall.vtp and openings.vtp.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "pipelines/stage/text.hpp"
#include "postprocess/export/vtk_xml.hpp"
#include "postprocess/export/writers.hpp"
#include "postprocess/quantity/wall_shear.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::exports {

namespace {

// N of "faceN", which is what preprocess calls the face with ModelFaceID N; 0 for other names.
int idInName(const std::string& name) {
  constexpr std::string_view prefix = "face";
  int id = 0;
  if (!name.starts_with(prefix)) return 0;
  const char* end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + prefix.size(), end, id);
  return error == std::errc{} && last == end && id > 0 ? id : 0;
}

}  // namespace

FaceIds modelFaceIds(const std::vector<std::string>& walls,
                     const std::vector<preprocess::geometry::Opening>& openings) {
  FaceIds ids;
  std::set<int> taken;
  for (const std::string& name : walls) ids.wall.push_back(idInName(name));
  for (const auto& opening : openings) ids.opening.push_back(idInName(opening.name));
  const auto each = [&](const auto& visit) {
    for (std::vector<int>* list : {&ids.wall, &ids.opening})
      for (int& id : *list) visit(id);
  };
  each([&](int& id) {
    if (id > 0 && !taken.insert(id).second) id = 0;
  });
  int next = 1;
  each([&](int& id) {
    if (id > 0) return;
    while (taken.contains(next)) ++next;
    id = next++;
  });
  return ids;
}

namespace {

// Declares an array that is in memory.
template <class T>
std::string inMemory(AppendedArrays& appended, const std::string& type, const std::string& name,
                     int components, std::vector<T> values) {
  const std::uint64_t count = values.size();
  return appended.declare(type, name, components, count, sizeof(T),
                          [values = std::move(values)](ByteSink& sink) {
                            for (const T value : values) sink(value);
                          });
}

std::string floats(AppendedArrays& appended, const std::string& name,
                   const std::vector<double>& values) {
  return inMemory(appended, "Float32", name, 1, std::vector<float>(values.begin(), values.end()));
}

std::string vectors(AppendedArrays& appended, const std::string& name,
                    const std::vector<Double3>& values) {
  std::vector<float> flat;
  flat.reserve(3 * values.size());
  for (const Double3& value : values)
    for (const double component : value) flat.push_back(static_cast<float>(component));
  return inMemory(appended, "Float32", name, 3, std::move(flat));
}

std::string ids(AppendedArrays& appended, const std::string& name,
                std::vector<std::int32_t> values) {
  return inMemory(appended, "Int32", name, 1, std::move(values));
}

// Points and triangles.
std::string trianglesOf(AppendedArrays& appended, const std::vector<Double3>& vertex,
                        const std::vector<stage::Triangle>& triangle,
                        const stage::LengthUnit& unit) {
  std::vector<double> points;
  points.reserve(3 * vertex.size());
  for (const Double3& position : vertex)
    for (const double x : position) points.push_back(unit.perMetre() * x);
  std::vector<std::int64_t> connectivity, offsets;
  for (const auto& corners : triangle) {
    connectivity.insert(connectivity.end(), corners.begin(), corners.end());
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  }
  std::string body =
      "<Points>\n" + inMemory(appended, "Float64", "points", 3, std::move(points)) + "</Points>\n";
  body += "<Polys>\n" + inMemory(appended, "Int64", "connectivity", 1, std::move(connectivity));
  return body + inMemory(appended, "Int64", "offsets", 1, std::move(offsets)) + "</Polys>\n";
}

void writePolyData(const std::filesystem::path& path, AppendedArrays& appended,
                   const std::string& fieldData, std::size_t points, std::size_t triangles,
                   const std::string& body) {
  stage::AtomicFile file(path);
  appended.write(
      file, "PolyData",
      "<PolyData>\n" + fieldData +
          fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfPolys=\"{}\">\n", points, triangles) +
          body + "</Piece>\n</PolyData>\n");
  file.commit();
}

// Lowest label of the triangles around each vertex; 0 without any.
std::vector<preprocess::geometry::Patch> vertexLabels(const results::WallShear& wall) {
  constexpr auto none = std::numeric_limits<preprocess::geometry::Patch>::max();
  std::vector<preprocess::geometry::Patch> label(wall.vertex.size(), none);
  for (std::size_t t = 0; t < wall.triangle.size(); ++t)
    for (const std::uint32_t v : wall.triangle[t]) label[v] = std::min(label[v], wall.label[t]);
  std::replace(label.begin(), label.end(), none, preprocess::geometry::Patch{0});
  return label;
}

std::string labelArrays(AppendedArrays& appended,
                        const std::vector<preprocess::geometry::Patch>& labels,
                        const std::vector<int>& faceIds) {
  std::vector<std::int32_t> faces;
  for (const auto label : labels) faces.push_back(label < faceIds.size() ? faceIds[label] : 0);
  return ids(appended, "wall_label", {labels.begin(), labels.end()}) +
         ids(appended, "ModelFaceID", std::move(faces));
}

// Scalars of the wall: name, unit, values per triangle.
struct WallArray {
  std::string name, unit;
  const std::vector<double>* values;
};

std::vector<WallArray> wallArrays(const results::WallShear& wall,
                                  const std::optional<results::CycleShear>& cycle) {
  std::vector<WallArray> arrays{{"wss_magnitude", "Pa", &wall.triangleShear},
                                {"pressure", "Pa", &wall.trianglePressure}};
  for (const results::WallQuantity& quantity : results::wallQuantities())
    if (const auto* values = quantity.values(wall, cycle);
        values != nullptr && quantity.moment == results::Moment::Period)
      arrays.push_back({quantity.name, quantity.unit, values});
  return arrays;
}

std::vector<Double3> vertexMeans(const results::WallShear& wall,
                                 const std::vector<Double3>& values) {
  std::vector<Double3> mean(wall.vertex.size());
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<double> component;
    for (const Double3& value : values) component.push_back(value[a]);
    const std::vector<double> means = quantity::vertexMeans(wall, component, 0.0);
    for (std::size_t v = 0; v < mean.size(); ++v) mean[v][a] = means[v];
  }
  return mean;
}

}  // namespace

void writeWallVtp(const std::filesystem::path& path, const results::WallShear& wall,
                  const std::optional<results::CycleShear>& cycle, const std::vector<int>& faceIds,
                  const FileMetadata& metadata) {
  const std::vector<WallArray> arrays = wallArrays(wall, cycle);
  ArrayUnits units{{"wss", "Pa"}};
  for (const WallArray& array : arrays) units.emplace_back(array.name, array.unit);
  AppendedArrays appended;
  std::string body = "<PointData Scalars=\"wss_magnitude\" Vectors=\"wss\">\n" +
                     vectors(appended, "wss", vertexMeans(wall, wall.triangleTraction));
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (const WallArray& array : arrays)
    body += floats(appended, array.name, quantity::vertexMeans(wall, *array.values, unknown));
  body += labelArrays(appended, vertexLabels(wall), faceIds) + "</PointData>\n";
  body += "<CellData Scalars=\"wss_magnitude\" Vectors=\"wss\">\n" +
          vectors(appended, "wss", wall.triangleTraction);
  for (const WallArray& array : arrays) body += floats(appended, array.name, *array.values);
  body += labelArrays(appended, wall.label, faceIds) + "</CellData>\n";
  body += trianglesOf(appended, wall.vertex, wall.triangle, metadata.unit);
  writePolyData(path, appended, fieldData(metadata, units), wall.vertex.size(),
                wall.triangle.size(), body);
}

void writeOpeningsVtp(const std::filesystem::path& path, const tiler::TiledGeometry& geometry,
                      const std::vector<results::OpeningSummary>& openings,
                      const std::vector<int>& faceIds, const FileMetadata& metadata) {
  const preprocess::geometry::TriangleMesh caps = quantity::openingCaps(geometry);
  std::vector<Double3> vertex;
  for (const Double3& position : caps.vertex) vertex.push_back(geometry.frame.toWorld(position));
  std::vector<std::int32_t> id, face;
  std::vector<std::string> name;
  std::vector<double> flowRate, pressure, velocity;
  for (const auto label : caps.label) {
    id.push_back(preprocess::geometry::openingId(label));
    const auto index = static_cast<std::size_t>(id.back() - 1);
    face.push_back(index < faceIds.size() ? faceIds[index] : 0);
    const auto of = std::find_if(openings.begin(), openings.end(),
                                 [&](const auto& opening) { return opening.id == id.back(); });
    const results::OpeningSummary summary = of == openings.end() ? results::OpeningSummary{} : *of;
    name.push_back(summary.name);
    flowRate.push_back(summary.flowRate);
    pressure.push_back(summary.meanPressure);
    velocity.push_back(summary.meanVelocity);
  }
  AppendedArrays appended;
  std::string body = "<CellData Scalars=\"opening_id\">\n" + ids(appended, "opening_id", id) +
                     ids(appended, "ModelFaceID", face) + floats(appended, "flow_rate", flowRate) +
                     floats(appended, "pressure", pressure) +
                     floats(appended, "mean_velocity", velocity) + stringArray("name", name) +
                     "</CellData>\n" + trianglesOf(appended, vertex, caps.triangle, metadata.unit);
  writePolyData(
      path, appended,
      fieldData(metadata, {{"flow_rate", "m3/s"}, {"pressure", "Pa"}, {"mean_velocity", "m/s"}}),
      vertex.size(), caps.triangle.size(), body);
}

}  // namespace tessera::postprocess::exports
