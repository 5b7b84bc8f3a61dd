// SPDX-License-Identifier: GPL-3.0-or-later
// The middle of a vessel from one opening to another: the way that keeps away from walls, as the
// centrelines of Antiga, Ene-Iordache & Remuzzi 2003 (least integral of 1 / distance to the wall),
// here by Dijkstra's algorithm on the lattice, then moved into the centres of its cross-sections.
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

// So many points at even distances, both ends included. At least 2; the line must have a length.
Polyline resampled(const Polyline& line, int points);

// From one opening's centre to another's. nullopt where the fluid does not connect them. On
// lattices of more than 250,000 nodes the way is looked for on a coarser grid. The same points for
// any number of threads.
std::optional<Polyline> findCentreline(const fields::NodeLookup& lookup,
                                       const solver::file::Fields& fields,
                                       const preprocess::geometry::Opening& from,
                                       const preprocess::geometry::Opening& to);

// "x,y,z" in m a line, with or without a header. Throws StageError(BadInput) for anything else and
// for fewer than two different points.
Polyline readPolyline(const std::filesystem::path& path);

}  // namespace tessera::postprocess::quantity
