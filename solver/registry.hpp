// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of variants.def by name, with what makes each of them run.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/model/lattice_info.hpp"

namespace tessera {

struct VariantInfo {
  LatticeInfo lattice;
  const char* collision;
  const char* equilibrium;
  const char* viscosity;  // "constant" or "local"
  const char* precision;
  const char* placement;  // of the tiles: "global" or "rows"
  const char* state;      // "populations" or "moments"
  unsigned stateValues;   // of a node: of populations the lattice's, of moments ten
  unsigned storageBytes;  // of one of them
  std::unique_ptr<Backend> (*makeCpu)(Domain, const Relaxation&);
  std::unique_ptr<Backend> (*makeCuda)(Domain, const Relaxation&);  // null without CUDA

  // "D3Q19 trt quasi-compressible f32"; with " local viscosity" and " rows" for these.
  [[nodiscard]] std::string name() const;
  // The state read and written once, in bytes per node and step.
  [[nodiscard]] double bytesPerNode() const { return 2.0 * stateValues * storageBytes; }
  [[nodiscard]] bool storesMoments() const { return stateValues < lattice.velocities.size(); }
};

const std::vector<VariantInfo>& variants();

// The names that rows of this build have on one axis, in alphabetical order.
using NameOf = const char* (*)(const VariantInfo&);
std::vector<std::string> namesOf(NameOf of);

// viscosity: "constant" or "local"; placement: of the geometry's tiles. Throws StageError(Usage)
// that lists what there is for the name that is not known, or the combinations with that placement
// when all are.
const VariantInfo& findVariant(const std::string& lattice, const std::string& collision,
                               const std::string& equilibrium, const std::string& viscosity,
                               const std::string& precision, const std::string& placement,
                               const std::string& state = "populations");

}  // namespace tessera
