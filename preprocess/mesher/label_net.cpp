// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/label_net.hpp"

#include <limits>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {
namespace {

using std::size_t;

// Labels of voxels, solid beyond the sides of the image, wrapped on periodic axes. Sample 0 is
// the voxel beyond the low side, on a periodic axis the first voxel.
struct LabelSamples {
  using Value = std::uint8_t;
  const geometry::BitLattice& fluid;
  std::array<bool, 3> periodic;
  Int3 first{};  // voxel of sample (0, 0, 0)
  Int3 cells{};

  LabelSamples(const geometry::BitLattice& labels, const std::array<bool, 3>& axes)
      : fluid(labels), periodic(axes), cells(labels.size) {
    for (size_t a = 0; a < 3; ++a) {
      first[a] = periodic[a] ? 0 : -1;
      cells[a] += periodic[a] ? 0 : 1;
    }
  }
  static bool isInside(Value value) { return value != 0; }
  [[nodiscard]] Value sample(const Int3& at) const {
    Int3 voxel = at + first;
    return geometry::wrapInto(fluid.size, periodic, voxel) &&
           fluid.at(voxel[0], voxel[1], voxel[2]);
  }
  [[nodiscard]] bool reaches(const Int3&) const { return true; }
};

// The quad around an edge, with the side of the image or the ends of periodic axes it lies on.
LabelNet::Quad quadOf(const LabelSamples& samples, const CrossedEdge& edge, const NetQuad& vertex) {
  LabelNet::Quad quad{.vertex = vertex};
  const auto along = static_cast<size_t>(edge.axis);
  const int lower = samples.first[along] + edge.cell[along];  // voxel at the edge's start
  const bool leavesHigh = lower == samples.fluid.size[along] - 1;
  if (!samples.periodic[along] && (lower == -1 || leavesHigh))
    quad.side = static_cast<std::uint8_t>(2 * edge.axis + (leavesHigh ? 1 : 0));
  // The end of a periodic axis is seen from the fluid's side.
  const bool isSeenLow = samples.periodic[along] && leavesHigh && !edge.isInside;
  for (unsigned k = 0; k < 4; ++k) {
    const Int3 around = edge.cell + stepAround(edge, k);
    unsigned low = isSeenLow ? 1U << edge.axis : 0U;
    for (size_t a = 0; a < 3; ++a)
      if (around[a] < 0) low |= 1U << a;
    quad.low = static_cast<std::uint16_t>(quad.low | low << (3 * k));
  }
  return quad;
}

}  // namespace

LabelNet labelNet(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic) {
  const LabelSamples samples(fluid, periodic);
  const Int3& cells = samples.cells;
  SurfaceNet surface({1, 1, cells[2]}, {cells[0], cells[1], 1}, periodic);
  surface.findBlocks(samples);
  surface.findCells(samples, [](const auto&...) {});
  const std::uint64_t vertices = surface.numberVertices();
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    stage::fail(stage::ExitCode::NoResource,
                "the image's surface would have " + std::to_string(vertices) +
                    " vertices, more than 32 bits count; cut out a part of the image.");
  const std::vector<NetBlock>& layers = surface.blocks();
  std::vector<std::vector<LabelNet::Quad>> quads(layers.size());
  stage::parallelFor(layers.size(), [&](size_t k) {
    surface.forEachQuad(layers[k], [&](const CrossedEdge& edge, const NetQuad& vertex) {
      quads[k].push_back(quadOf(samples, edge, vertex));
    });
  });
  LabelNet net;
  net.size = fluid.size;
  net.periodic = periodic;
  for (size_t k = 0; k < layers.size(); ++k) {
    surface.forEachCell(layers[k], [&](const Int3& at, const NetCell& cell) {
      net.cell.insert(net.cell.end(), cellCurveTable()[cell.curves].count, at + samples.first);
    });
    net.quad.insert(net.quad.end(), quads[k].begin(), quads[k].end());
    quads[k] = {};
  }
  net.offset.resize(net.cell.size());
  return net;
}

}  // namespace tessera::preprocess::mesher
