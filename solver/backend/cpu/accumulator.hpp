// SPDX-License-Identifier: GPL-3.0-or-later
// Time sums next to the state: pressure and velocity of all nodes, traction at the wall, from the
// fields that the backend observed. Traffic per sample: 48 bytes per node (4 values read, 4 sums
// read and written), 224 per wall point.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/backend/cpu/wall_points.hpp"
#include "solver/model/stored_values.hpp"

namespace tessera::solver::backend {

// The sums so far, lattice units.
struct Sums {
  std::vector<float> nodes;                 // model::meanValues x 64 per slot
  std::vector<std::array<double, 4>> wall;  // traction and its magnitude, per wall point
};

class Accumulator {
 public:
  virtual ~Accumulator() = default;
  // observed: fields of all slots in the backend's memory (Sampler::sampleAllTiles).
  virtual void add(const float* observed) = 0;
  virtual Sums sums() = 0;
  // Sets the sums, for instance to zero. Sizes are those of sums().
  virtual void setSums(const Sums& sums) = 0;
};

// tiles: observed slots.
std::unique_ptr<Accumulator> makeCpuAccumulator(std::uint32_t tiles, std::vector<WallPoint> points);
// Throws StageError(NoResource) if the device lacks the memory.
std::unique_ptr<Accumulator> makeCudaAccumulator(std::uint32_t tiles,
                                                 const std::vector<WallPoint>& points);

// Bytes of the accumulator and of the observed fields.
inline double accumulatorBytes(std::uint32_t tiles, std::size_t wallPoints) {
  return 4.0 * 64.0 * (10.0 + double(model::meanValues)) * tiles +
         double(sizeof(WallPoint) + 4 * sizeof(double)) * double(wallPoints);
}

}  // namespace tessera::solver::backend
