// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write_vtp.hpp"

#include <string>
#include <vector>

#include "pipelines/stage/atomic_file.hpp"

namespace tessera {

namespace {

// Blocks after the XML, each a byte count (u64) and its bytes.
class Appended {
 public:
  template <class T>
  std::string array(const char* type, const char* name, int components,
                    const std::vector<T>& values) {
    const std::string text = std::string("<DataArray type=\"") + type + "\" Name=\"" + name +
                             "\" NumberOfComponents=\"" + std::to_string(components) +
                             "\" format=\"appended\" offset=\"" + std::to_string(data_.size()) +
                             "\"/>\n";
    const std::uint64_t bytes = values.size() * sizeof(T);
    append(&bytes, sizeof bytes);
    append(values.data(), bytes);
    return text;
  }
  [[nodiscard]] const std::string& data() const { return data_; }

 private:
  void append(const void* from, std::size_t bytes) {
    data_.append(static_cast<const char*>(from), bytes);
  }
  std::string data_;
};

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

void writeWallVtp(const std::filesystem::path& path, const WallShear& wall,
                  const std::optional<CycleShear>& cycle) {
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

  Appended appended;
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"" +
      std::to_string(wall.vertex.size()) + "\" NumberOfPolys=\"" +
      std::to_string(wall.triangle.size()) + "\">\n";
  xml += "<PointData Scalars=\"wss\">\n" +
         appended.array("Float32", "wss", 1, asFloats(wall.vertexShear)) + "</PointData>\n";
  xml += "<CellData Scalars=\"wss\">\n" +
         appended.array("Float32", "wss", 1, asFloats(wall.triangleShear)) +
         appended.array("Float32", "traction", 3, asFloats(wall.triangleTraction)) +
         appended.array("UInt16", "wall_label", 1, labels);
  if (cycle)
    xml += appended.array("Float32", "tawss", 1, asFloats(cycle->tawss)) +
           appended.array("Float32", "osi", 1, asFloats(cycle->osi)) +
           appended.array("Float32", "rrt", 1, asFloats(cycle->residence));
  xml += "</CellData>\n";
  xml += "<Points>\n" + appended.array("Float64", "points", 3, points) + "</Points>\n";
  xml += "<Polys>\n" + appended.array("Int64", "connectivity", 1, connectivity) +
         appended.array("Int64", "offsets", 1, offsets) + "</Polys>\n";
  xml += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";

  AtomicFile file(path);
  file.write(xml);
  file.write(appended.data());
  file.write("\n</AppendedData>\n</VTKFile>\n");
  file.commit();
}

}  // namespace tessera
