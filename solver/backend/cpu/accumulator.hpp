// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over time, where the state lies: pressure and velocity of all nodes, traction at the wall.
// One of these beside a backend, whatever its variant: it takes what the backend observed.
// Traffic a sample: of a node 4 values read and 4 sums read and written, 48 bytes; of a wall point
// 184.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/backend/cpu/wall_points.hpp"
#include "solver/file/mean_values.hpp"

namespace tessera::solver::backend {

using file::meanValues;

// The sums so far, lattice units.
struct Sums {
  std::vector<float> nodes;                 // meanValues x 64 a slot
  std::vector<std::array<double, 4>> wall;  // traction and its magnitude, one a wall point
};

class Accumulator {
 public:
  virtual ~Accumulator() = default;
  // observed: of all slots, in the memory of the backend (Sampler::sampleAllTiles).
  virtual void add(const float* observed) = 0;
  virtual Sums sums() = 0;
  // Also to begin anew, with all zero. The sizes are those of sums().
  virtual void setSums(const Sums& sums) = 0;
};

// tiles: slots that are observed.
std::unique_ptr<Accumulator> makeCpuAccumulator(std::uint32_t tiles, std::vector<WallPoint> points);
// Throws StageError(NoResource) when the device has no memory for it.
std::unique_ptr<Accumulator> makeCudaAccumulator(std::uint32_t tiles,
                                                 const std::vector<WallPoint>& points);

// Bytes of it, and of what the backend observes for it.
inline double accumulatorBytes(std::uint32_t tiles, std::size_t wallPoints) {
  return 4.0 * 64.0 * (10.0 + double(meanValues)) * tiles +
         double(sizeof(WallPoint) + 4 * sizeof(double)) * double(wallPoints);
}

}  // namespace tessera::solver::backend
