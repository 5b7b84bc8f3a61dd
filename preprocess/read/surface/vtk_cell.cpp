// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/vtk_cell.hpp"

#include <array>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::read {
namespace {

enum VtkCellType : std::int64_t {
  Vertex = 1,
  PolyVertex = 2,
  Line = 3,
  PolyLine = 4,
  VtkTriangle = 5,
  TriangleStrip = 6,
  Polygon = 7,
  Pixel = 8,
  Quad = 9
};

[[noreturn]] void refuse(std::int64_t type, std::size_t points, const std::string& name) {
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("{} has a cell of VTK's type {} with {} points, expected triangles, "
                          "quads, polygons and triangle strips; extract the surface (in ParaView: "
                          "Extract Surface, then Triangulate) and export that.",
                          name, type, points));
}

}  // namespace

void addVtkCell(PolygonSoup& soup, std::int64_t type, std::span<const std::int64_t> points,
                const std::string& name) {
  switch (type) {
    case Vertex:
    case PolyVertex:
    case Line:
    case PolyLine:
      return;
    case TriangleStrip:
      return soup.addStrip(points);
    case Polygon:
      return soup.addPolygon(points);
    case VtkTriangle:
      if (points.size() == 3) return soup.addPolygon(points);
      break;
    case Quad:
      if (points.size() == 4) return soup.addPolygon(points);
      break;
    case Pixel:  // row by row, not around
      if (points.size() == 4)
        return soup.addPolygon(std::array{points[0], points[1], points[3], points[2]});
      break;
    default:
      break;
  }
  refuse(type, points.size(), name);
}

}  // namespace tessera::preprocess::read
