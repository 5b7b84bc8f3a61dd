// SPDX-License-Identifier: GPL-3.0-or-later
// Values that belong to tiles, from all ranks to rank 0 in the order of the file, and back.
#pragma once

#include <optional>
#include <span>

#include "solver/ranks/part_of_geometry.hpp"
#include "solver/ranks/ranks.hpp"

namespace tessera {

// counts: of values of each own tile, in the order of the file, as the values themselves. On rank 0
// those of all tiles, elsewhere nothing. Collective; not for one rank alone.
Bytes gatherBytesByTile(Ranks& ranks, const RankPart& part, std::span<const std::uint32_t> counts,
                        std::span<const std::byte> values, std::size_t valueBytes);

template <Plain T>
std::vector<T> gatherByTile(Ranks& ranks, const RankPart& part,
                            std::span<const std::uint32_t> counts, const std::vector<T>& values) {
  if (ranks.alone()) return values;
  return valuesOf<T>(
      gatherBytesByTile(ranks, part, counts, std::as_bytes(std::span(values)), sizeof(T)));
}

// Where the values of each own tile begin among those of all, and, last, how many there are in all.
// Collective.
std::vector<std::uint64_t> firstOfOwnTiles(Ranks& ranks, const RankPart& part,
                                           std::span<const std::uint32_t> counts);

// The own ones of the values of all tiles; none when these are not as many as there should be.
// Collective.
template <Plain T>
std::optional<std::vector<T>> ownByTile(Ranks& ranks, const RankPart& part,
                                        std::span<const std::uint32_t> counts,
                                        const std::vector<T>& all) {
  const std::vector<std::uint64_t> first = firstOfOwnTiles(ranks, part, counts);
  if (all.size() != first.back()) return std::nullopt;
  std::vector<T> own;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(first[t]);
    own.insert(own.end(), from, from + static_cast<std::ptrdiff_t>(counts[t]));
  }
  return own;
}

}  // namespace tessera
