// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/node_lookup.hpp"

#include <bit>

namespace tessera {

NodeLookup::NodeLookup(const TiledGeometry& covered) : geometry(covered) {
  mask.reserve(covered.tiles());
  first.reserve(covered.tiles());
  std::uint64_t count = 0;
  for (std::size_t t = 0; t < covered.tiles(); ++t) {
    std::uint64_t bits = 0;
    for (std::size_t l = 0; l < tileNodes; ++l)
      bits |= std::uint64_t{covered.nodeType[tileNodes * t + l] != 0} << l;
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
  Int3 tile{}, local{};
  for (std::size_t a = 0; a < 3; ++a) {
    tile[a] = (node[a] + geometry.offset[a]) / geometry.tileSize[a];
    local[a] = (node[a] + geometry.offset[a]) % geometry.tileSize[a];
  }
  const std::int32_t t = geometry.tileAt(tile[0], tile[1], tile[2]);
  if (t < 0) return -1;
  const std::uint64_t bits = mask[static_cast<std::size_t>(t)];
  const int l = local[0] + geometry.tileSize[0] * (local[1] + geometry.tileSize[1] * local[2]);
  if ((bits >> l & 1U) == 0) return -1;
  const auto below = std::popcount(bits & ((std::uint64_t{1} << l) - 1));
  return static_cast<std::int64_t>(first[static_cast<std::size_t>(t)]) + below;
}

}  // namespace tessera
