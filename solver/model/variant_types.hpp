// SPDX-License-Identifier: GPL-3.0-or-later
// All types that a line of variants.def may name, except its state (populations.hpp,
// moment_step.hpp).
#pragma once

#include "solver/model/collision/bgk.hpp"
#include "solver/model/collision/cumulant.hpp"
#include "solver/model/collision/mrt.hpp"
#include "solver/model/collision/regularised.hpp"
#include "solver/model/collision/trt.hpp"
#include "solver/model/equilibrium/equilibrium.hpp"
#include "solver/model/precision/precision.hpp"
#include "solver/model/step.hpp"
#include "solver/model/viscosity/viscosity.hpp"
