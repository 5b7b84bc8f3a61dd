// SPDX-License-Identifier: GPL-3.0-or-later
// Variants of this build, one per line of variants.def: their axes, sizes and factories.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/model/axes.hpp"
#include "solver/model/lattice_info.hpp"

namespace tessera::solver::backend {

using BackendMaker = std::unique_ptr<Backend> (*)(domain::Domain, const model::Relaxation&);

struct VariantInfo {
  model::VariantAxes axes;
  model::LatticeInfo lattice;
  unsigned stateValues;   // per node, as given and taken: the lattice's populations, or ten moments
  unsigned storedWords;   // per node, as stored: as many, or seven in m32/16
  unsigned storageBytes;  // per stored word
  int flopsPerNode;       // without force and local viscosity
  BackendMaker makeCpu;
  BackendMaker makeCuda;  // null without CUDA

  // "D3Q19 trt quasi-compressible f32"; with " local viscosity", " rows" and " moments" for these.
  [[nodiscard]] std::string name() const;
  // The state read and written once, in bytes per node and step.
  [[nodiscard]] double bytesPerNode() const { return 2.0 * storedWords * storageBytes; }
  [[nodiscard]] bool storesMoments() const { return axes.state == model::StateId::Moments; }
};

const std::vector<VariantInfo>& variants();
// Null: not built.
const VariantInfo* builtVariant(const model::VariantAxes& axes);
const VariantInfo* variantNamed(const std::string& name);

// Throws StageError(Usage) with the alternatives of this build: names of the axis whose value is
// missing, or combinations with the same tiling, viscosity and state.
const VariantInfo& findVariant(const model::VariantAxes& axes);

}  // namespace tessera::solver::backend
