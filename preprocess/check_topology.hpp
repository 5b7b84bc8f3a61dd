// SPDX-License-Identifier: GPL-3.0-or-later
// Check of topology: connected parts of a surface that hold fluid, and their openings, against the
// connected parts of its lattice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess {

// Parts of a closed surface.
struct SurfaceParts {
  surface::Parts parts;                  // empty: the surface is one part
  std::vector<std::uint32_t> fluid;      // parts that enclose a volume outwards
  std::vector<std::uint32_t> ofOpening;  // index into fluid, by opening
};

// mesh: labelled, with the openings of the geometry. isOne: whether it is known to be one part.
SurfaceParts surfaceParts(const geometry::TriangleMesh& mesh, std::size_t openings, bool isOne);

// Nodes within each of the fluid parts, up to three, for those without openings. mesh: lattice
// coordinates.
std::vector<std::vector<std::uint64_t>> nodesWithin(const SurfaceParts& surface,
                                                    const geometry::TriangleMesh& mesh,
                                                    const geometry::BitLattice& fluid);

// Sets meshParts and latticeParts, and warns, with the place: of parts of the surface that the
// lattice splits, of those that it joins though they do not overlap, and of those without nodes.
// parts: of the lattice, whose openings are those of the geometry followed by nodesWithin().
// splitBySheets: how many fewer parts the lattice would have without the sheets. unconnected: parts
// of the lattice that were made solid.
void compareTopology(const SurfaceParts& surface, const geometry::TriangleMesh& mesh,
                     const geometry::LatticeGeometry& geometry,
                     std::span<const lattice::FluidPart> parts, std::uint64_t splitBySheets,
                     std::uint64_t unconnected, PreprocessReport& report);

}  // namespace tessera::preprocess
