// SPDX-License-Identifier: GPL-3.0-or-later
// What the viscosity of a variant depends on.
#pragma once

namespace tessera {

// One for all nodes: the rates of StepParameters as they stand.
struct ConstantViscosity {
  static constexpr const char* name = "constant";
  static constexpr bool local = false;
};

}  // namespace tessera
