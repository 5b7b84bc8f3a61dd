// SPDX-License-Identifier: GPL-3.0-or-later
// Reference pressure: results relative to the pressure at a point of the flow.
#pragma once

#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::fields {

// Subtracts the pressure at a point (m, world), interpolated between its nodes, from all pressures
// of the fields, from means that of the means; returns the former in Pa. name: of the option or
// key, for the error. Throws StageError(Usage) for a point outside of the fluid.
double subtractPressureAt(const Double3& point, const NodeLookup& lookup,
                          solver::file::Fields& fields, const std::string& name);

}  // namespace tessera::postprocess::fields
