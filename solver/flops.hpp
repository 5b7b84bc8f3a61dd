// SPDX-License-Identifier: GPL-3.0-or-later
// Floating-point operations of a step for one node: additions, subtractions, multiplications and
// divisions as the source of the collision has them (tests/solver/test_flops.cpp counts them), each
// one flop. A compiler that joins two to one instruction changes nothing in this.
#pragma once

#include "solver/registry.hpp"

namespace tessera {

// Without force. Of a viscosity of each node's own without what its law costs
// (solver/viscosity/node_law.hpp).
double flopsPerNode(const VariantInfo& variant);

}  // namespace tessera
