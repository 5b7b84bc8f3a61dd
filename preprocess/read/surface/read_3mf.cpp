// SPDX-License-Identifier: GPL-3.0-or-later
// 3MF (3MF Core Specification 1.3, a zip file with XML) by lib3mf in the child process
// tessera-read-3mf (child/read_3mf_main.cpp): the meshes of all build items with their transforms,
// components too; support material is left out. Objects are faces by name. Coordinates become
// millimetres, whatever the unit of the file. Beam lattices and slices are ignored.
#include <array>
#include <unordered_set>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/child/child_reader.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/read/transform.hpp"

namespace tessera::preprocess::read {

namespace {

const ChildProgram program{"tessera-read-3mf", "lib3mf", "lib3mf-dev"};

constexpr double metresPerMillimetre = 1e-3;
constexpr std::size_t atOnce = 4096;  // vertices or triangles

class Objects {
 public:
  Objects(ChildReader& child, std::size_t fileBytes, const std::string& name)
      : child_(child), soup_(fileBytes, name, sizeof(std::uint16_t)), name_(name) {
    constexpr std::size_t usualRatio = 8;  // of the compressed XML
    soup_.addFileBytes((usualRatio - 1) * fileBytes);
  }

  TriangleSoup read() {
    if (child_.message() != ChildMessage::Unit) damaged();
    const double metres = child_.real();
    if (!(metres > 0.0 && metres <= 1.0)) damaged();
    for (ChildMessage next = child_.message(); next != ChildMessage::End; next = child_.message()) {
      if (next != ChildMessage::Mesh) damaged();
      takeMesh(metres / metresPerMillimetre);
    }
    TriangleSoup soup = std::move(soup_).finish();
    soup.ownUnit = metres;
    if (faceName_.size() < 2) return soup;
    soup.face = std::move(face_);
    soup.faceName = std::move(faceName_);
    return soup;
  }

 private:
  [[noreturn]] void damaged() { child_.refuse("the reader's messages are damaged"); }

  void takeMesh(double scale) {
    std::string face = child_.text();
    if (face.empty()) face = fmt::format("object{}", faceName_.size() + 1);
    Transform transform;
    for (auto& row : transform.entry) {
      for (double& value : row) value = child_.real();
      row[3] *= scale;
    }
    const auto first = static_cast<std::int64_t>(soup_.vertices());
    const std::uint32_t vertices = child_.number(), triangles = child_.number();
    takeVertices(vertices, transform, scale);
    takeTriangles(triangles, first, transform.isMirrored());
    if (faceName_.size() == maxFaceNames)
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} has more than {} objects; export fewer of them, or join them.",
                              name_, maxFaceNames));
    face_.resize(soup_.triangles(), static_cast<std::uint16_t>(faceName_.size()));
    faceName_.push_back(takeName(taken_, face));
  }

  void takeVertices(std::uint32_t count, const Transform& transform, double scale) {
    std::vector<Float3> some;
    for (std::uint32_t left = count; left > 0;) {
      some.resize(std::min<std::size_t>(left, atOnce));
      child_.bytes(some.data(), some.size() * sizeof(Float3));
      for (const Float3& v : some)
        soup_.addVertex(
            transform(scale * Double3{static_cast<double>(v[0]), static_cast<double>(v[1]),
                                      static_cast<double>(v[2])}));
      left -= static_cast<std::uint32_t>(some.size());
    }
  }

  void takeTriangles(std::uint32_t count, std::int64_t first, bool isMirrored) {
    std::vector<std::array<std::uint32_t, 3>> some;
    for (std::uint32_t left = count; left > 0;) {
      some.resize(std::min<std::size_t>(left, atOnce));
      child_.bytes(some.data(), some.size() * sizeof some[0]);
      for (const auto& t : some) {
        std::array<std::int64_t, 3> ring{first + t[0], first + t[1], first + t[2]};
        if (isMirrored) std::swap(ring[1], ring[2]);
        soup_.addPolygon(ring);
      }
      left -= static_cast<std::uint32_t>(some.size());
    }
  }

  ChildReader& child_;
  PolygonSoup soup_;
  std::string name_;
  std::vector<std::uint16_t> face_;  // of each triangle
  std::vector<std::string> faceName_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

TriangleSoup parse3mf(ChildReader& child, std::size_t fileBytes, const std::string& name) {
  return Objects(child, fileBytes, name).read();
}

TriangleSoup read3mf(const std::filesystem::path& path) {
  requireFile(path);
  std::error_code error;
  const auto bytes = static_cast<std::size_t>(std::filesystem::file_size(path, error));
  const std::string name = path.string();
  ChildReader child(program, "meshes", {name}, limitsOfFiles(bytes, 10 * bytes), name);
  return parse3mf(child, bytes, name);
}

}  // namespace tessera::preprocess::read
