// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/file/check_symmetry.hpp"

#include <string>

#include "pipelines/stage/system/parallel_for.hpp"
#include "tiler/file/check_tiles.hpp"

namespace tessera::tiler::file {

using preprocess::geometry::BitLattice;

namespace {

[[noreturn]] void defect(const char* section, const char* what, const Int3& node) {
  throw DefectiveTiles(std::string("section ") + section + " " + what + " at node " +
                       std::to_string(node[0]) + ", " + std::to_string(node[1]) + ", " +
                       std::to_string(node[2]));
}

BitLattice fluidOf(const TiledGeometry& tiled) {
  BitLattice fluid(tiled.nodes);
  for (std::size_t t = 0; t < tiled.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      if (tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      const Int3 node = tiled.nodeOf(t, l);
      if (!fluid.inside(node[0], node[1], node[2]))
        defect("nodeType", "has a fluid node outside the box", node);
      if (fluid.at(node[0], node[1], node[2])) defect("nodeType", "has two tiles", node);
      fluid.set(node[0], node[1], node[2]);
    }
  return fluid;
}

bool isFluid(const BitLattice& fluid, const std::array<bool, 3>& periodic, Int3 node) {
  return preprocess::geometry::wrapInto(fluid.size, periodic, node) &&
         fluid.at(node[0], node[1], node[2]);
}

// Bit n: the node in direction n is not fluid.
std::uint32_t maskOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                     const Int3& node) {
  std::uint32_t mask = 0;
  for (const auto& [n, step] : preprocess::geometry::neighbourhood)
    if (!isFluid(fluid, periodic, node + step)) mask |= 1U << n;
  return mask;
}

void checkFlags(const TiledGeometry& tiled, std::size_t t, bool noLinks) {
  const Int3 corner = tiled.cornerOf(tiled.nonEmptyTiles[t]);
  bool full = noLinks;
  for (std::size_t l = 0; l < tileNodes; ++l) full &= tiled.nodeType[t * tileNodes + l] != 0;
  if (((tiled.tileFlags[t] & tileAllFluid) != 0) != full)
    defect("tileFlags", "is wrong about all nodes being fluid", corner);
  bool opens = false;
  for (std::uint64_t k = tiled.linkStart[t]; k < tiled.linkStart[t + 1]; ++k)
    opens |= preprocess::geometry::isOpening(tiled.linkPatch[k]);
  if (((tiled.tileFlags[t] & tileHasOpening) != 0) != opens)
    defect("tileFlags", "is wrong about openings", corner);
}

void checkLinks(const TiledGeometry& tiled, const BitLattice& fluid, std::size_t t) {
  std::uint64_t boundary = tiled.boundaryStart[t];
  bool noLinks = true;
  for (int l = 0; l < tileNodes; ++l) {
    const bool listed = boundary < tiled.boundaryStart[t + 1] && tiled.boundaryLocal[boundary] == l;
    const std::uint32_t told = listed ? tiled.boundaryMask[boundary++] : 0;
    const Int3 node = tiled.nodeOf(t, l);
    const bool here = tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] != 0;
    const std::uint32_t found = here ? maskOf(fluid, tiled.periodic, node) : 0;
    if (told != found) defect("boundaryMask", "does not say where links leave the fluid", node);
    noLinks &= found == 0;
  }
  checkFlags(tiled, t, noLinks);
}

}  // namespace

void checkSymmetry(const TiledGeometry& tiled) {
  const BitLattice fluid = fluidOf(tiled);
  stage::parallelFor(tiled.tiles(), [&](std::size_t t) { checkLinks(tiled, fluid, t); });
}

}  // namespace tessera::tiler::file
