// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/node_lookup.hpp"

#include <bit>
#include <cmath>

#include "postprocess/results/statistics.hpp"

namespace tessera::postprocess::fields {

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
}

std::int64_t NodeLookup::indexOf(Int3 node) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = geometry.nodes[a];
    if (node[a] >= 0 && node[a] < n) continue;
    if (!geometry.periodic[a]) return -1;
    node[a] = (node[a] % n + n) % n;
  }
  const tiler::TilePlace place = geometry.placeOf(node);
  const std::int32_t t = geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  if (t < 0) return -1;
  const std::uint64_t bits = mask[static_cast<std::size_t>(t)];
  if ((bits >> place.local & 1U) == 0) return -1;
  const auto below = std::popcount(bits & ((std::uint64_t{1} << place.local) - 1));
  return static_cast<std::int64_t>(first[static_cast<std::size_t>(t)]) + below;
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
