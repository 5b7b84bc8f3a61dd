// SPDX-License-Identifier: GPL-3.0-or-later
// Centreline of a vessel between two openings: the path of least integral of 1 / distance to the
// wall (Antiga, Ene-Iordache & Remuzzi 2003), here by Dijkstra's algorithm on the lattice, then
// moved into the centroids of its cross-sections.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Points in m, world, in order; a polyline.
using Polyline = std::vector<Double3>;

double lengthOf(const Polyline& line);

// Evenly spaced points, at least 2, both ends included; the line must have a length.
Polyline resampled(const Polyline& line, int points);

// From one opening's centre to another's; nullopt if the fluid does not connect them. Lattices of
// more than 250,000 nodes are searched on a coarser grid. The same points for any number of
// threads.
std::optional<Polyline> findCentreline(const fields::NodeLookup& lookup,
                                       const solver::file::Fields& fields,
                                       const preprocess::geometry::Opening& from,
                                       const preprocess::geometry::Opening& to);

// "x,y,z" in m per line, with or without a header. Throws StageError(BadInput) for anything else
// and for fewer than two different points.
Polyline readPolyline(const std::filesystem::path& path);

}  // namespace tessera::postprocess::quantity
