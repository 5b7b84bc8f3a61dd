// SPDX-License-Identifier: GPL-3.0-or-later
// All types that a line of variants.def may name, but for its state (solver/state).
#pragma once

#include "solver/collision/bgk.hpp"
#include "solver/collision/cumulant.hpp"
#include "solver/collision/mrt.hpp"
#include "solver/collision/regularised.hpp"
#include "solver/collision/trt.hpp"
#include "solver/equilibrium/equilibrium.hpp"
#include "solver/precision/precision.hpp"
#include "solver/step.hpp"
#include "solver/viscosity/viscosity.hpp"
