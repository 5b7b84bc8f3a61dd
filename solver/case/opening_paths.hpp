// SPDX-License-Identifier: GPL-3.0-or-later
// Ways of sound through the fluid between openings.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// Shortest ways over the tiles, or over cells of several tiles where these are many, pulled taut:
// Dijkstra's way over neighbouring cells, then straight wherever the cells allow. Vessels closer
// than a cell count as joined.
class OpeningPaths {
 public:
  // The same on all ranks; collective.
  OpeningPaths(const tiler::TiledGeometry& geometry, comm::Ranks& ranks);

  // From one opening (by index) to each, m; 0 where the tiles do not join them.
  [[nodiscard]] std::vector<double> lengthsFrom(std::size_t opening) const;

 private:
  // Cells by the distance along neighbouring ones from a cell, each with the one before it.
  [[nodiscard]] std::vector<std::int32_t> cellsBefore(std::int32_t start) const;
  [[nodiscard]] std::int32_t cellOf(const Double3& position) const;
  [[nodiscard]] std::int32_t nearestCell(const Double3& position) const;
  [[nodiscard]] Double3 centreOf(std::int32_t cell) const;
  [[nodiscard]] bool sees(const Double3& from, const Double3& to) const;
  [[nodiscard]] double tautLength(const std::vector<Double3>& points) const;

  double spacing_;
  Int3 cellSize_{};  // nodes
  Int3 cells_{};
  std::vector<char> isFluid_;    // of each cell
  std::vector<Double3> centre_;  // of the openings, nodes
};

}  // namespace tessera::solver::cases
