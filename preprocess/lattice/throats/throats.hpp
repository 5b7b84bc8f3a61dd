// SPDX-License-Identifier: GPL-3.0-or-later
// Throats: narrowest cross-sections between the openings of a geometry.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

// By ascending area, at most one less than there are openings, each a plane section that separates
// some openings from all others, or up to six sections in parallel that do so together, their areas
// summed (one section for more than 16 openings), or all that thin walls leave in one plane, or the
// surface of least area between the openings. None
// where whyThroatsAreNotSearched(). Requires fluid, links, openings and, for exact areas, the
// surface. cuts: cutNodesOf() the geometry.
//
// The narrowest place of the widest path between two groups of openings (widest_paths.hpp) lies in
// the throat between them; a plane there is tilted and moved to the section of least area
// (least_section.hpp). Where a path leads round it, the widest one gives the next section
// (Ford-Fulkerson's cut by widest paths, with sections for edges). Passages narrower than a cell of
// the coarse lattice (coarse_fluid.hpp) are not seen: the area lacks theirs. In 3D the surface of
// least area (least_cut.hpp) decides where sheets are, and stands in where there are more passages
// than are followed. Openings that sheets cover from less than a spacing are measured in their
// plane (covered_openings.hpp).
struct ThroatSearch {
  std::vector<geometry::Throat> throats;
  std::vector<double> narrowestPassages;  // m2, of each; in 2D width times one spacing
  // The reason why some or all are missing: whyThroatsAreNotSearched(), in 2D "more than 6 passages
  // in parallel" or "passages in parallel that plane sections do not separate", in 3D these where
  // no cut is found, or "passages too narrow for the cells of the search"; empty: none is.
  std::string notSearched;
};
ThroatSearch searchThroats(const geometry::LatticeGeometry& geometry,
                           std::span<const CutNode> cuts = {});
// The throats alone.
std::vector<geometry::Throat> findThroats(const geometry::LatticeGeometry& geometry,
                                          std::span<const CutNode> cuts = {});

// "periodic axes", "more than 64 openings", "fewer than two openings"; empty: they are searched.
std::string whyThroatsAreNotSearched(const geometry::LatticeGeometry& geometry);

}  // namespace tessera::preprocess::lattice
