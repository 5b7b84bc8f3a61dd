// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/section_nodes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/opening_links.hpp"
#include "tiler/plane_section.hpp"

namespace tessera::solver::run {

namespace {

using tiler::TiledGeometry;

// A fluid node next to the plane, or one whose periodic image is.
struct NearNode {
  std::uint64_t place = 0;  // by placeOf()
  std::uint64_t id = 0;     // 64 tiles of the file + local node
  std::uint32_t mask = 0;   // of directions whose links end on walls or openings
  tiler::NodeOpenings openings;
};

std::uint64_t placeOf(const Int3& at, const TiledGeometry& geometry) {
  const auto size = [&](std::size_t a) { return static_cast<std::uint64_t>(geometry.nodes[a]); };
  return static_cast<std::uint64_t>(at[0]) +
         size(0) *
             (static_cast<std::uint64_t>(at[1]) + size(1) * static_cast<std::uint64_t>(at[2]));
}

bool isNextTo(const tiler::SectionPlane& plane, const Int3& at, const TiledGeometry& geometry) {
  if (plane.isNextTo(at)) return true;
  std::array<std::array<int, 3>, 3> images{};  // one node beyond the other side, of each axis
  std::array<std::size_t, 3> count{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    images[a][0] = at[a];
    if (!geometry.periodic[a]) continue;
    if (at[a] == 0) images[a][count[a]++] = geometry.nodes[a];
    if (at[a] == geometry.nodes[a] - 1) images[a][count[a]++] = -1;
  }
  for (std::size_t k = 0; k < count[2]; ++k)
    for (std::size_t j = 0; j < count[1]; ++j)
      for (std::size_t i = 0; i < count[0]; ++i)
        if (plane.isNextTo({images[0][i], images[1][j], images[2][k]})) return true;
  return false;
}

// Near nodes of all ranks.
std::vector<NearNode> nearNodes(const tiler::SectionPlane& plane, const TiledGeometry& geometry,
                                const tiles::RankPart& part, comm::Ranks& ranks) {
  std::vector<NearNode> near;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    if (!part.owns(t)) continue;
    for (int l = 0; l < tiler::tileNodes; ++l) {
      const std::size_t index = t * tiler::tileNodes + static_cast<std::size_t>(l);
      if (geometry.nodeType[index] == static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const Int3 at = geometry.nodeOf(t, l);
      if (isNextTo(plane, at, geometry))
        near.push_back(
            {placeOf(at, geometry),
             std::uint64_t{part.inFile(t)} * tiler::tileNodes + static_cast<std::uint64_t>(l),
             tiler::linkMaskOf(geometry, t, l), tiler::openingsOf(geometry, t, l)});
    }
  }
  if (!ranks.alone()) near = stage::gatherValues(ranks, std::span<const NearNode>(near));
  return near;
}

tiler::PlaneSection sectionOf(const tiler::SectionPlane& plane, const TiledGeometry& geometry,
                              const tiles::RankPart& part, comm::Ranks& ranks) {
  const std::vector<NearNode> near = nearNodes(plane, geometry, part, ranks);
  std::unordered_map<std::uint64_t, const NearNode*> nodes;
  nodes.reserve(near.size());
  for (const NearNode& node : near) nodes.emplace(node.place, &node);
  return {
      geometry, plane, [&](Int3 at) -> std::optional<tiler::SectionNode> {
        for (std::size_t a = 0; a < 3; ++a)
          at[a] = at[a] < 0 ? geometry.nodes[a] - 1 : at[a] % geometry.nodes[a];
        const auto found = nodes.find(placeOf(at, geometry));
        if (found == nodes.end()) return std::nullopt;
        return tiler::SectionNode{found->second->id, found->second->mask, found->second->openings};
      }};
}

// Tile of the rank's geometry, if the rank owns it.
std::optional<std::uint32_t> ownTile(std::uint32_t fileTile, const tiles::RankPart& part) {
  if (part.isWhole()) return fileTile;
  const auto wanted = static_cast<std::int32_t>(fileTile);
  const auto place = std::lower_bound(part.fileTile.begin(), part.fileTile.end(), wanted);
  if (place == part.fileTile.end() || *place != wanted) return std::nullopt;
  const auto tile = static_cast<std::uint32_t>(place - part.fileTile.begin());
  return part.owns(tile) ? std::optional(tile) : std::nullopt;
}

}  // namespace

SectionNodes sectionNodes(const cases::Station& station, const TiledGeometry& geometry,
                          const tiles::RankPart& part, comm::Ranks& ranks) {
  const auto refuse = [&] {
    stage::fail(stage::ExitCode::Usage,
                fmt::format("station \"{}\": its plane crosses no fluid within the radius around "
                            "its point; a point inside the vessel or a larger radius is required",
                            station.name));
  };
  const auto plane = tiler::sectionPlane(geometry, station.at, station.normal, station.radius);
  if (!plane) refuse();
  const tiler::PlaneSection section = sectionOf(*plane, geometry, part, ranks);
  std::vector<double> pressure(section.nodes().size(), 0.0), velocity(pressure);
  double points = 0.0;
  section.forEachPoint([&](const Double3&, std::span<const tiler::SectionCorner> corners,
                           double fluid, double share) {
    points += share;
    for (const tiler::SectionCorner& corner : corners) {
      velocity[corner.node] += corner.weight;
      if (share > 0.0) pressure[corner.node] += share * corner.weight / fluid;
    }
  });
  if (!(points > 0.0)) refuse();
  SectionNodes out;
  out.area = points * section.pointArea() * geometry.frame.spacing * geometry.frame.spacing;
  for (std::size_t n = 0; n < velocity.size(); ++n) {
    if (!(velocity[n] > 0.0)) continue;
    const std::uint64_t id = section.nodes()[n].id;
    if (const auto tile = ownTile(static_cast<std::uint32_t>(id / tiler::tileNodes), part))
      out.nodes.push_back({*tile, static_cast<std::uint32_t>(id % tiler::tileNodes),
                           pressure[n] / points, velocity[n] / points});
  }
  return out;
}

}  // namespace tessera::solver::run
