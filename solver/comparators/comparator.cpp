// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comparators/comparator.hpp"

#include "solver/comparators/structures.hpp"

namespace tessera::solver::comparators {

// By CMake, of each line of variants.def.
#define TESSERA_COMPARED(collision, precision)                  \
  std::vector<StructureForms> cpuForms##collision##precision(); \
  std::vector<StructureForms> gpuForms##collision##precision();
#include "solver/comparators/variants.def"
#undef TESSERA_COMPARED

namespace {

void addVariant(model::CollisionId collision, model::PrecisionId precision,
                const std::vector<StructureForms>& cpu, const std::vector<StructureForms>& cuda,
                std::vector<ComparatorInfo>& all) {
  std::size_t k = 0;
  const auto add = [&]<class Kind>(std::type_identity<Kind>) {
    for (const NodeOrder order : Kind::orders)
      all.push_back({Kind::name, order, collision, precision, cpu[k].count, cpu[k].make,
                     cuda.empty() ? nullptr : cuda[k].make});
    ++k;
  };
  [&]<class... Kinds>(std::type_identity<std::tuple<Kinds...>>) {
    (add(std::type_identity<Kinds>{}), ...);
  }(std::type_identity<Structures>{});
}

#ifdef TESSERA_HAS_CUDA
#define TESSERA_CUDA_FORMS(collision, precision) gpuForms##collision##precision()
#else
#define TESSERA_CUDA_FORMS(collision, precision) \
  {}
#endif

std::vector<ComparatorInfo> allComparators() {
  std::vector<ComparatorInfo> all;
#define TESSERA_COMPARED(collision, precision)                             \
  addVariant(model::CollisionId::collision, model::PrecisionId::precision, \
             cpuForms##collision##precision(), TESSERA_CUDA_FORMS(collision, precision), all);
#include "solver/comparators/variants.def"
#undef TESSERA_COMPARED
  return all;
}

}  // namespace

const std::vector<ComparatorInfo>& comparators() {
  static const std::vector<ComparatorInfo> all = allComparators();
  return all;
}

const char* nameOf(NodeOrder order) {
  return order == NodeOrder::Curve ? "curve" : "rows";
}

}  // namespace tessera::solver::comparators
