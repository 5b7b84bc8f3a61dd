// SPDX-License-Identifier: GPL-3.0-or-later
// Structures of the papers that tiles are compared with: D3Q19 and D2Q9, LBGK and TRT, f64 and f32,
// quasi-compressible, halfway walls, body force, periodic axes; openings are walls. For
// measurements and tests alone: no run uses them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/comparators/fluid_nodes.hpp"
#include "solver/comparators/structure_bytes.hpp"
#include "solver/model/axes.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::comparators {

// A state stored in a structure, at rest at first.
class Comparator {
 public:
  virtual ~Comparator() = default;
  virtual void advance(std::uint64_t steps) = 0;
  virtual void finish() = 0;  // waits until all steps are done
  // Post-collision deviations, q x 64 for each tile in the order of the geometry; 0 at solid
  // nodes.
  virtual void set(std::span<const double> populations) = 0;
  virtual std::vector<double> get() = 0;
  virtual void setNoise() = 0;  // random, for measurements (model::noiseAt)
  // Bytes per second of a plain copy in its memory, reads and writes counted; a median. The state
  // is lost.
  virtual double copyBandwidth() = 0;
  // Per fluid node: bytes that a step reads and writes as counted by the structure, and bytes held
  // in its memory (states and indices).
  [[nodiscard]] virtual double bytesPerNode() const = 0;
  [[nodiscard]] virtual double memoryPerNode() const = 0;
};

struct ComparatorRequest {
  model::Relaxation relaxation;
  bool wideIndices = false;  // 64-bit indices of lists where 32 bits suffice too
};

// The nodes must outlive the result. Throws StageError(Usage) for a geometry that the structure
// cannot store.
using ComparatorMaker = std::unique_ptr<Comparator> (*)(const FluidNodes&,
                                                        const ComparatorRequest&);

// The plan alone: without states, which take most of the memory. Throws as the maker does.
using StructureCounter = StructureBytes (*)(const FluidNodes&, const ComparatorRequest&);

struct StructureForms {
  StructureCounter count = nullptr;
  ComparatorMaker make = nullptr;
};

// One structure in one variant, with nodes in the order that it is made for.
struct ComparatorInfo {
  std::string name;  // "lists", "lists-in-place", "dense" ...
  NodeOrder order = NodeOrder::Curve;
  model::LatticeId lattice = model::LatticeId::D3Q19;
  model::CollisionId collision = model::CollisionId::Bgk;
  model::PrecisionId precision = model::PrecisionId::F64;
  StructureCounter count = nullptr;
  ComparatorMaker makeCpu = nullptr;
  ComparatorMaker makeCuda = nullptr;  // null without CUDA
};

// All, in the order of variants.def, for each the structures of structures.hpp.
const std::vector<ComparatorInfo>& comparators();
// Those of D3Q19, or in two dimensions of D2Q9.
std::vector<ComparatorInfo> comparatorsOf(const tiler::TiledGeometry& geometry);
model::LatticeId latticeOf(const tiler::TiledGeometry& geometry);

// "curve" or "rows".
const char* nameOf(NodeOrder order);

}  // namespace tessera::solver::comparators
