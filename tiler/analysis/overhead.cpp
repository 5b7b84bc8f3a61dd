// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas of [A] arXiv:1703.08015 and [B] arXiv:1611.02445, each with its name there.
#include "tiler/analysis/overhead.hpp"

#include <cmath>

#include "tiler/analysis/layouts.hpp"

namespace tessera::tiler::analysis {

namespace {

// Bytes of the minimum populations of an average tile: [A] (mtile).
double tileBytes(const StorageSizes& sizes, double utilisation) {
  return leastNodeBytes(sizes) * std::pow(sizes.tileEdge, sizes.dimensions) * utilisation;
}

// [A]: node types of every node of a tile.
double typeMemory(const StorageSizes& sizes, double utilisation) {
  return sizes.typeBytes / (leastNodeBytes(sizes) * utilisation);
}

// [A]: node types of a tile and of the nodes around it, each read once.
double typeTraffic(const StorageSizes& sizes, double utilisation) {
  return sizes.typeBytes * std::pow(sizes.tileEdge + 2, sizes.dimensions) /
         (2.0 * tileBytes(sizes, utilisation));
}

}  // namespace

double leastNodeBytes(const StorageSizes& sizes) {
  return static_cast<double>(sizes.populations) * sizes.valueBytes;
}

double leastNodeTraffic(const StorageSizes& sizes) {
  return 2.0 * leastNodeBytes(sizes);
}

double solidOverhead(double utilisation) {
  return (1.0 - utilisation) / utilisation;
}

GhostBuffers ghostBuffersOf(const StorageSizes& sizes) {
  GhostBuffers buffers;
  for (const int n : populationDirections(sizes.populations)) {
    const int axes = preprocess::geometry::axesOfStep(preprocess::geometry::directionStep(n));
    buffers.written += axes;
    buffers.read += (1 << axes) - 1;  // from each tile at a component of the step
    buffers.corners += axes == sizes.dimensions;
  }
  return buffers;
}

// Memory [A] (dm_t2c), for few indices Eq. 16 of [B]; traffic [A] (db_t2c), with bursts
// (db_t2cbt).
Overhead tilesWithTwoCopies(const StorageSizes& sizes, const GeometryShares& shares) {
  const double eta = shares.utilisation;
  const double map = sizes.indexBytes * shares.mapPerTile / tileBytes(sizes, eta);
  const double neighbours =
      sizes.indexBytes * (sizes.populations - 1) / (2.0 * tileBytes(sizes, eta));
  const double types = typeTraffic(sizes, eta);
  return {"tiles_two_copies",
          "tiles, two copies",
          solidOverhead(eta) + typeMemory(sizes, eta) + 1.0 / eta + map,
          solidOverhead(eta),
          types + neighbours,
          types,
          solidOverhead(eta) + types + neighbours};
}

// Memory [A] (dm_tgb), traffic (db_tgb), with bursts (db_tgbbt).
Overhead tilesWithGhostBuffers(const StorageSizes& sizes, const GeometryShares& shares) {
  const double eta = shares.utilisation;
  const double tile = tileBytes(sizes, eta);
  const GhostBuffers buffers = ghostBuffersOf(sizes);
  const double buffer = std::pow(sizes.tileEdge, sizes.dimensions - 1) * sizes.valueBytes;
  const double indices = sizes.indexBytes * static_cast<double>(buffers.written + buffers.read);
  const double whole = (buffers.written + buffers.read - buffers.corners) * buffer;
  const double corners = buffers.corners * 32.0;  // one transaction each
  const double types = typeTraffic(sizes, eta);
  const double traffic = types + indices / (2.0 * tile);
  return {ghostBuffersName,
          "tiles, ghost buffers",
          solidOverhead(eta) + typeMemory(sizes, eta) +
              (2.0 * shares.alpha * buffers.written * buffer + indices) / tile,
          solidOverhead(eta),
          traffic,
          types,
          solidOverhead(eta) + traffic + shares.beta * (whole + corners) / (2.0 * tile)};
}

// Memory [A] (dmcm), traffic (dbcm); equals the index list of Suffa et al. (2024), Eq. 9 and
// Table 2.
Overhead connectivityMatrix(const StorageSizes& sizes, const GeometryShares& /*shares*/) {
  const double list = (sizes.populations - 1.0) * sizes.indexBytes / leastNodeBytes(sizes);
  return {"connectivity_matrix",
          "connectivity matrix",
          list + 1.0,
          list,
          list / 2.0,
          list / 2.0,
          list / 2.0};
}

// Memory [A] (dmfia), traffic (dbfia). "+ 1": the second copy in memory, the second (propagation)
// kernel in traffic.
Overhead fluidIndexArray(const StorageSizes& sizes, const GeometryShares& shares) {
  const double array = sizes.indexBytes / (leastNodeBytes(sizes) * shares.porosity);
  return {"fluid_index_array", "fluid index array", array + 1.0,      array,
          array / 2.0 + 1.0,   array / 2.0,         array / 2.0 + 1.0};
}

// [A]: all values of all nodes, 1 / porosity times the minimum; second copy as Eq. 9 of Suffa et
// al. (2024).
Overhead denseStorage(const StorageSizes& /*sizes*/, const GeometryShares& shares) {
  const double solid = 1.0 / shares.porosity - 1.0;
  return {"dense", "dense, two copies", 2.0 / shares.porosity - 1.0, solid, solid, solid, solid};
}

std::vector<Overhead> overheadsOf(const StorageSizes& sizes, const GeometryShares& shares) {
  return {tilesWithTwoCopies(sizes, shares), tilesWithGhostBuffers(sizes, shares),
          connectivityMatrix(sizes, shares), fluidIndexArray(sizes, shares),
          denseStorage(sizes, shares)};
}

double predictedMflups(const StorageSizes& sizes, double bandwidthOverhead, double bandwidth) {
  return bandwidth / (leastNodeTraffic(sizes) * (1.0 + bandwidthOverhead)) / 1e6;
}

GhostShares ghostShares(const TileNeighbourhood& around, std::span<const int> directions) {
  std::uint64_t possibleWritten = 0, possibleRead = 0, written = 0, read = 0;
  for (const int n : directions) {
    const Int3 step = preprocess::geometry::directionStep(n);
    // Components of the step: the step itself, its faces and, with three axes, its edges.
    for (int part = 1; part < 8; ++part) {
      Int3 towards{};
      bool isPart = true;
      for (std::size_t a = 0; a < 3; ++a) {
        const bool along = ((part >> a) & 1) != 0;
        isPart = isPart && (!along || step[a] != 0);
        towards[a] = along ? step[a] : 0;
      }
      if (!isPart) continue;
      const auto to = static_cast<std::size_t>(preprocess::geometry::directionOf(towards));
      const auto from =
          static_cast<std::size_t>(preprocess::geometry::oppositeDirection(static_cast<int>(to)));
      const bool isFace = preprocess::geometry::axesOfStep(towards) == 1;
      possibleRead += around.tile.size();
      possibleWritten += isFace ? around.tile.size() : 0;
      for (const auto& tile : around.tile) {
        read += tile[from] >= 0;
        written += isFace && (tile[to] >= 0 || tile[static_cast<std::size_t>(n)] >= 0);
      }
    }
  }
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  return {share(written, possibleWritten), share(written + read, possibleWritten + possibleRead)};
}

}  // namespace tessera::tiler::analysis
