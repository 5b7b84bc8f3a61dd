// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/close_openings.hpp"

#include <algorithm>
#include <string>

namespace tessera::tiler {

using preprocess::geometry::Patch;

void closeOpenings(std::span<const int> ids, TiledGeometry& geometry) {
  if (ids.empty()) return;
  std::vector<Patch> patchOf;  // by opening
  for (const preprocess::geometry::Opening& opening : geometry.openings) {
    patchOf.push_back(preprocess::geometry::openingPatch(opening.id));
    if (std::find(ids.begin(), ids.end(), opening.id) == ids.end()) continue;
    patchOf.back() = static_cast<Patch>(geometry.wallNames.size());
    std::string name = opening.name;
    while (std::find(geometry.wallNames.begin(), geometry.wallNames.end(), name) !=
           geometry.wallNames.end())
      name += " (opening " + std::to_string(opening.id) + ")";
    geometry.wallNames.push_back(std::move(name));
  }
  for (std::vector<Patch>* patches : {&geometry.linkPatch, &geometry.surface.label})
    for (Patch& patch : *patches)
      if (preprocess::geometry::isOpening(patch))
        patch = patchOf[static_cast<std::size_t>(preprocess::geometry::openingId(patch)) - 1];
}

}  // namespace tessera::tiler
