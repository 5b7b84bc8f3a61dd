// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/node_lookup.hpp"

#include <bit>

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

}  // namespace tessera::postprocess::fields
