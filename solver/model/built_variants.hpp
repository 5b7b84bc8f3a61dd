// SPDX-License-Identifier: GPL-3.0-or-later
// Variants of this build by their axes, one per line of variants.def; how to make their backends is
// in backend/registry.hpp.
#pragma once

#include <string>
#include <vector>

#include "solver/model/axes.hpp"

namespace tessera::solver::model {

const std::vector<VariantAxes>& builtVariants();

// "; make -C pipelines build adds the rest" in a build of the rows of the demo, else empty.
std::string remedyOfFewRows();

// Names that this build has on one axis, in alphabetical order.
template <AxisId Id>
std::vector<std::string> builtNames();

// Throws StageError(Usage) that lists builtNames() for any other name.
template <AxisId Id>
Id builtId(const std::string& name);

}  // namespace tessera::solver::model
