// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/reference_point.hpp"

#include <cmath>

#include "pipelines/stage/case/pressure_tap.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"

namespace tessera::solver::cases {

using tiler::TiledGeometry;

std::optional<std::size_t> fluidNode(const TiledGeometry& geometry, Int3 node) {
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = geometry.nodes[a];
    if (geometry.periodic[a]) node[a] = (node[a] % n + n) % n;
    if (node[a] < 0 || node[a] >= n) return std::nullopt;
  }
  const tiler::TilePlace place = geometry.placeOf(node);
  const std::int32_t t = geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  if (t < 0) return std::nullopt;
  const std::size_t index =
      static_cast<std::size_t>(t) * tiler::tileNodes + static_cast<std::size_t>(place.local);
  if (geometry.nodeType[index] == static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
    return std::nullopt;
  return index;
}

namespace {

// Whether one of the nodes of the cell that a position in lattice coordinates is in is fluid.
bool hasFluidAround(const TiledGeometry& geometry, const Double3& at) {
  for (unsigned corner = 0; corner < 8; ++corner) {
    Int3 node{};
    bool counts = true;  // a position on a node's plane has no weight beyond it
    for (std::size_t a = 0; a < 3; ++a) {
      const double below = std::floor(at[a]);
      const bool up = (corner >> a & 1U) != 0;
      node[a] = static_cast<int>(below) + (up ? 1 : 0);
      counts = counts && (!up || at[a] > below);
    }
    if (counts && fluidNode(geometry, node)) return true;
  }
  return false;
}

}  // namespace

void requireInFluid(const Double3& point, const std::string& name, const TiledGeometry& geometry,
                    comm::Ranks& ranks) {
  Double3 at = geometry.frame.toLattice(point);
  if (geometry.dimensions == 2) at[2] = 0.0;
  bool outside = false;
  for (std::size_t a = 0; a < 3; ++a)
    outside = outside || !(at[a] >= -1.0 && at[a] <= geometry.nodes[a]);
  // A rank has a part of the nodes.
  const bool around = !outside && hasFluidAround(geometry, at);
  if (comm::largestOf(ranks, around ? 1.0 : 0.0) > 0.0) return;
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format("{} {}, {}, {} m is {}; a point in the fluid is required, "
                  "in the world frame",
                  name, stage::number(point[0]), stage::number(point[1]), stage::number(point[2]),
                  outside ? "outside of the geometry" : "in the solid"));
}

void checkReferencePoint(const stage::CaseFile& file, const TiledGeometry& geometry,
                         comm::Ranks& ranks) {
  const auto point = stage::readPressureTap(file);
  if (!point) return;
  requireInFluid(*point, file.table("reference").where("pressure_at") + ": pressure_at", geometry,
                 ranks);
}

}  // namespace tessera::solver::cases
