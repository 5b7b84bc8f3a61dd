// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/comparators/comparator.hpp"

#include "solver/comparators/structures.hpp"

namespace tessera::solver::comparators {

// By CMake, of each line of variants.def.
#define TESSERA_COMPARED(collision, precision)                    \
  std::vector<ComparatorMaker> cpuMakers##collision##precision(); \
  std::vector<ComparatorMaker> gpuMakers##collision##precision();
#include "solver/comparators/variants.def"
#undef TESSERA_COMPARED

namespace {

void addVariant(model::CollisionId collision, model::PrecisionId precision,
                const std::vector<ComparatorMaker>& cpu, const std::vector<ComparatorMaker>& cuda,
                std::vector<ComparatorInfo>& all) {
  std::size_t k = 0;
  const auto add = [&]<class Kind>(std::type_identity<Kind>) {
    for (const NodeOrder order : Kind::orders)
      all.push_back(
          {Kind::name, order, collision, precision, cpu[k], cuda.empty() ? nullptr : cuda[k]});
    ++k;
  };
  [&]<class... Kinds>(std::type_identity<std::tuple<Kinds...>>) {
    (add(std::type_identity<Kinds>{}), ...);
  }(std::type_identity<Structures>{});
}

#ifdef TESSERA_HAS_GPU
#define TESSERA_CUDA_MAKERS(collision, precision) gpuMakers##collision##precision()
#else
#define TESSERA_CUDA_MAKERS(collision, precision) \
  {}
#endif

std::vector<ComparatorInfo> allComparators() {
  std::vector<ComparatorInfo> all;
#define TESSERA_COMPARED(collision, precision)                             \
  addVariant(model::CollisionId::collision, model::PrecisionId::precision, \
             cpuMakers##collision##precision(), TESSERA_CUDA_MAKERS(collision, precision), all);
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
