// SPDX-License-Identifier: GPL-3.0-or-later
// Reference pressure: results relative to the pressure at a point of the flow.
#pragma once

#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::fields {

// Subtracts the pressure at a point (m, world), interpolated between its nodes, from all pressures
// of the fields, and its share from the forces on walls; returns the former in Pa. From means, and
// from the monitor of a run that has them, that of the means is subtracted. name: of
// the option or key, for errors. Throws StageError(Usage) for a point outside of the fluid,
// (BadInput) for fields with forces that do not say what a pressure adds to them.
double subtractPressureAt(const Double3& point, const NodeLookup& lookup,
                          solver::file::Fields& fields, const std::string& name);

}  // namespace tessera::postprocess::fields
