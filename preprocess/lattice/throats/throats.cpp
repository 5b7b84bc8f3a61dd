// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/throats.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/throats/connected_throats.hpp"
#include "preprocess/lattice/throats/covered_openings.hpp"
#include "preprocess/lattice/throats/part_geometry.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using geometry::Throat;
using std::size_t;

namespace {

constexpr size_t mostOpenings = 64;

// Inserts a throat by its area.
void insert(Throat&& throat, double narrowest, ThroatSearch& all) {
  const auto at = std::upper_bound(
      all.throats.begin(), all.throats.end(), throat,
      [](const Throat& one, const Throat& other) { return one.area < other.area; });
  all.narrowestPassages.insert(all.narrowestPassages.begin() + (at - all.throats.begin()),
                               narrowest);
  all.throats.insert(at, std::move(throat));
}

// Adds the throats of a part, by the ids of the whole geometry.
void addThroats(ThroatSearch&& found, const std::vector<int>& ids, ThroatSearch& all) {
  for (size_t k = 0; k < found.throats.size(); ++k) {
    Throat& throat = found.throats[k];
    for (int& id : throat.openings) id = ids[static_cast<size_t>(id) - 1];
    insert(std::move(throat), found.narrowestPassages[k], all);
  }
  if (all.notSearched.empty()) all.notSearched = std::move(found.notSearched);
}

// Removes the throats that part no openings which narrower ones do not part.
void keepNarrowest(const std::vector<geometry::Opening>& openings, ThroatSearch& all) {
  std::vector<std::vector<bool>> sides(openings.size());  // of each opening, by throat that is kept
  const auto groups = [&] {
    std::set<std::pair<int, std::vector<bool>>> each;
    for (size_t k = 0; k < openings.size(); ++k) each.emplace(openings[k].part, sides[k]);
    return each.size();
  };
  ThroatSearch kept{{}, {}, all.notSearched};
  for (size_t t = 0; t < all.throats.size(); ++t) {
    const size_t before = groups();
    const std::vector<int>& ids = all.throats[t].openings;
    for (size_t k = 0; k < openings.size(); ++k)
      sides[k].push_back(std::binary_search(ids.begin(), ids.end(), openings[k].id));
    if (groups() == before) continue;
    kept.throats.push_back(std::move(all.throats[t]));
    kept.narrowestPassages.push_back(all.narrowestPassages[t]);
  }
  all = std::move(kept);
}

// Adds the throats at openings with sheets just before them, which the search on nodes does not
// see.
void addCovered(const LatticeGeometry& geometry, ThroatSearch& all) {
  std::vector<FoundThroat> covered = throatsOfCovered(geometry);
  if (covered.empty()) return;
  for (FoundThroat& each : covered) insert(std::move(each.throat), each.narrowest, all);
  keepNarrowest(geometry.openings, all);
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
  if (isOne) {
    search = searchConnected(geometry, cuts);
  } else {
    // Cells and planes would join parts that lie closer together than a cell.
    for (const int part : partsBetweenOpenings(geometry.openings)) {
      const PartGeometry own = partGeometry(geometry, cuts, part);
      addThroats(searchConnected(own.geometry, own.cuts), own.ids, search);
    }
  }
  addCovered(geometry, search);
  return search;
}

std::vector<Throat> findThroats(const LatticeGeometry& geometry, std::span<const CutNode> cuts) {
  return searchThroats(geometry, cuts).throats;
}

}  // namespace tessera::preprocess::lattice
