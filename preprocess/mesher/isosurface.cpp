// SPDX-License-Identifier: GPL-3.0-or-later
// Surface net of a field on blocks of 8x8x8 cells; blocks that the surface cannot reach are left
// out.
#include "preprocess/mesher/isosurface.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {

namespace {
constexpr int side = 8;  // of a block, cells

using CellValues = std::array<double, 8>;

struct FieldSamples {
  using Value = double;
  const geometry::DistanceField& field;
  Double3 low{};
  Double3 cell{};

  static bool isInside(double value) { return value < 0.0; }
  [[nodiscard]] Double3 point(const Int3& at) const {
    return low + Double3{at[0] * cell[0], at[1] * cell[1], at[2] * cell[2]};
  }
  [[nodiscard]] double sample(const Int3& at) const { return field(point(at)).value; }
  // position: in blocks.
  [[nodiscard]] bool reaches(const Int3& position) const {
    const double half = 0.5 * side;
    const Double3 centre = point(side * position) + half * cell;
    return std::abs(field(centre).value) <= 1.001 * half * length(cell);
  }
};

// Appends a vertex for each curve of the cell: the mean of the points where its edges are crossed,
// moved onto the surface.
void addVertices(const FieldSamples& samples, const Int3& cell, const CellValues& value,
                 const CellCurves& curves, std::vector<Double3>& vertex) {
  std::array<Double3, 4> sum{};
  std::array<int, 4> count{};
  for (int a = 0; a < 8; ++a)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int b = a | (1 << axis);
      if (a == b) continue;
      const std::uint8_t curve = curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
      if (curve == notCrossed) continue;
      Double3 at{double(a & 1), double((a >> 1) & 1), double(a >> 2)};
      const double va = value[static_cast<std::size_t>(a)];
      at[axis] = va / (va - value[static_cast<std::size_t>(b)]);
      sum[curve] = sum[curve] + at;
      ++count[curve];
    }
  for (std::size_t k = 0; k < curves.count; ++k) {
    const Double3 mean = (1.0 / count[k]) * sum[k];  // in the cell, 0 to 1
    vertex.push_back(
        geometry::ontoSurface(samples.field, samples.point(cell) + scaled(mean, samples.cell), 3));
  }
}

// The vertices and quads of a block.
struct BlockMesh {
  std::vector<Double3> vertex;
  std::vector<NetQuad> quad;
};

geometry::TriangleMesh triangles(const std::vector<BlockMesh>& block) {
  geometry::TriangleMesh mesh;
  for (const BlockMesh& each : block)
    mesh.vertex.insert(mesh.vertex.end(), each.vertex.begin(), each.vertex.end());
  const auto at = [&](std::uint32_t v) -> const Double3& { return mesh.vertex[v]; };
  for (const BlockMesh& each : block)
    for (const NetQuad& q : each.quad)
      for (const auto& half : halvesOf({at(q[0]), at(q[1]), at(q[2]), at(q[3])}))
        mesh.triangle.push_back({q[half[0]], q[half[1]], q[half[2]]});
  return mesh;
}

Int3 blocksIn(const Double3& low, const Double3& high, double cell) {
  Int3 blocks;
  for (std::size_t a = 0; a < 3; ++a)
    blocks[a] = static_cast<int>(std::ceil((high[a] - low[a]) / (cell * side)));
  return blocks;
}
}  // namespace

geometry::TriangleMesh isosurface(const geometry::DistanceField& field, const Double3& low,
                                  const Double3& high, double cell) {
  const FieldSamples samples{field, low, {cell, cell, cell}};
  SurfaceNet net(blocksIn(low, high, cell), {side, side, side}, {false, false, false});
  net.findBlocks(samples);
  std::vector<BlockMesh> block(net.blocks().size());
  net.findCells(samples, [&](std::size_t b, const Int3& at, const CellValues& value,
                             const CellCurves& curves) {
    addVertices(samples, at, value, curves, block[b].vertex);
  });
  const std::uint64_t vertices = net.numberVertices();
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    stage::fail(stage::ExitCode::NoResource,
                "the surface would have " + std::to_string(vertices) +
                    " vertices, more than the 4294967295 that a mesh can hold: "
                    "make it coarser.");
  stage::parallelFor(block.size(), [&](std::size_t b) {
    net.forEachQuad(net.blocks()[b], [&](const CrossedEdge&, const NetQuad& quad) {
      block[b].quad.push_back(quad);
    });
  });
  return triangles(block);
}

}  // namespace tessera::preprocess::mesher
