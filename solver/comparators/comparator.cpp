// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comparators/comparator.hpp"

#include "solver/comparators/structures.hpp"

namespace tessera::solver::comparators {

// By CMake, of each line of the list of this build, TESSERA_COMPARED_ROWS: variants.def, or fewer.
#define TESSERA_COMPARED(lattice, collision, precision)                  \
  std::vector<StructureForms> cpuForms##lattice##collision##precision(); \
  std::vector<StructureForms> gpuForms##lattice##collision##precision();
#include TESSERA_COMPARED_ROWS
#undef TESSERA_COMPARED

namespace {

template <class Lattice>
void addVariant(model::CollisionId collision, model::PrecisionId precision,
                const std::vector<StructureForms>& cpu, const std::vector<StructureForms>& cuda,
                std::vector<ComparatorInfo>& all) {
  std::size_t k = 0;
  const auto add = [&]<class Kind>(std::type_identity<Kind>) {
    for (const NodeOrder order : Kind::orders)
      all.push_back({Kind::name, order, Lattice::id, collision, precision, cpu[k].count,
                     cpu[k].make, cuda.empty() ? nullptr : cuda[k].make});
    ++k;
  };
  [&]<class... Kinds>(std::type_identity<std::tuple<Kinds...>>) {
    (add(std::type_identity<Kinds>{}), ...);
  }(std::type_identity<StructuresOf<Lattice>>{});
}

#ifdef TESSERA_HAS_GPU
#define TESSERA_CUDA_FORMS(lattice, collision, precision) gpuForms##lattice##collision##precision()
#else
#define TESSERA_CUDA_FORMS(lattice, collision, precision) \
  {}
#endif

std::vector<ComparatorInfo> allComparators() {
  std::vector<ComparatorInfo> all;
#define TESSERA_COMPARED(lattice, collision, precision)                                    \
  addVariant<model::lattice>(model::CollisionId::collision, model::PrecisionId::precision, \
                             cpuForms##lattice##collision##precision(),                    \
                             TESSERA_CUDA_FORMS(lattice, collision, precision), all);
#include TESSERA_COMPARED_ROWS
#undef TESSERA_COMPARED
  return all;
}

}  // namespace

const std::vector<ComparatorInfo>& comparators() {
  static const std::vector<ComparatorInfo> all = allComparators();
  return all;
}

model::LatticeId latticeOf(const tiler::TiledGeometry& geometry) {
  return geometry.dimensions == 2 ? model::LatticeId::D2Q9 : model::LatticeId::D3Q19;
}

std::vector<ComparatorInfo> comparatorsOf(const tiler::TiledGeometry& geometry) {
  std::vector<ComparatorInfo> found;
  for (const ComparatorInfo& info : comparators())
    if (info.lattice == latticeOf(geometry)) found.push_back(info);
  return found;
}

const char* nameOf(NodeOrder order) {
  return order == NodeOrder::Curve ? "curve" : "rows";
}

}  // namespace tessera::solver::comparators
