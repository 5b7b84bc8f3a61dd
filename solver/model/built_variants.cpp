// SPDX-License-Identifier: GPL-3.0-or-later
// TESSERA_VARIANTS: the list of this build; shorter than variants.def in presets for tests alone.
#include "solver/model/built_variants.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/variant_types.hpp"

namespace tessera::solver::model {

const std::vector<VariantAxes>& builtVariants() {
  static const std::vector<VariantAxes> list = {
#define TESSERA_VARIANT(L, C, E, V, P, M, S) {L::id, C::id, E::id, V::id, P::id, M::id, S::id},
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT
  };
  return list;
}

std::string remedyOfFewRows() {
  return std::string_view(TESSERA_VARIANTS) == "solver/demo_variants.def"
             ? "; make -C pipelines build adds the rest"
             : "";
}

template <AxisId Id>
std::vector<std::string> builtNames() {
  std::set<std::string> names;
  for (const VariantAxes& axes : builtVariants()) names.insert(nameOf(axes.*Axis<Id>::member));
  return {names.begin(), names.end()};
}

template <AxisId Id>
Id builtId(const std::string& name) {
  const std::vector<std::string> built = builtNames<Id>();
  if (std::find(built.begin(), built.end(), name) == built.end()) {
    std::string list;
    for (const std::string& each : built) list += (list.empty() ? "" : ", ") + each;
    stage::fail(stage::ExitCode::Usage, std::string(Axis<Id>::word) + " \"" + name +
                                            "\" is not known; this build has: " + list +
                                            remedyOfFewRows());
  }
  return *idNamed<Id>(name);
}

#define TESSERA_AXIS(Id)                              \
  template std::vector<std::string> builtNames<Id>(); \
  template Id builtId<Id>(const std::string& name);
TESSERA_AXIS(LatticeId)
TESSERA_AXIS(CollisionId)
TESSERA_AXIS(EquilibriumId)
TESSERA_AXIS(PrecisionId)
TESSERA_AXIS(StateId)
#undef TESSERA_AXIS

}  // namespace tessera::solver::model
