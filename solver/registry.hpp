// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of variants.def by name, with what makes each of them run.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/backend/backend.hpp"

namespace tessera {

struct LatticeInfo {
  const char* name;
  int dimensions;
  std::vector<std::array<int, 3>> velocities;
  std::vector<double> weights;
};

struct VariantInfo {
  LatticeInfo lattice;
  const char* collision;
  const char* equilibrium;
  const char* viscosity;  // "constant" or "local"
  const char* precision;
  const char* placement;  // of the tiles: "global" or "rows"
  unsigned storageBytes;  // of a population
  std::unique_ptr<Backend> (*makeCpu)(Domain, const Relaxation&);
  std::unique_ptr<Backend> (*makeCuda)(Domain, const Relaxation&);  // null without CUDA

  // "D3Q19 trt quasi-compressible f32"; with " local viscosity" and " rows" for these.
  [[nodiscard]] std::string name() const;
  // Populations read and written once, in bytes per node and step.
  [[nodiscard]] double bytesPerNode() const {
    return 2.0 * static_cast<double>(lattice.velocities.size()) * storageBytes;
  }
};

const std::vector<VariantInfo>& variants();

// viscosity: "constant" or "local"; placement: of the geometry's tiles. Throws StageError(Usage)
// that lists what there is for the name that is not known, or the combinations with that placement
// when all are.
const VariantInfo& findVariant(const std::string& lattice, const std::string& collision,
                               const std::string& equilibrium, const std::string& viscosity,
                               const std::string& precision, const std::string& placement);

}  // namespace tessera
