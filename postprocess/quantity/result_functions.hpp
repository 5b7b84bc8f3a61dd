// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that compute one number of a run each, declared by RESULT_FUNCTION in descriptors.def.
#pragma once

#include <optional>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

struct ResultInputs {
  const fields::NodeLookup& lookup;  // nodes, with the geometry
  const solver::file::Fields& fields;
  const fields::NodeSums& sums;     // over all nodes
  const results::Results& results;  // all other results of the run
};

#define RESULT_GROUP(...)
#define RESULT(...)
#define RESULT_FUNCTION(group, name, unit, moment, function, ...) \
  std::optional<double> function(const ResultInputs& of);
#define WALL_STATISTICS(...)
#define WALL_QUANTITY(...)
#include "postprocess/results/descriptors.def"
#undef RESULT_GROUP
#undef RESULT
#undef RESULT_FUNCTION
#undef WALL_STATISTICS
#undef WALL_QUANTITY

// Calls them all and stores their values in results.computed.
void addComputedResults(results::Results& results, const fields::NodeLookup& lookup,
                        const solver::file::Fields& fields, const fields::NodeSums& sums);

}  // namespace tessera::postprocess::quantity
