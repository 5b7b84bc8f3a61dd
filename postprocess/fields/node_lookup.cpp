// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/node_lookup.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pipelines/stage/system/parallel_for.hpp"
#include "postprocess/results/statistics.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::postprocess::fields {

namespace {

// Links to nodes of the same tile, by local node: directions of the 26.
std::array<std::uint32_t, tiler::tileNodes> directionsWithin(const Int3& tileSize) {
  std::array<std::uint32_t, tiler::tileNodes> within{};
  for (int l = 0; l < tiler::tileNodes; ++l) {
    const Int3 at{l % tileSize[0], l / tileSize[0] % tileSize[1], l / (tileSize[0] * tileSize[1])};
    for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
      const Int3 to = at + step;
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) inside = inside && to[a] >= 0 && to[a] < tileSize[a];
      if (inside) within[static_cast<std::size_t>(l)] |= std::uint32_t{1} << n;
    }
  }
  return within;
}

// Per tile the nodes with a link that leaves the fluid and yet ends on a node; empty if none has.
std::vector<std::uint64_t> findCutNodes(const NodeLookup& lookup) {
  const tiler::TiledGeometry& geometry = lookup.geometry;
  const Int3& size = geometry.tileSize;
  const auto within = directionsWithin(size);
  const auto isCut = [&](std::size_t t, int local, int direction) {
    const Int3 step = preprocess::geometry::directionStep(direction);
    if ((within[static_cast<std::size_t>(local)] >> direction & 1U) != 0)
      return (lookup.mask[t] >> (local + step[0] + size[0] * (step[1] + size[1] * step[2])) & 1U) !=
             0;
    return lookup.indexOf(geometry.nodeOf(t, local) + step) >= 0;
  };
  std::vector<std::uint64_t> cut(geometry.tiles());
  stage::parallelFor(geometry.tiles(), [&](std::size_t t) {
    for (std::uint64_t k = geometry.boundaryStart[t]; k < geometry.boundaryStart[t + 1]; ++k) {
      const int local = geometry.boundaryLocal[k];
      for (std::uint32_t rest = geometry.boundaryMask[k]; rest != 0; rest &= rest - 1)
        if (isCut(t, local, std::countr_zero(rest))) {
          cut[t] |= std::uint64_t{1} << local;
          break;
        }
    }
  });
  const bool any =
      std::any_of(cut.begin(), cut.end(), [](std::uint64_t bits) { return bits != 0; });
  return any ? cut : std::vector<std::uint64_t>{};
}

}  // namespace

NodeLookup::NodeLookup(const tiler::TiledGeometry& covered) : geometry(covered) {
  mask.reserve(covered.tiles());
  first.reserve(covered.tiles());
  std::uint64_t count = 0;
  for (std::size_t t = 0; t < covered.tiles(); ++t) {
    std::uint64_t bits = 0;
    for (std::size_t l = 0; l < tiler::tileNodes; ++l)
      bits |= std::uint64_t{covered.nodeType[tiler::tileNodes * t + l] != 0} << l;
    mask.push_back(bits);
    first.push_back(count);
    count += static_cast<std::uint64_t>(std::popcount(bits));
  }
  cutNodes = findCutNodes(*this);
}

FoundNode NodeLookup::find(Int3 node) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = geometry.nodes[a];
    if (node[a] >= 0 && node[a] < n) continue;
    if (!geometry.periodic[a]) return {};
    node[a] = (node[a] % n + n) % n;
  }
  const tiler::TilePlace place = geometry.placeOf(node);
  const std::int32_t t = geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  if (t < 0) return {};
  const auto tile = static_cast<std::size_t>(t);
  const std::uint64_t bits = mask[tile];
  if ((bits >> place.local & 1U) == 0) return {};
  const auto below = std::popcount(bits & ((std::uint64_t{1} << place.local) - 1));
  return {static_cast<std::int64_t>(first[tile]) + below, tile, place.local};
}

bool NodeLookup::connected(const Int3& node, const Int3& step) const {
  if (cutNodes.empty()) return true;
  return (cutMaskOf(find(node)) >> preprocess::geometry::directionOf(step) & 1U) == 0;
}

using solver::file::Fields;

namespace {

NodeSums storedSums(const Fields& fields, std::size_t begin, std::size_t end) {
  NodeSums sums;
  for (std::size_t i = begin; i < end; ++i) {
    double square = 0.0, stress = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto u = static_cast<double>(fields.velocity[i][a]);
      const auto normal = static_cast<double>(fields.stress[i][a]);
      const auto shear = static_cast<double>(fields.stress[i][a + 3]);
      sums.velocity[a] += u;
      square += u * u;
      stress += normal * normal + 2.0 * shear * shear;
    }
    sums.speed += std::sqrt(square);
    sums.speedSquared += square;
    sums.fastest = std::max(sums.fastest, square);
    sums.stressSquared += stress;
  }
  return sums;
}

}  // namespace

NodeSums nodeSums(const Fields& fields) {
  NodeSums sums = results::orderedSum(
      fields.velocity.size(),
      [&](std::size_t begin, std::size_t end) { return storedSums(fields, begin, end); },
      [](NodeSums& sum, const NodeSums& part) {
        for (std::size_t a = 0; a < 3; ++a) sum.velocity[a] += part.velocity[a];
        sum.speed += part.speed;
        sum.speedSquared += part.speedSquared;
        sum.fastest = std::max(sum.fastest, part.fastest);
        sum.stressSquared += part.stressSquared;
      });
  const double factor = fields.velocityFactor;
  for (double& component : sums.velocity) component *= factor;
  sums.speed *= factor;
  sums.speedSquared *= factor * factor;
  sums.fastest = std::sqrt(sums.fastest) * factor;
  sums.stressSquared *= fields.stressFactor * fields.stressFactor;
  return sums;
}

PointNumbering::PointNumbering(const Int3& nodes)
    : bits_(Int3{nodes[0] + 1, nodes[1] + 1, nodes[2] + 1}) {}

void PointNumbering::number() {
  before_.resize(static_cast<std::size_t>(bits_.blocks()[2]));
  for (int layer = 0; layer < bits_.blocks()[2]; ++layer) {
    std::vector<std::uint64_t>& before = before_[static_cast<std::size_t>(layer)];
    bits_.forEachWord(layer, [&](int w, int y, int z, std::uint64_t word) {
      const std::size_t at = bits_.wordInLayer(w, y, z);
      if (before.size() <= at) before.resize(at + 1);
      before[at] = count_;
      count_ += static_cast<std::uint64_t>(std::popcount(word));
    });
  }
}

std::uint64_t PointNumbering::numberOf(const Int3& corner) const {
  const auto [x, y, z] = corner;
  const std::uint64_t below = (std::uint64_t{1} << (x % 64)) - 1;
  const auto layer = static_cast<std::size_t>(z / preprocess::geometry::BitLattice::blockPlanes);
  return before_[layer][bits_.wordInLayer(x / 64, y, z)] +
         static_cast<std::uint64_t>(std::popcount(bits_.word(x / 64, y, z) & below));
}

std::vector<Int3> PointNumbering::corners() const {
  std::vector<Int3> points;
  points.reserve(count_);
  forEach([&](const Int3& corner) { points.push_back(corner); });
  return points;
}

}  // namespace tessera::postprocess::fields
