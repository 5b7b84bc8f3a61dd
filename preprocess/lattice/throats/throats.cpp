// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/throats.hpp"

#include <algorithm>

#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/throats/connected_throats.hpp"
#include "preprocess/lattice/throats/part_geometry.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using geometry::Throat;
using std::size_t;

namespace {

constexpr size_t mostOpenings = 64;

// Adds the throats of a part, by the ids of the whole geometry.
void addThroats(ThroatSearch&& found, const std::vector<int>& ids, ThroatSearch& all) {
  for (size_t k = 0; k < found.throats.size(); ++k) {
    Throat& throat = found.throats[k];
    for (int& id : throat.openings) id = ids[static_cast<size_t>(id) - 1];
    const auto at = std::upper_bound(
        all.throats.begin(), all.throats.end(), throat,
        [](const Throat& one, const Throat& other) { return one.area < other.area; });
    all.narrowestPassages.insert(all.narrowestPassages.begin() + (at - all.throats.begin()),
                                 found.narrowestPassages[k]);
    all.throats.insert(at, std::move(throat));
  }
  if (all.notSearched.empty()) all.notSearched = std::move(found.notSearched);
}

}  // namespace

std::string whyThroatsAreNotSearched(const LatticeGeometry& geometry) {
  const bool isFlat = geometry.dimensions == 2;
  const size_t openings = geometry.openings.size();
  if (openings < 2) return "fewer than two openings";
  if (geometry.periodic[0] || geometry.periodic[1] || (geometry.periodic[2] && !isFlat))
    return "periodic axes";
  return openings > mostOpenings ? fmt::format("more than {} openings", mostOpenings) : "";
}

ThroatSearch searchThroats(const LatticeGeometry& geometry, std::span<const CutNode> cuts) {
  ThroatSearch search{{}, {}, whyThroatsAreNotSearched(geometry)};
  if (!search.notSearched.empty()) return search;
  const int first = geometry.openings.front().part;
  const bool isOne = std::all_of(geometry.openings.begin(), geometry.openings.end(),
                                 [&](const auto& opening) { return opening.part == first; });
  if (isOne) return searchConnected(geometry, cuts);
  // Cells and planes would join parts that lie closer together than a cell.
  for (const int part : partsBetweenOpenings(geometry.openings)) {
    const PartGeometry own = partGeometry(geometry, cuts, part);
    addThroats(searchConnected(own.geometry, own.cuts), own.ids, search);
  }
  return search;
}

std::vector<Throat> findThroats(const LatticeGeometry& geometry, std::span<const CutNode> cuts) {
  return searchThroats(geometry, cuts).throats;
}

}  // namespace tessera::preprocess::lattice
