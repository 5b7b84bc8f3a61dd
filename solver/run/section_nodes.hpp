// SPDX-License-Identifier: GPL-3.0-or-later
// Quadrature of a cross-section by weights of lattice nodes: a raster of points in the plane, each
// trilinear between the nodes around it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/case/probes.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::run {

// visit(node, weight) for the nodes around a position in lattice coordinates with trilinear weight.
template <class Visit>
void forNodesAround(const Double3& position, const Visit& visit) {
  for (unsigned corner = 0; corner < 8; ++corner) {
    Int3 node{};
    double weight = 1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double below = std::floor(position[a]), above = position[a] - below;
      const bool up = (corner >> a & 1U) != 0;
      node[a] = static_cast<int>(below) + (up ? 1 : 0);
      weight *= up ? above : 1.0 - above;
    }
    if (weight > 0.0) visit(node, weight);
  }
}

// A node of this rank and its part of a mean.
struct WeightedNode {
  std::uint32_t tile = 0;   // of the geometry
  std::uint32_t local = 0;  // 0 .. 63
  double pressure = 0.0;
  double velocity = 0.0;
};

struct SectionNodes {
  std::vector<WeightedNode> nodes;  // owned by this rank
  double area = 0.0;                // m2; in 2D the width times one spacing
};

// Fluid nodes next to the plane that are connected with the station's point by links that no wall
// crosses. Velocities are zero in all other nodes, by which the flow is the sum over the nodes of a
// layer: of second order, and exact on average over the places of a curved wall between nodes,
// where a profile that falls to zero halfway would lose 1 / N^2 of the flow, N the nodes across. A
// raster point counts for the area and the pressure where these nodes have at least half of the
// trilinear weight. The same on any number of ranks. Throws StageError(Usage) where no point
// counts. Collective.
SectionNodes sectionNodes(const cases::Station& station, const tiler::TiledGeometry& geometry,
                          const tiles::RankPart& part, comm::Ranks& ranks);

}  // namespace tessera::solver::run
